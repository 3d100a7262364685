use serde::Serialize;
use sim::Step;

/// A row of `steps.csv`.
#[derive(Clone, Debug, Serialize)]
pub struct StepRow {
    /// Number among all steps, warm-up included.
    pub step: u32,
    /// Job it belongs to; a workload without jobs is `main`.
    pub job: &'static str,
    /// End of the step before.
    pub start_s: f64,
    /// When the last rank was done.
    pub end_s: f64,
    /// From start to end.
    pub time_s: f64,
    /// The longest compute phase.
    pub compute_s: f64,
    /// The part of the step that the longest compute phase does not cover.
    pub exposed_comm_s: f64,
    /// The rank that others waited for.
    pub slowest_rank: u32,
}

impl StepRow {
    /// Columns, in order.
    pub const COLUMNS: [&str; 8] =
        ["step", "job", "start_s", "end_s", "time_s", "compute_s", "exposed_comm_s", "slowest_rank"];

    /// Of a step.
    pub fn new(step: &Step) -> StepRow {
        StepRow {
            step: step.number,
            job: "main",
            start_s: step.start.as_secs_f64(),
            end_s: step.end.as_secs_f64(),
            time_s: step.end.saturating_sub(step.start).as_secs_f64(),
            compute_s: step.compute.as_secs_f64(),
            exposed_comm_s: step.exposed.as_secs_f64(),
            slowest_rank: step.slowest_rank,
        }
    }
}
