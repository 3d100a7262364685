//! Quantities and identifiers shared by every crate: picosecond time, bytes, rates, typed ids and
//! the text forms that people write. Depends on nothing of ours and uses integers throughout, so
//! machines agree on every result.

mod id;
mod rate;
mod size;
pub mod text;
mod time;

pub use id::{ConnId, NodeId, PortId};
pub use rate::Rate;
pub use size::Bytes;
pub use time::Time;
