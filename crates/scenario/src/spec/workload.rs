use units::{Bytes, Rate, Time};

use super::word::words;
use crate::item::Item;

/// What runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Name of the job.
    pub name: String,
    /// When it begins.
    pub start: Time,
    /// Order of the ranks on the hosts.
    pub placement: Placement,
    /// A collective or flows.
    pub work: Work,
}

words! {
    /// Order of the ranks on the hosts.
    Placement {
        /// Host by host.
        Contiguous = "contiguous",
    }
}

/// A collective or flows.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// One operation of all ranks, step after step.
    Collective(Collective),
    /// Flows one by one.
    Flows(Vec<Flow>),
    /// Flows made by a rule.
    Pattern(Pattern),
}

/// One operation of all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Which.
    pub kind: CollectiveKind,
    /// How.
    pub algorithm: Algorithm,
    /// As nccl-tests counts it.
    pub size: Bytes,
    /// Parallel rings; `None`: one a NIC of a host.
    pub channels: Option<u32>,
    /// Bytes of one message; `None`: one message a step.
    pub slice: Option<Bytes>,
    /// Rank that has or gets the data.
    pub root: u32,
    /// Compute phase before each step.
    pub compute: Time,
}

words! {
    /// Collectives.
    CollectiveKind {
        /// Every rank gets the sum.
        AllReduce = "all-reduce",
        /// Every rank gets a part of the sum.
        ReduceScatter = "reduce-scatter",
        /// Every rank gets all parts.
        AllGather = "all-gather",
        /// Every rank gets the data of the root.
        Broadcast = "broadcast",
        /// The root gets the sum.
        Reduce = "reduce",
        /// Every rank gets a part from every other.
        AllToAll = "all-to-all",
        /// Every rank sends to the next.
        SendRecv = "send-recv",
    }
}

words! {
    /// How a collective is done.
    Algorithm {
        /// The one that suits.
        Auto = "auto",
        /// Rings.
        Ring = "ring",
        /// Pairs, one after the other.
        Pairwise = "pairwise",
    }
}

/// A flow between two hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Host or port that sends.
    pub src: String,
    /// Host or port that receives.
    pub dst: String,
    /// Payload.
    pub size: FlowSize,
    /// When it begins.
    pub start: Time,
    /// When it stops sending.
    pub stop: Option<Time>,
    /// Wire rate offered; `None`: line rate.
    pub rate: Option<Rate>,
    /// Spacing of packets at that rate.
    pub arrival: Arrival,
    /// Every node from source to destination; empty: routed.
    pub path: Vec<String>,
}

/// Payload of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowSize {
    /// So much.
    Finite(Bytes),
    /// Until `stop` or the end of the run.
    Unlimited,
}

words! {
    /// Spacing of packets.
    Arrival {
        /// Even.
        Constant = "constant",
        /// Exponential.
        Poisson = "poisson",
    }
}

/// Flows made by a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Which rule.
    pub kind: PatternKind,
    /// Payload of each flow.
    pub size: FlowSize,
    /// Wire rate of each; `None`: line rate.
    pub rate: Option<Rate>,
    /// Spacing of packets at that rate.
    pub arrival: Arrival,
    /// When they stop sending.
    pub stop: Option<Time>,
    /// Shift: hosts further on; `None`: half of them.
    pub shift: Option<u32>,
    /// Incast: senders; `None`: all others.
    pub fan_in: Option<u32>,
    /// Incast: receiver; `None`: the first host.
    pub dst: Option<String>,
}

words! {
    /// Rules that make flows.
    PatternKind {
        /// Every host sends to one and receives from one.
        Permutation = "permutation",
        /// Many send to one.
        Incast = "incast",
        /// Every host sends to every other.
        AllToAll = "all-to-all",
        /// Host i sends to host i + shift.
        Shift = "shift",
    }
}

impl Workload {
    pub(super) fn of(item: &Item) -> Workload {
        let work = match item.opt_word("kind") {
            Some(kind) => Work::Collective(Collective::of(kind, item)),
            None => match item.opt_word("pattern") {
                Some(kind) => Work::Pattern(Pattern::of(kind, item)),
                None => Work::Flows(item.list("flows").iter().enumerate().map(|(i, flow)| Flow::of(i, flow)).collect()),
            },
        };
        Workload { name: item.string("name"), start: item.time("start"), placement: item.word("placement"), work }
    }
}

impl Collective {
    fn of(kind: CollectiveKind, item: &Item) -> Collective {
        Collective {
            kind,
            algorithm: item.opt_word("algorithm").unwrap_or(Algorithm::Auto),
            size: item.bytes("size"),
            channels: item.opt_small("channels"),
            slice: item.opt_bytes("slice"),
            root: item.opt_small("root").unwrap_or(0),
            compute: item.time("compute"),
        }
    }
}

impl Flow {
    fn of(index: usize, item: &Item) -> Flow {
        Flow {
            name: item.opt_string("name").unwrap_or_else(|| format!("f{index}")),
            src: item.string("src"),
            dst: item.string("dst"),
            size: FlowSize::of(item),
            start: item.time("start"),
            stop: item.opt_time("stop"),
            rate: item.opt_rate("rate"),
            arrival: item.word("arrival"),
            path: item.strings("path"),
        }
    }
}

impl FlowSize {
    fn of(item: &Item) -> FlowSize {
        item.opt_bytes("size").map_or(FlowSize::Unlimited, FlowSize::Finite)
    }
}

impl Pattern {
    fn of(kind: PatternKind, item: &Item) -> Pattern {
        Pattern {
            kind,
            size: FlowSize::of(item),
            rate: item.opt_rate("rate"),
            arrival: item.word("arrival"),
            stop: item.opt_time("stop"),
            shift: item.opt_small("shift"),
            fan_in: item.opt_small("fan_in"),
            dst: item.opt_string("dst"),
        }
    }
}
