use units::text::Fraction;
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
    /// Each flow or rank begins later by a time drawn below this.
    pub start_jitter: Time,
    /// Of the data; `None`: that of the technology.
    pub class: Option<u8>,
    /// Order of the hosts among the ranks.
    pub placement: Placement,
    /// A collective or flows.
    pub work: Work,
}

words! {
    /// Order of the hosts among the ranks.
    Placement {
        /// As they are numbered.
        Contiguous = "contiguous",
        /// Shuffled.
        Random = "random",
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
    /// As nccl-tests counts it; zero where the kind has none.
    pub size: Bytes,
    /// Parts with connections of their own; `None`: as the algorithm has them.
    pub channels: Option<u32>,
    /// Bytes of one message; `None`: as the algorithm has them.
    pub slice: Option<Bytes>,
    /// Rank that has or gets the data.
    pub root: u32,
    /// Compute phase before each step.
    pub compute: Time,
    /// Of a mixture of experts.
    pub moe: Option<Moe>,
}

/// The communication of a mixture-of-experts layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moe {
    /// Of a rank.
    pub tokens: u32,
    /// Experts of a token.
    pub top_k: u32,
    /// In all.
    pub experts: u32,
    /// Elements of a token.
    pub hidden: u32,
    /// Popularity of experts.
    pub skew: Skew,
    /// Format on the way out.
    pub dispatch: Format,
    /// Format on the way back.
    pub combine: Format,
    /// Order of messages.
    pub exchange: MoeExchange,
    /// Whether a rank with several experts of a token gets it once.
    pub once_per_rank: bool,
    /// Between dispatch and combine.
    pub expert_compute: Time,
}

/// Popularity of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skew {
    /// Every rank sends as much to every other.
    Balanced,
    /// Drawn with equal chances.
    Uniform,
    /// Drawn with weights 1 / i^s.
    Zipf(Fraction),
}

words! {
    /// Number formats.
    Format {
        /// One byte, and a scale of 4 bytes for 128 elements.
        Fp8 = "fp8",
        /// Two bytes.
        Bf16 = "bf16",
        /// Two bytes.
        Fp16 = "fp16",
        /// Four bytes.
        Fp32 = "fp32",
    }
}

words! {
    /// Order of the messages of an exchange.
    MoeExchange {
        /// All at once.
        Simultaneous = "simultaneous",
        /// One after another.
        Staggered = "staggered",
    }
}

impl Format {
    /// Bytes of a token of so many elements.
    pub fn bytes(self, elements: u32) -> u64 {
        let elements = u64::from(elements);
        match self {
            Format::Fp8 => elements + 4 * elements.div_ceil(128),
            Format::Bf16 | Format::Fp16 => 2 * elements,
            Format::Fp32 => 4 * elements,
        }
    }
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
        /// No rank leaves before all have entered.
        Barrier = "barrier",
        /// Tokens go to their experts and come back.
        Moe = "moe",
    }
}

words! {
    /// How a collective is done.
    Algorithm {
        /// The one that suits.
        Auto = "auto",
        /// Rings.
        Ring = "ring",
        /// One binary tree over hosts.
        Tree = "tree",
        /// Two binary trees that share the load.
        DoubleBinaryTree = "double-binary-tree",
        /// Recursive halving, then doubling.
        HalvingDoubling = "halving-doubling",
        /// Pairs, one after the other.
        Pairwise = "pairwise",
        /// Everything at once.
        Direct = "direct",
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
    /// Of its data; `None`: that of the workload.
    pub class: Option<u8>,
    /// Connections.
    pub qps: u32,
    /// Links between switches that a packet may cross.
    pub ttl: u8,
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
    /// Connections of each.
    pub qps: u32,
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
        Workload {
            name: item.string("name"),
            start: item.time("start"),
            start_jitter: item.time("start_jitter"),
            class: class(item),
            placement: item.word("placement"),
            work,
        }
    }
}

impl Collective {
    fn of(kind: CollectiveKind, item: &Item) -> Collective {
        Collective {
            kind,
            algorithm: item.opt_word("algorithm").unwrap_or(Algorithm::Auto),
            size: item.opt_bytes("size").unwrap_or(Bytes::ZERO),
            channels: item.opt_small("channels"),
            slice: item.opt_bytes("slice"),
            root: item.opt_small("root").unwrap_or(0),
            compute: item.time("compute"),
            moe: (kind == CollectiveKind::Moe).then(|| Moe::of(item)),
        }
    }
}

impl Moe {
    fn of(item: &Item) -> Moe {
        let skew = item.group("skew");
        Moe {
            tokens: item.small("tokens"),
            top_k: item.small("top_k"),
            experts: item.small("experts"),
            hidden: item.small("hidden"),
            skew: match (skew.opt_fraction("zipf"), skew.text()) {
                (Some(zipf), _) => Skew::Zipf(zipf),
                (None, "balanced") => Skew::Balanced,
                _ => Skew::Uniform,
            },
            dispatch: item.word("dispatch"),
            combine: item.word("combine"),
            exchange: item.word("exchange"),
            once_per_rank: item.bool("once_per_rank"),
            expert_compute: item.time("expert_compute"),
        }
    }
}

fn class(item: &Item) -> Option<u8> {
    item.opt_count("class").map(|class| u8::try_from(class).unwrap_or(u8::MAX))
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
            class: class(item),
            qps: item.small("qps"),
            ttl: u8::try_from(item.count("ttl")).unwrap_or(u8::MAX),
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
            qps: item.small("qps"),
            stop: item.opt_time("stop"),
            shift: item.opt_small("shift"),
            fan_in: item.opt_small("fan_in"),
            dst: item.opt_string("dst"),
        }
    }
}
