//! The link models and the switch: gate, guard, memory, marker, scheduler, forwarding, port. Knows
//! no transport and no engine: it acts through [`Effects`], which a run binds to the event engine and
//! a test to a list.
//!
//! What differs between InfiniBand, RoCE and plain Ethernet belongs to the link, and hosts use the
//! same port as switches. State lives in flat arrays by port and by (port, class in use), numbered
//! node by node, so a node owns a contiguous slice.

mod admission;
mod audit;
mod config;
mod counters;
mod deadlock;
mod effects;
mod fabric;
mod forwarding;
mod gate;
mod guard;
mod path;
mod pause;
mod port;
mod queue;
mod scheduler;
#[cfg(test)]
mod transcript_tests;

pub use audit::AuditError;
pub use config::{Buffer, Credit, Ecn, FabricConfig, FlowControl, MarkAt, Pfc, Pool, Quanta, Service, Thresholds};
pub use counters::{ClassCounters, PortCounters};
pub use deadlock::{Deadlock, StuckQueue};
pub use effects::{DropReason, Effects, FabricTimer, Frame, Source};
pub use fabric::{Arrived, Fabric, NodeSetup, PortSetup};
pub use forwarding::{Forwarding, Hops, Policy};
pub use gate::Gate;
pub use guard::Guard;
pub use port::CONTROL;
