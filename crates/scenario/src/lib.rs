//! Scenarios: from a YAML file to a checked, typed description of a run, with every fault reported at once.
//!
//! [`Document::load`] reads a file into a tree of located nodes, [`Document::set`] and the points of a [`Sweep`] lay
//! overrides on it, and [`Document::check`] judges it against one table of keys ([`keys`]) and gives a [`Scenario`]:
//! the typed [`spec::Spec`], warnings, and the effective scenario to write back.

mod check;
mod diagnostic;
mod document;
mod effective;
mod item;
mod json_schema;
pub mod keys;
mod node;
mod overrides;
mod plan;
mod preset;
mod reference;
mod rules;
mod scalar;
mod shorthand;
mod source;
pub mod spec;
mod suggest;
mod sweep;
mod template;
mod yaml;

pub use diagnostic::{Code, Diagnostic, Report};
pub use document::{Document, Scenario};
pub use item::{Item, LinkName, Value};
pub use json_schema::json_schema;
pub use node::{Entry, Node, Tree};
pub use plan::Planned;
pub use preset::{PRESETS, Preset};
pub use reference::{errors_page, reference_page};
pub use source::{FILE_LIMIT, Place, Source};
pub use spec::Spec;
pub use sweep::{Axis, POINT_LIMIT, Point, Sweep, VARIANT};
pub use template::{TEMPLATES, Template};
pub use topology::{Analysis, Buildable};
