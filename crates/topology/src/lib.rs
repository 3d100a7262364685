//! What is cabled, and which ways lead where: inert graphs of hosts and switches, generators for the usual fabrics,
//! routing tables, and analysis (tiers, bisection, channel dependencies). Nothing here moves or knows of time passing.
//!
//! The way through: a [`Spec`] says what is wanted, [`build`] makes a [`Topology`] of it or says why it cannot be
//! made, [`Routes`] holds the ways, [`Analysis`] and [`DependencyGraph`] judge both.

mod analysis;
mod bisection;
mod build;
mod cabling;
mod custom;
mod dependency;
mod dot;
mod error;
mod fat_tree;
mod graph;
mod leaf_plan;
mod neighbours;
mod rail_only;
mod routes;
mod shape;
mod size;
mod spec;
mod spine_leaf;
mod spine_plan;
mod torus;
mod ways;

pub use analysis::{Analysis, Links, Tier};
pub use bisection::Bisection;
pub use build::{Built, MAX_CABLES, MAX_NICS, MAX_SWITCHES, Oversubscription, build};
pub use dependency::{Channel, Cycle, DependencyGraph, dependencies};
pub use error::{RoutesError, TopologyError};
pub use graph::{Node, NodeKind, Port, Topology};
pub use neighbours::{Buildable, neighbours};
pub use routes::{Routes, RoutingKind};
pub use shape::Shape;
pub use spec::{
    Attachment, Cables, Custom, CustomHost, CustomLink, FatTree, Leaf, LinkDefaults, RailOnly, Ring, Size, Spec, Spine,
    SpineLeaf, Torus,
};
pub use units::text::Ratio;
