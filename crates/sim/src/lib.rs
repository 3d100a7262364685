//! Where everything meets: a [`Plan`] becomes nodes and links, [`run`] drives them, an [`Outcome`]
//! comes out. Reads no file and no clock; progress is a callback.

mod build;
mod connection;
mod deadlock;
mod effects;
mod endpoints;
mod fingerprint;
mod ideal;
mod lines;
mod names;
mod network;
mod outcome;
mod plan;
mod prediction;
mod ranks;
mod reason;
mod runner;
mod tasks;
mod timer;
mod way;

pub use engine::{LogQueue, Purpose, Stream};
pub use outcome::{
    BlockedQueue, Cause, DeadlockReport, Ending, Flow, Outcome, PortReport, Quantity, Sample, Step, Totals, Waited,
};
pub use plan::{
    Change, CollectiveSpec, FlowSpec, HostConfig, Plan, RankPlace, RunConfig, Seeds, Switching, TimedFault, Workload,
};
pub use prediction::{PredictedCycle, Prediction, predict};
pub use runner::{Control, Progress, run};
