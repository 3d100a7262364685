use std::ops::Range;

use units::Time;

use crate::traffic::Traffic;
use crate::{Algorithm, Channel, Collective, Cost, Layout, Op, Part, Schedule, Source};

/// All-to-all: every rank has something for every other.
///
/// At step s a rank sends to r + s and receives from r - s. The data for itself costs nothing.
#[derive(Clone, Debug)]
pub struct AllToAll {
    layout: Layout,
    traffic: Traffic,
    exchange: Exchange,
    pxn: bool,
}

/// In which order and how many at a time the exchanges of an all-to-all go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    /// Step s + `at_once` begins when the messages of all steps up to s have arrived: 1 is the textbook's pairwise exchange, eight
    /// is near NCCL's rounds. From 1 to 4096; sends do not wait for acknowledgements.
    Pairwise {
        /// Exchanges under way at a time.
        at_once: u32,
    },
    /// All sends are posted at the start.
    Direct,
}

impl Exchange {
    /// One exchange after another.
    pub const SEQUENTIAL: Exchange = Exchange::Pairwise { at_once: 1 };

    pub(crate) fn checked(self) -> Exchange {
        if let Exchange::Pairwise { at_once } = self {
            assert!((1..=4096).contains(&at_once), "1 to 4096 exchanges at a time");
        }
        self
    }

    pub(crate) fn window(self) -> u32 {
        match self {
            Exchange::Pairwise { at_once } => 2 * at_once + 2,
            Exchange::Direct => 4,
        }
    }

    pub(crate) fn algorithm(self) -> Algorithm {
        match self {
            Exchange::Pairwise { .. } => Algorithm::Pairwise,
            Exchange::Direct => Algorithm::Direct,
        }
    }

    /// How many messages one after another.
    pub(crate) fn rounds(self, ranks: u32) -> u64 {
        match self {
            Exchange::Pairwise { at_once } => u64::from((ranks - 1).div_ceil(at_once)),
            Exchange::Direct => u64::from(ranks > 1),
        }
    }

    /// The operation at `index` of an exchange over all other ranks; its 2(n-1) operations stand in a row. Dependencies
    /// are those within the row. A receive also waits for the one before it, which costs nothing (messages
    /// that are early are kept) and makes the last one mean that all have arrived.
    pub(crate) fn op(self, rank: u32, ranks: u32, index: u64, bytes: impl Fn(u32, u32) -> Range<u64>) -> Option<Op> {
        let others = u64::from(ranks - 1);
        if index >= 2 * others {
            return None;
        }
        let (step, sends, at_once) = match self {
            Exchange::Pairwise { at_once } => (index / 2, index.is_multiple_of(2), u64::from(at_once)),
            Exchange::Direct => (index % others, index < others, others),
        };
        let distance = step as u32 + 1;
        if sends {
            let to = (rank + distance) % ranks;
            let bytes = bytes(rank, to);
            let send = Op::send(to, bytes.end - bytes.start, 0, Part(bytes.start));
            if self == Exchange::Direct {
                return Some(send.detach());
            }
            // Both halves of an earlier exchange must be over: what it received is here, and what it sent has left.
            // With the receive alone a rank whose sends lag starts ever more of them at once.
            let earlier = 2 * at_once as u32;
            let send = send.until_sent();
            return Some(if step < at_once { send } else { send.after(earlier - 1).after(earlier) });
        }
        let from = (rank + ranks - distance) % ranks;
        let bytes = bytes(from, rank);
        let recv = Op::recv(from, bytes.end - bytes.start, 0, Part(bytes.start), false);
        let previous = if self == Exchange::Direct { 1 } else { 2 };
        Some(if step == 0 { recv } else { recv.after(previous) })
    }
}

impl AllToAll {
    /// All ranks send the same: `size` bytes each, counting their own share.
    pub fn uniform(layout: Layout, size: u64) -> AllToAll {
        AllToAll::of(layout, Traffic::uniform(layout.ranks(), size))
    }

    /// What rank `src` sends to rank `dst` is `size(src, dst)` bytes.
    pub fn variable(layout: Layout, size: impl FnMut(u32, u32) -> u64) -> AllToAll {
        AllToAll::of(layout, Traffic::table(layout.ranks(), size))
    }

    fn of(layout: Layout, traffic: Traffic) -> AllToAll {
        AllToAll { layout, traffic, exchange: Exchange::SEQUENTIAL, pxn: false }
    }

    /// With another order than one exchange after another.
    pub fn with_exchange(self, exchange: Exchange) -> AllToAll {
        AllToAll { exchange: exchange.checked(), ..self }
    }

    /// With NCCL's PXN: data for GPU j of another host leaves by the NIC of the local GPU j, so that it stays on one
    /// rail.
    pub fn with_pxn(self) -> AllToAll {
        AllToAll { pxn: true, ..self }
    }
}

impl Schedule for AllToAll {
    fn collective(&self) -> Collective {
        Collective::AllToAll
    }

    fn algorithm(&self) -> Algorithm {
        self.exchange.algorithm()
    }

    /// What the rank that sends most sends.
    fn size(&self) -> u64 {
        self.traffic.largest_row()
    }

    fn ranks(&self) -> u32 {
        self.layout.ranks()
    }

    fn streams(&self, _rank: u32) -> u32 {
        1
    }

    fn window(&self) -> u32 {
        self.exchange.window()
    }

    fn op(&self, rank: u32, _stream: u32, index: u64) -> Option<Op> {
        self.exchange.op(rank, self.layout.ranks(), index, |src, dst| self.traffic.bytes(src, dst))
    }

    /// (rounds) alpha + the bytes that the busiest rank sends to or gets from other hosts.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        Some(cost.time(self.exchange.rounds(self.layout.ranks()), self.traffic.busiest(&self.layout)))
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        all_channels(&self.layout, rank, self.pxn)
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        all_sources(&self.layout, rank)
    }

    fn exchange(&self, src: u32, dst: u32) -> [Range<u64>; 2] {
        [self.traffic.bytes(src, dst), 0..0]
    }
}

/// A channel to every other rank.
pub(crate) fn all_channels(layout: &Layout, rank: u32, pxn: bool) -> Vec<Channel> {
    let nic = |to| (pxn && layout.host(to) != layout.host(rank)).then(|| layout.nic(to));
    (0..layout.ranks()).filter(|&to| to != rank).map(|to| Channel { to, tag: 0, nic: nic(to) }).collect()
}

/// A channel from every other rank.
pub(crate) fn all_sources(layout: &Layout, rank: u32) -> Vec<Source> {
    (0..layout.ranks()).filter(|&from| from != rank).map(|from| Source { from, tag: 0 }).collect()
}
