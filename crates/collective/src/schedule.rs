use std::ops::Range;

use units::Time;

use crate::{Cost, Op, Split};

/// A collective operation as data: for every rank some streams of operations, each a pure function of its index.
///
/// Streams of a rank are independent of each other; operations within a stream refer back to earlier ones. An
/// implementation stores at most a few words per rank, never anything per operation: a ring over 8,192 ranks has 268
/// million of them.
///
/// A channel `(from, to, tag)` delivers in order and acknowledges in order. Its sends belong to one stream and become ready in the order of
/// their indices whatever the timing; so do its receives. The oracle checks this.
pub trait Schedule: Send + Sync {
    /// What the schedule achieves.
    fn collective(&self) -> Collective;

    /// By which algorithm.
    fn algorithm(&self) -> Algorithm;

    /// The size of the collective in bytes, in the sense of nccl-tests: the buffer of a rank for all-reduce,
    /// broadcast, reduce and send-recv; the total over ranks for all-gather and reduce-scatter; what one rank sends in
    /// all (its own share included) for all-to-all.
    fn size(&self) -> u64;

    /// How many ranks take part.
    fn ranks(&self) -> u32;

    /// How many streams of operations a rank has.
    fn streams(&self, rank: u32) -> u32;

    /// The farthest back-reference of any operation, and how many operations of a stream an interpreter holds at a
    /// time: operation `i` is looked at when all before `i - window` have finished. At least 1. It is large enough
    /// that it never delays an operation whose dependencies hold, unless the schedule says so.
    fn window(&self) -> u32;

    /// The operation at `index` of a stream, or `None` past its end. Pure: the same answer every time.
    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op>;

    /// All outgoing channels of a rank, each once, without enumerating its operations.
    fn channels(&self, rank: u32) -> Vec<Channel>;

    /// All incoming channels of a rank, each once: the other view of [`Schedule::channels`].
    fn sources(&self, rank: u32) -> Vec<Source>;

    /// The time by the closed form of the algorithm on a fabric without contention, `None` when there is none. See
    /// each generator for what it counts.
    fn analytic(&self, _cost: Cost) -> Option<Time> {
        None
    }

    /// For all-to-all and send-recv: which bytes of the logical buffer go from `src` to `dst`, at most one range in
    /// each of two rounds (a dispatch and a combine). Empty for all other collectives.
    fn exchange(&self, _src: u32, _dst: u32) -> [Range<u64>; 2] {
        [0..0, 0..0]
    }
}

/// An outgoing connection of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Channel {
    /// The receiving rank.
    pub to: u32,
    /// Tells channels to the same rank apart.
    pub tag: u32,
    /// The NIC to use at both ends (the rail); `None`: each end uses the NIC of its own GPU. Without meaning when
    /// both ranks are on one host.
    pub nic: Option<u32>,
}

/// An incoming connection of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Source {
    /// The sending rank.
    pub from: u32,
    /// Tells channels from the same rank apart.
    pub tag: u32,
}

/// What a collective operation achieves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collective {
    /// Every rank ends with the sum of all buffers.
    AllReduce,
    /// Rank r ends with block r of the sum, see [`Collective::block`].
    ReduceScatter,
    /// Rank r begins with block r, every rank ends with all blocks.
    AllGather,
    /// Every rank ends with the root's buffer.
    Broadcast {
        /// The rank whose buffer it is.
        root: u32,
    },
    /// The root ends with the sum of all buffers.
    Reduce {
        /// The rank that gets the sum.
        root: u32,
    },
    /// Every rank has something for every rank, see [`Schedule::exchange`].
    AllToAll,
    /// Every rank has something for one other rank, see [`Schedule::exchange`].
    SendRecv,
    /// No rank leaves before all have entered.
    Barrier,
    /// Messages without a promise, such as an imported trace.
    Custom,
}

/// By which algorithm a collective is done. Closed forms depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Neighbours on a ring, chunk by chunk.
    Ring,
    /// A pipelined chain.
    Chain,
    /// One binary tree, up and down.
    Tree,
    /// Two binary trees that share the load.
    DoubleBinaryTree,
    /// Recursive halving, then doubling.
    HalvingDoubling,
    /// One exchange after another, a different partner each time.
    Pairwise,
    /// Everything sent at once.
    Direct,
    /// Rounds over distances 1, 2, 4, ...
    Dissemination,
    /// Not one of ours.
    Custom,
}

impl Collective {
    /// The bytes of block `rank` of `size` bytes over `ranks` ranks: what rank `rank` begins with in an all-gather
    /// and ends with in a reduce-scatter.
    pub fn block(size: u64, ranks: u32, rank: u32) -> Range<u64> {
        Split::new(size, ranks).range(rank)
    }

    /// busbw / algbw of nccl-tests, where algbw is size / time: what makes the number comparable with the rate of the
    /// links whatever the number of ranks.
    pub fn bus_factor(self, ranks: u32) -> f64 {
        let n = f64::from(ranks);
        match self {
            Collective::AllReduce => 2.0 * (n - 1.0) / n,
            Collective::ReduceScatter | Collective::AllGather | Collective::AllToAll => (n - 1.0) / n,
            Collective::Broadcast { .. } | Collective::Reduce { .. } => 1.0,
            Collective::SendRecv | Collective::Barrier | Collective::Custom => 1.0,
        }
    }
}
