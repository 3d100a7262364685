//! Collective operations as data: which rank sends what to whom, after what.
//!
//! A [`Schedule`] is a pure function from (rank, stream, index) to an [`Op`]; generators ([`Ring`] and the others)
//! make schedules for any number of ranks and any size, and store nothing per operation. A [`RankRun`] interprets one
//! rank's part of a schedule against any network that can carry messages in order. The [`oracle`] executes a schedule
//! over sets of contributions and proves that it does what its [`Collective`] promises.
//!
//! Knows no network: a message is a destination, a tag and a number of bytes.

mod all_to_all;
mod barrier;
mod binary_tree;
mod chain;
mod cost;
mod halving_doubling;
mod layout;
mod moe;
mod operation;
pub mod oracle;
mod relay;
mod ring;
mod routing;
mod run;
mod schedule;
mod send_recv;
mod split;
mod traffic;
mod tree;

pub use all_to_all::{AllToAll, Exchange};
pub use barrier::Barrier;
pub use binary_tree::TreeNode;
pub use chain::Chain;
pub use cost::Cost;
pub use halving_doubling::HalvingDoubling;
pub use layout::Layout;
pub use moe::Moe;
pub use operation::{Dep, Edge, MAX_DEPS, Op, OpKind, Part};
pub use relay::Pipeline;
pub use ring::{Ring, Slicing};
pub use routing::{Experts, Routing};
pub use run::{Action, RankRun};
pub use schedule::{Algorithm, Channel, Collective, Schedule, Source};
pub use send_recv::SendRecv;
pub use split::Split;
pub use tree::Tree;
