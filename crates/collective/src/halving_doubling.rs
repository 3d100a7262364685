use std::ops::Range;

use units::Time;

use crate::{Algorithm, Channel, Collective, Cost, Layout, Op, OpKind, Part, Schedule, Source, Split};

/// All-reduce by recursive halving (reduce-scatter over distances 1, 2, 4, ...) and doubling (all-gather back).
///
/// The vector is halved and the distance doubled, as in MPICH, so that the most bytes go the shortest way. When the
/// number of ranks is no power of two, 2^k + e, the first 2e ranks pair up: the even one gives its data to the odd one
/// beforehand, sits out, and gets the result at the end.
#[derive(Clone, Debug)]
pub struct HalvingDoubling {
    layout: Layout,
    size: u64,
    channels: u32,
    reduce: bool,
}

/// What a rank does in one turn: what it sends and what it receives. Empty ranges are nothing.
struct Turn {
    peer: u32,
    sent: Range<u64>,
    received: Range<u64>,
    combine: bool,
}

impl HalvingDoubling {
    /// An all-reduce of `size` bytes. Every rank uses the NIC of its own GPU.
    pub fn new(layout: Layout, size: u64) -> HalvingDoubling {
        HalvingDoubling { layout, size, channels: 1, reduce: false }
    }

    /// With the data cut into this many independent parts (at least 1).
    pub fn with_channels(self, channels: u32) -> HalvingDoubling {
        assert!(channels > 0, "there is at least one channel");
        HalvingDoubling { channels, ..self }
    }

    /// With every reduction as an operation of its own; without, it costs no time.
    pub fn with_reduce(self) -> HalvingDoubling {
        HalvingDoubling { reduce: true, ..self }
    }

    /// k of 2^k, the ranks that take part in the exchanges.
    fn levels(&self) -> u32 {
        self.layout.ranks().ilog2()
    }

    /// e, the pairs that fold.
    fn folded(&self) -> u32 {
        self.layout.ranks() - (1 << self.levels())
    }

    /// The number of a rank among those that exchange; `None` when it sits out.
    fn number(&self, rank: u32) -> Option<u32> {
        if rank >= 2 * self.folded() {
            return Some(rank - self.folded());
        }
        (rank % 2 == 1).then_some(rank / 2)
    }

    fn rank_of(&self, number: u32) -> u32 {
        if number < self.folded() { 2 * number + 1 } else { number + self.folded() }
    }

    /// The other one of a folding pair.
    fn partner(&self, rank: u32) -> Option<u32> {
        (rank < 2 * self.folded()).then_some(rank ^ 1)
    }

    /// Turns of every rank, the first and last of them for folding.
    fn turns(&self) -> u64 {
        2 * u64::from(self.levels()) + 2
    }

    fn turn(&self, rank: u32, channel: u32, turn: u64) -> Turn {
        let all = Split::new(self.size, self.channels).range(channel);
        let (first, last) = (turn == 0, turn == self.turns() - 1);
        if first || last {
            let gives = first == self.number(rank).is_none();
            let nothing = Turn { peer: rank, sent: 0..0, received: 0..0, combine: first };
            return match self.partner(rank) {
                None => nothing,
                Some(peer) if gives => Turn { peer, sent: all, ..nothing },
                Some(peer) => Turn { peer, received: all, ..nothing },
            };
        }
        let Some(number) = self.number(rank) else {
            return Turn { peer: rank, sent: 0..0, received: 0..0, combine: false };
        };
        let step = turn as u32 - 1;
        let halving = step < self.levels();
        let level = if halving { step } else { 2 * self.levels() - 1 - step };
        let (mine, theirs) = (self.kept(number, level, &all), self.kept(number ^ (1 << level), level, &all));
        let peer = self.rank_of(number ^ (1 << level));
        let (sent, received) = if halving { (theirs, mine) } else { (mine, theirs) };
        Turn { peer, sent, received, combine: halving }
    }

    /// The bytes that a number keeps when it has halved at levels 0 to `level`.
    fn kept(&self, number: u32, level: u32, all: &Range<u64>) -> Range<u64> {
        let blocks = 1 << self.levels();
        let (first, count) = (0..=level).fold((0, blocks), |(first, count), level| {
            let half = count / 2;
            (first + (number >> level & 1) * half, half)
        });
        let split = Split::new(all.end - all.start, blocks);
        all.start + split.start(first)..all.start + split.start(first + count)
    }

    fn stride(&self) -> u32 {
        if self.reduce { 3 } else { 2 }
    }

    /// Everyone this rank exchanges with.
    fn peers(&self, rank: u32) -> Vec<u32> {
        let exchanges = self
            .number(rank)
            .into_iter()
            .flat_map(|number| (0..self.levels()).map(move |level| self.rank_of(number ^ (1 << level))));
        exchanges.chain(self.partner(rank)).collect()
    }
}

impl Schedule for HalvingDoubling {
    fn collective(&self) -> Collective {
        Collective::AllReduce
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::HalvingDoubling
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
        2 * self.stride()
    }

    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op> {
        let (turn, place) = (index / u64::from(self.stride()), index % u64::from(self.stride()));
        if turn >= self.turns() {
            return None;
        }
        let Turn { peer, sent, received, combine } = self.turn(rank, stream, turn);
        let received_size = received.end - received.start;
        Some(match place {
            0 => {
                let send = Op::send(peer, sent.end - sent.start, stream, Part(sent.start)).until_sent();
                // All earlier turns must be over, not only the last: its peer may have been faster than theirs.
                if turn == 0 { send } else { send.after(1).after(self.stride()) }
            }
            1 => Op::recv(peer, received_size, stream, Part(received.start), combine),
            _ => Op::new(OpKind::Reduce { size: if combine { received_size } else { 0 } }).after(1),
        })
    }

    /// 2 log2(n) alpha + 2 (n-1)/n S beta, of which the exchanges within a host are left out of the bytes; folding adds
    /// 2 (alpha + S beta), and what it costs that ranks which do not fold run ahead of those that do is left out.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        let outside = |a: u32, b: u32| self.layout.host(a) != self.layout.host(b);
        let rank = self.rank_of(0);
        let whole = 0..self.size;
        let half = |level: u32| {
            let kept = self.kept(0, level, &whole);
            let peer = self.rank_of(1 << level);
            if outside(rank, peer) { u128::from(kept.end - kept.start) } else { 0 }
        };
        let exchanged: u128 = (0..self.levels()).map(half).sum();
        let folds = self.partner(rank).is_some_and(|peer| outside(rank, peer));
        let messages = 2 * u64::from(self.levels()) + if self.folded() > 0 { 2 } else { 0 };
        Some(cost.time(messages, 2 * (exchanged + if folds { u128::from(self.size) } else { 0 })))
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        let peers = self.peers(rank);
        let of_tag = |tag| peers.iter().map(move |&to| Channel { to, tag, nic: None });
        (0..self.channels).flat_map(of_tag).collect()
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        // Everybody this rank sends to also sends to it.
        self.channels(rank).into_iter().map(|channel| Source { from: channel.to, tag: channel.tag }).collect()
    }
}
