//! The one table of keys. It drives reading, suggestions, defaults, the effective scenario, the JSON Schema and
//! the reference page. A key of the format that is not built yet is in the table as well, marked `later`.

mod expect;
mod fabric;
mod faults;
mod host;
mod key;
mod run;
mod schema;
mod top;
mod topology;
mod workload;

pub use key::{Key, Type};
pub use schema::{Schema, schema};

/// Every key, in the order in which a scenario is written.
pub fn all() -> impl Iterator<Item = &'static Key> {
    [top::KEYS, topology::KEYS, fabric::KEYS, host::KEYS, workload::KEYS, faults::KEYS, run::KEYS, expect::KEYS]
        .into_iter()
        .flatten()
}
