use units::Time;

use super::word::words;
use crate::item::Item;

/// How to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How fine.
    pub fidelity: Fidelity,
    /// Measured steps.
    pub steps: u32,
    /// Steps before them.
    pub warmup: u32,
    /// When the run ends at the latest.
    pub until: Option<Time>,
    /// Start of the measurement of unlimited flows.
    pub measure_from: Time,
    /// What a proven deadlock does.
    pub on_deadlock: OnDeadlock,
    /// Without any delivery.
    pub stall_after: Time,
    /// What goes into the series.
    pub record: Vec<Record>,
    /// Time between samples.
    pub sample: Time,
}

words! {
    /// How fine the model is.
    Fidelity {
        /// Every packet.
        Packet = "packet",
    }
}

words! {
    /// What a proven deadlock does.
    OnDeadlock {
        /// Ends the run.
        Stop = "stop",
        /// Nothing: what still moves goes on.
        Continue = "continue",
    }
}

words! {
    /// What goes into the series.
    Record {
        /// Queue lengths.
        Queue = "queue",
        /// Pauses.
        Pause = "pause",
        /// Rates.
        Rate = "rate",
    }
}

impl Run {
    pub(super) fn of(item: &Item) -> Run {
        let record = |item: &Item| <Record as super::word::Word>::from_word(item.text());
        Run {
            fidelity: item.word("fidelity"),
            steps: item.small("steps"),
            warmup: item.small("warmup"),
            until: item.opt_time("until"),
            measure_from: item.time("measure_from"),
            on_deadlock: item.word("on_deadlock"),
            stall_after: item.time("stall_after"),
            record: item.list("record").iter().filter_map(record).collect(),
            sample: item.time("sample"),
        }
    }
}
