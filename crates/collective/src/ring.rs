use units::Time;

use crate::{Algorithm, Channel, Collective, Cost, Layout, Op, OpKind, Part, Schedule, Source, Split};

/// Ring all-reduce, reduce-scatter or all-gather.
///
/// Every channel is a ring over all ranks (see [`Layout`]) that carries its share of every block. On its ring a rank
/// sends block p - 1 - s at step s and receives block p - 2 - s, where p is its position: after n - 1 steps it holds
/// the sum of its own block (reduce-scatter), after n - 1 more all sums (all-gather). A send waits until all of the
/// same slice of the step before has arrived; sends are detached.
///
/// Without [`Slicing`] a step is one message of size / (ranks x channels), which is what the closed form
/// 2(n-1) alpha + 2(n-1)/n S beta describes. With it the share is cut into slices (one message each), some slices make
/// a chunk, and a loop takes one chunk of every block all the way round before the next loop begins, as NCCL does.
///
/// Model: a send does not wait for room at its receiver, where NCCL has eight slots a connection. A rank whose
/// neighbour is late can therefore be up to n - 1 steps ahead of it, instead of eight slices; the late one still
/// sends step by step, so the end is the same, but the data for it is on the way earlier.
#[derive(Clone, Debug)]
pub struct Ring {
    phase: Phase,
    layout: Layout,
    size: u64,
    channels: u32,
    slicing: Option<Slicing>,
    reduce: bool,
}

/// How a channel's share of a block is cut into messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slicing {
    /// Bytes of one message, at least 1.
    pub slice: u64,
    /// Slices of one step, 1 to 4096.
    pub per_chunk: u32,
}

/// Which half of the all-reduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Both,
    Scatter,
    Gather,
}

impl Slicing {
    /// NCCL's shape: two slices in a chunk (1 MiB each for large data with the Simple protocol).
    pub const fn of(slice: u64) -> Slicing {
        Slicing { slice, per_chunk: 2 }
    }
}

impl Ring {
    /// An all-reduce of `size` bytes, with one channel per NIC of a host.
    pub fn all_reduce(layout: Layout, size: u64) -> Ring {
        Ring::new(Phase::Both, layout, size)
    }

    /// A reduce-scatter of `size` bytes in all, with one channel per NIC of a host.
    pub fn reduce_scatter(layout: Layout, size: u64) -> Ring {
        Ring::new(Phase::Scatter, layout, size)
    }

    /// An all-gather of `size` bytes in all, with one channel per NIC of a host.
    pub fn all_gather(layout: Layout, size: u64) -> Ring {
        Ring::new(Phase::Gather, layout, size)
    }

    fn new(phase: Phase, layout: Layout, size: u64) -> Ring {
        Ring { phase, layout, size, channels: layout.nics_per_host(), slicing: None, reduce: false }
    }

    /// With this many channels (at least 1). Channel c runs on rail c modulo the NICs of a host.
    pub fn with_channels(self, channels: u32) -> Ring {
        assert!(channels > 0, "a ring has at least one channel");
        Ring { channels, ..self }
    }

    /// With steps cut into slices.
    pub fn with_slicing(self, slicing: Slicing) -> Ring {
        assert!(slicing.slice > 0 && (1..=4096).contains(&slicing.per_chunk), "bytes in a slice, 1 to 4096 in a chunk");
        Ring { slicing: Some(slicing), ..self }
    }

    /// With a reduction of every slice as an operation of its own, one at a time per channel, between its arrival and
    /// its departure.
    ///
    /// Model: without this, adding what arrived costs no time (NCCL fuses it with the copy out of the receive buffer).
    pub fn with_reduce(self) -> Ring {
        Ring { reduce: true, ..self }
    }

    fn steps(&self) -> u64 {
        let once = u64::from(self.layout.ranks() - 1);
        if self.phase == Phase::Both { 2 * once } else { once }
    }

    fn slices(&self) -> u32 {
        self.slicing.map_or(1, |slicing| slicing.per_chunk)
    }

    fn stride(&self) -> u32 {
        if self.reduce { 3 } else { 2 }
    }

    /// How many times a channel goes round.
    fn loops(&self) -> u64 {
        let share = Split::new(Split::new(self.size, self.layout.ranks()).largest(), self.channels).largest();
        self.slicing.map_or(1, |s| share.div_ceil(s.slice.saturating_mul(u64::from(s.per_chunk))))
    }

    /// First byte and size of one message: the slice of a loop within a channel's share of a block.
    fn message(&self, block: u32, channel: u32, round: u64, slice: u32) -> (Part, u64) {
        let block = Split::new(self.size, self.layout.ranks()).range(block);
        let share = Split::new(block.end - block.start, self.channels).range(channel);
        let (first, last) = (block.start + share.start, block.start + share.end);
        let Some(slicing) = self.slicing else { return (Part(first), last - first) };
        let number = round * u64::from(slicing.per_chunk) + u64::from(slice);
        let start = first.saturating_add(number.saturating_mul(slicing.slice));
        (Part(start), last.saturating_sub(start).min(slicing.slice))
    }

    fn next(&self, rank: u32, channel: u32) -> u32 {
        let position = self.layout.position(channel, rank) + 1;
        self.layout.rank_at(channel, if position == self.layout.ranks() { 0 } else { position })
    }

    fn previous(&self, rank: u32, channel: u32) -> u32 {
        let position = self.layout.position(channel, rank);
        self.layout.rank_at(channel, if position == 0 { self.layout.ranks() } else { position } - 1)
    }

    /// The block that the rank at `position - back` owns.
    fn block_behind(&self, rank: u32, channel: u32, back: u64) -> u32 {
        let ranks = u64::from(self.layout.ranks());
        let position = (u64::from(self.layout.position(channel, rank)) + ranks - back % ranks) % ranks;
        self.layout.rank_at(channel, position as u32)
    }
}

impl Schedule for Ring {
    fn collective(&self) -> Collective {
        match self.phase {
            Phase::Both => Collective::AllReduce,
            Phase::Scatter => Collective::ReduceScatter,
            Phase::Gather => Collective::AllGather,
        }
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::Ring
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn ranks(&self) -> u32 {
        self.layout.ranks()
    }

    fn streams(&self, _rank: u32) -> u32 {
        self.channels
    }

    fn window(&self) -> u32 {
        2 * self.stride() * self.slices()
    }

    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op> {
        // A turn is one slice of one step of one loop: a send, a receive and perhaps a reduction.
        let (turn, place) = (index / u64::from(self.stride()), index % u64::from(self.stride()));
        let (group, slice) = (turn / u64::from(self.slices()), (turn % u64::from(self.slices())) as u32);
        let steps = self.steps();
        if steps == 0 || group >= steps * self.loops() {
            return None;
        }
        let (round, mut step) = (group / steps, group % steps);
        if self.phase == Phase::Gather {
            step += u64::from(self.layout.ranks() - 1);
        }
        let scatter = step < u64::from(self.layout.ranks() - 1);
        if place == 0 {
            let (part, size) = self.message(self.block_behind(rank, stream, step + 1), stream, round, slice);
            let send = Op::send(self.next(rank, stream), size, stream, part).detach();
            // The last operation of the same slice one step earlier. It is also what separates two loops.
            let last_of_turn = self.stride() * self.slices() - (self.stride() - 1);
            return Some(if group == 0 { send } else { send.after(last_of_turn) });
        }
        let (part, size) = self.message(self.block_behind(rank, stream, step + 2), stream, round, slice);
        if place == 1 {
            return Some(Op::recv(self.previous(rank, stream), size, stream, part, scatter));
        }
        let reduce = Op::new(OpKind::Reduce { size: if scatter { size } else { 0 } }).after(1);
        Some(if turn == 0 { reduce } else { reduce.after(self.stride()) })
    }

    fn analytic(&self, cost: Cost) -> Option<Time> {
        let (steps, rails) = (self.steps(), self.channels.min(self.layout.nics_per_host()));
        let bytes = u128::from(steps) * u128::from(self.size) / u128::from(self.layout.ranks());
        Some(cost.time(steps, bytes / u128::from(rails)))
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        let used = if self.layout.ranks() > 1 { self.channels } else { 0 };
        (0..used)
            .map(|tag| {
                let to = self.next(rank, tag);
                Channel { to, tag, nic: self.layout.rail_between(tag, rank, to) }
            })
            .collect()
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        let used = if self.layout.ranks() > 1 { self.channels } else { 0 };
        (0..used).map(|tag| Source { from: self.previous(rank, tag), tag }).collect()
    }
}
