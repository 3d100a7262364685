use serde::Serialize;
use sim::{Ending, Outcome, Step};
use units::Time;

use crate::context::{CollectiveFacts, Context, TopologyNumbers};
use crate::expectation::Judged;
use crate::results::pretty;
use crate::statistics::{deviation, mean, percentile, sorted};

/// `summary.json`. Every key is always present; what does not apply is `null`. Keys carry their units.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Of the scenario.
    pub name: String,
    /// Master seed.
    pub seed: u64,
    /// Of the program that ran it.
    pub version: String,
    /// How finely packets were modelled.
    pub fidelity: String,
    /// How switches serve their inputs; it decides some deadlocks.
    pub service: String,
    /// Time simulated.
    pub simulated_s: f64,
    /// When payload was last delivered; `null` if none ever was.
    pub last_progress_s: Option<f64>,
    /// See [`outcome_word`].
    pub outcome: String,
    /// What was cabled.
    pub topology: TopologySummary,
    /// Over the measured steps of a collective.
    pub steps: StepsSummary,
    /// One entry a collective; empty without one.
    pub collectives: Vec<CollectiveSummary>,
    /// Over connections and explicit flows.
    pub flows: FlowsSummary,
    /// Over all links and switches.
    pub network: NetworkSummary,
    /// Whether the network locked up.
    pub deadlock: DeadlockSummary,
    /// Of training steps.
    pub training: TrainingSummary,
    /// One row an expectation of the scenario.
    pub expectations: Vec<Judged>,
    /// Doubts about the scenario and deviations from it.
    pub warnings: Vec<String>,
}

/// The topology of a summary.
pub type TopologySummary = TopologyNumbers;

/// Distribution of step times: from the end of the step before to the end of the last rank.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StepsSummary {
    /// Measured steps that ended.
    pub count: u64,
    /// Arithmetic mean.
    pub mean_s: Option<f64>,
    /// Median, by nearest rank like the other percentiles.
    pub p50_s: Option<f64>,
    /// 95th percentile.
    pub p95_s: Option<f64>,
    /// 99th percentile.
    pub p99_s: Option<f64>,
    /// Shortest.
    pub min_s: Option<f64>,
    /// Longest.
    pub max_s: Option<f64>,
    /// Standard deviation, divisor n.
    pub std_s: Option<f64>,
}

/// A collective in the terms of nccl-tests.
#[derive(Clone, Debug, Serialize)]
pub struct CollectiveSummary {
    /// Such as `all-reduce`.
    pub kind: String,
    /// Such as `ring`.
    pub algorithm: String,
    /// Number of ranks.
    pub ranks: u64,
    /// What nccl-tests calls size.
    pub size_bytes: u64,
    /// Mean over the measured steps of the time from the entry of the last rank to the end.
    pub time_s: Option<f64>,
    /// Size over time.
    pub algbw_bytes_per_s: Option<f64>,
    /// Algorithm bandwidth times the factor of the operation.
    pub busbw_bytes_per_s: Option<f64>,
    /// Time of the closed form, if there is one.
    pub analytic_s: Option<f64>,
}

/// Flows together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowsSummary {
    /// Connections or explicit flows.
    pub count: u64,
    /// Flows with a size of which the last byte arrived.
    pub completed: u64,
    /// Flows with a size that are neither completed nor failed.
    pub unfinished: u64,
    /// Flows that gave up.
    pub failed: u64,
    /// Completion times of completed flows, from post to last byte at the receiver.
    pub fct_s: Spread,
    /// Sum over flows of delivered payload bits over measured time.
    pub goodput_bps: Option<f64>,
    /// Jain's fairness index of the goodputs.
    pub jain: Option<f64>,
    /// Slowdown of completed flows, by size.
    pub by_size: Vec<SizeBin>,
}

/// A distribution in four numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// Completed flows up to a size, from the size of the bin before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeBin {
    /// Largest size in the bin.
    pub to_bytes: u64,
    /// Flows in the bin.
    pub count: u64,
    /// Median of completion time over that on an idle network.
    pub slowdown_p50: Option<f64>,
    /// 95th percentile.
    pub slowdown_p95: Option<f64>,
    /// 99th percentile.
    pub slowdown_p99: Option<f64>,
}

/// Sums over the network.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NetworkSummary {
    /// Data packets delivered in order.
    pub packets_delivered: u64,
    /// Every packet once per link it crossed.
    pub packet_hops: u64,
    /// Payload delivered.
    pub bytes_delivered: u64,
    /// Packets lost for any reason: full buffers, damage on a link, missing headroom.
    pub drops: u64,
    /// Those of them that a lossless class lost for lack of headroom.
    pub lossless_drops: u64,
    /// Packets sent again.
    pub retransmitted_packets: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// PAUSE frames that ask to stop, refreshes included.
    pub pause_frames: u64,
    /// PAUSE frames that let go on.
    pub resume_frames: u64,
    /// Paused time, summed over ports and classes.
    pub pause_s: f64,
    /// Time for which packets waited on a free line for credits, summed over ports and classes.
    pub credit_stall_s: f64,
    /// Packets marked.
    pub ecn_marks: u64,
    /// Congestion notification packets.
    pub cnps: u64,
    /// Longest output queue of any switch port and class.
    pub max_queue_bytes: u64,
}

/// What is known about a deadlock.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DeadlockSummary {
    /// Whether one was proven.
    pub detected: bool,
    /// When the cycle closed.
    pub onset_s: Option<f64>,
    /// When it was proven.
    pub detected_s: Option<f64>,
    /// Its links, such as `A->B class 3`.
    pub cycle: Option<Vec<String>>,
    /// Groups of queues that wait for each other in a circle.
    pub cycles: Option<u64>,
    /// Member of the cycle that stopped first.
    pub root: Option<String>,
    /// When it went away.
    pub cleared_s: Option<f64>,
    /// What made it go away.
    pub cleared_by: Option<String>,
    /// How many flows have packets in the queues that can never move again.
    pub blocked_flows: Option<u64>,
    /// Bytes in those queues.
    pub blocked_bytes: Option<u64>,
}

/// What a training step is made of.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TrainingSummary {
    /// Communication that no computation hides.
    pub exposed_comm_s: Option<f64>,
    /// The same by kind of parallelism.
    pub exposed_by_kind: Option<serde_json::Map<String, serde_json::Value>>,
    /// Computation.
    pub compute_s: Option<f64>,
    /// Model FLOPs utilisation.
    pub mfu: Option<f64>,
    /// Share of time that GPUs compute.
    pub gpu_utilisation: Option<f64>,
    /// Tokens per second.
    pub tokens_per_s: Option<f64>,
    /// The rank that others wait for.
    pub straggler: Option<String>,
}

/// Word for an ending: `finished`, `time_limit`, `deadlocked`, `stalled`, or `interrupted` for a run that was
/// stopped from outside, of which the results are incomplete.
pub fn outcome_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Finished => "finished",
        Ending::TimeLimit => "time_limit",
        Ending::Deadlocked => "deadlocked",
        Ending::Stalled => "stalled",
        Ending::Interrupted => "interrupted",
    }
}

impl Summary {
    /// Of an outcome; without expectations yet.
    pub fn new(outcome: &Outcome, context: &Context) -> Summary {
        Summary {
            name: context.name.clone(),
            seed: context.seed,
            version: context.version.clone(),
            fidelity: context.fidelity.clone(),
            service: context.service.clone(),
            simulated_s: outcome.simulated.as_secs_f64(),
            last_progress_s: outcome.last_progress.map(|time| time.as_secs_f64()),
            outcome: outcome_word(outcome.ending).to_string(),
            topology: context.topology.clone(),
            steps: StepsSummary::new(&outcome.steps),
            collectives: context.collective.iter().map(|c| CollectiveSummary::new(c, &outcome.steps)).collect(),
            flows: FlowsSummary::new(&outcome.flows),
            network: NetworkSummary::new(outcome, &context.switch_ports),
            deadlock: DeadlockSummary::new(outcome.deadlock.as_ref(), context),
            training: TrainingSummary::default(),
            expectations: Vec::new(),
            warnings: context.warnings.clone(),
        }
    }

    /// The bytes of `summary.json`.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

impl StepsSummary {
    fn new(steps: &[Step]) -> StepsSummary {
        let times = steps.iter().map(|step| step.end.saturating_sub(step.start));
        let times = sorted(times);
        let at = |percent| percentile(&times, percent).map(Time::as_secs_f64);
        StepsSummary {
            count: times.len() as u64,
            mean_s: mean(&times),
            p50_s: at(50),
            p95_s: at(95),
            p99_s: at(99),
            min_s: times.first().map(|time| time.as_secs_f64()),
            max_s: times.last().map(|time| time.as_secs_f64()),
            std_s: deviation(&times),
        }
    }
}

impl CollectiveSummary {
    fn new(facts: &CollectiveFacts, steps: &[Step]) -> CollectiveSummary {
        let times: Vec<Time> = steps.iter().map(|step| step.communication).collect();
        let time = mean(&times);
        let algbw = time.filter(|t| *t > 0.0).map(|time| facts.size as f64 / time);
        CollectiveSummary {
            kind: facts.kind.clone(),
            algorithm: facts.algorithm.clone(),
            ranks: facts.ranks,
            size_bytes: facts.size,
            time_s: time,
            algbw_bytes_per_s: algbw,
            busbw_bytes_per_s: algbw.map(|algbw| algbw * facts.bus_factor),
            analytic_s: facts.analytic,
        }
    }
}
