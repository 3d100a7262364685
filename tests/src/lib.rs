//! The validation suite: laws of queueing, flow control, loss and collectives that the simulator must reproduce.
//!
//! A [`Law`] makes scenarios in the words of users, runs them, and compares the results with closed forms that are
//! worked out beside them. Tests assert the laws; the example `validation` writes them to `docs/validation.md`.

mod check;
mod law;
mod page;
mod rig;

pub mod balance;
pub mod collectives;
pub mod congestion;
pub mod cross;
pub mod deadlock;
pub mod determinism;
pub mod infiniband;
pub mod loops;
pub mod loss;
pub mod pfc;
pub mod topology;
pub mod trees;
pub mod truths;

pub use check::Check;
pub use law::{Group, Law, groups};
pub use page::{heading, page};
pub use rig::{Custom, DATA, flow, goodput, parse, plan, port, run, run_on, run_plan, try_run, wire_time};
