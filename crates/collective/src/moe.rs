use std::ops::Range;

use units::Time;

use crate::all_to_all::{all_channels, all_sources};
use crate::traffic::Traffic;
use crate::{Algorithm, Channel, Collective, Cost, Exchange, Layout, Op, OpKind, Routing, Schedule, Source};

/// The communication of one mixture-of-experts layer: tokens go to their experts (dispatch), the experts compute, and
/// the results come back (combine). Both are all-to-alls of uneven amounts, given by a [`Routing`].
///
/// A rank begins its combine when all tokens for its experts have come and been computed.
#[derive(Clone, Debug)]
pub struct Moe {
    layout: Layout,
    dispatch: Traffic,
    combine: Traffic,
    /// Where the combine begins in the logical buffer.
    offset: u64,
    compute: Time,
    exchange: Exchange,
    pxn: bool,
}

impl Moe {
    /// `dispatch` and `combine` are the bytes of one copy of a token on the way out and back (for example hidden size
    /// in FP8 with its scales, and in BF16).
    ///
    /// # Panics
    /// When the routing is for another number of ranks.
    pub fn new(layout: Layout, routing: &Routing, dispatch: u64, combine: u64) -> Moe {
        assert!(routing.ranks() == layout.ranks(), "the routing is for these ranks");
        let dispatch = Traffic::table(layout.ranks(), |src, dst| routing.copies(src, dst) * dispatch);
        let combine = Traffic::table(layout.ranks(), |src, dst| routing.copies(dst, src) * combine);
        let offset = dispatch.end();
        Moe { layout, dispatch, combine, offset, compute: Time::ZERO, exchange: Exchange::Direct, pxn: false }
    }

    /// With this time for the experts on every rank.
    ///
    /// Model: the same on all ranks, however many tokens each got.
    pub fn with_compute(self, compute: Time) -> Moe {
        Moe { compute, ..self }
    }

    /// Staggered (pairwise) instead of everything at once.
    pub fn with_exchange(self, exchange: Exchange) -> Moe {
        Moe { exchange: exchange.checked(), ..self }
    }

    /// With NCCL's PXN, see [`AllToAll::with_pxn`](crate::AllToAll::with_pxn).
    pub fn with_pxn(self) -> Moe {
        Moe { pxn: true, ..self }
    }

    /// The bytes of the combine, which follow those of the dispatch.
    fn back(&self, src: u32, dst: u32) -> Range<u64> {
        let bytes = self.combine.bytes(src, dst);
        self.offset + bytes.start..self.offset + bytes.end
    }
}

impl Schedule for Moe {
    fn collective(&self) -> Collective {
        Collective::AllToAll
    }

    fn algorithm(&self) -> Algorithm {
        self.exchange.algorithm()
    }

    /// What the rank that sends most sends in the dispatch and, perhaps another, in the combine.
    fn size(&self) -> u64 {
        self.dispatch.largest_row() + self.combine.largest_row()
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
        let ranks = self.layout.ranks();
        let exchanges = 2 * u64::from(ranks - 1);
        if index < exchanges {
            return self.exchange.op(rank, ranks, index, |src, dst| self.dispatch.bytes(src, dst));
        }
        if index == exchanges {
            // The operation before is the last receive, which means all of them.
            let compute = Op::new(OpKind::Compute { time: self.compute });
            return Some(if exchanges == 0 { compute } else { compute.after(1) });
        }
        let index = index - exchanges - 1;
        let op = self.exchange.op(rank, ranks, index, |src, dst| self.back(src, dst))?;
        Some(self.hold_back(op, index))
    }

    /// Twice the closed form of an all-to-all, and the experts between.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        let rounds = self.exchange.rounds(self.layout.ranks());
        let phase = |traffic: &Traffic| cost.time(rounds, traffic.busiest(&self.layout));
        Some(phase(&self.dispatch).saturating_add(self.compute).saturating_add(phase(&self.combine)))
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        all_channels(&self.layout, rank, self.pxn)
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        all_sources(&self.layout, rank)
    }

    fn exchange(&self, src: u32, dst: u32) -> [Range<u64>; 2] {
        [self.dispatch.bytes(src, dst), self.back(src, dst)]
    }
}

impl Moe {
    /// The operation at `index` of the combine, waiting for the experts: the first one itself, later sends by coming
    /// after the send before, the first receive after a send, later receives because they keep their order (as they
    /// must: they use the channels of the dispatch).
    fn hold_back(&self, op: Op, index: u64) -> Op {
        let back = if self.exchange == Exchange::Direct { 1 } else { 2 };
        match op.kind {
            _ if index == 0 => op.after(1),
            OpKind::Send { .. } => op.after_start(back),
            _ if op.deps[0].is_none() => op.after_start(1),
            _ => op,
        }
    }
}
