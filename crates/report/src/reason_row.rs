use serde::Serialize;
use sim::{Cause, Outcome, Step};

/// A row of `reasons.csv`: why a step took as long as it did.
#[derive(Clone, Debug, Serialize)]
pub struct ReasonRow<'a> {
    /// Number among all steps, warm-up included.
    pub step: u32,
    /// From the end of the step before.
    pub time_s: f64,
    /// The rank that others waited for.
    pub slowest_rank: u32,
    /// The longest compute phase.
    pub compute_s: f64,
    /// Link on the way of the last message where packets waited longest; empty: nowhere.
    pub link: Option<&'a str>,
    /// `queue`, `pause` or `credits`.
    pub cause: Option<&'static str>,
    /// Mean wait of a packet in the queue, or time stopped, within the step.
    pub waited_s: Option<f64>,
}

impl<'a> ReasonRow<'a> {
    /// Columns, in order.
    pub const COLUMNS: [&'static str; 7] = ["step", "time_s", "slowest_rank", "compute_s", "link", "cause", "waited_s"];

    /// Of a step.
    pub fn new(step: &Step, outcome: &'a Outcome) -> ReasonRow<'a> {
        ReasonRow {
            step: step.number,
            time_s: step.end.saturating_sub(step.start).as_secs_f64(),
            slowest_rank: step.slowest_rank,
            compute_s: step.compute.as_secs_f64(),
            link: step.waited.map(|waited| outcome.ports[waited.port as usize].name.as_str()),
            cause: step.waited.map(|waited| word(waited.cause)),
            waited_s: step.waited.map(|waited| waited.time.as_secs_f64()),
        }
    }
}

pub(crate) fn word(cause: Cause) -> &'static str {
    match cause {
        Cause::Queue => "queue",
        Cause::Pause => "pause",
        Cause::Credits => "credits",
    }
}
