//! One file a command.

pub(crate) mod check;
pub(crate) mod deadlock;
pub(crate) mod new;
pub(crate) mod presets;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod sweep;
pub(crate) mod topo;
pub(crate) mod validate;
