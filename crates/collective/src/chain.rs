use units::Time;

use crate::relay::{Peers, Pipeline, Relay};
use crate::{Algorithm, Channel, Collective, Cost, Layout, Op, Schedule, Source, Split};

/// Broadcast or reduce along the ring, cut open at the root: a pipelined chain, as NCCL does it.
///
/// Every channel takes its share of the data along its own ring (see [`Layout`]). A broadcast begins at the root, a
/// reduce ends there.
#[derive(Clone, Debug)]
pub struct Chain {
    collective: Collective,
    root: u32,
    layout: Layout,
    size: u64,
    channels: u32,
    pipeline: Pipeline,
    reduce: bool,
}

impl Chain {
    /// A broadcast of the `size` bytes of rank `root`.
    pub fn broadcast(layout: Layout, size: u64, root: u32) -> Chain {
        Chain::new(Collective::Broadcast { root }, layout, size, root)
    }

    /// A reduction of `size` bytes to rank `root`.
    pub fn reduce(layout: Layout, size: u64, root: u32) -> Chain {
        Chain::new(Collective::Reduce { root }, layout, size, root)
    }

    fn new(collective: Collective, layout: Layout, size: u64, root: u32) -> Chain {
        assert!(root < layout.ranks(), "the root is one of the ranks");
        let channels = layout.nics_per_host();
        Chain { collective, root, layout, size, channels, pipeline: Pipeline::NCCL, reduce: false }
    }

    /// With this many channels (at least 1) instead of one per NIC of a host.
    pub fn with_channels(self, channels: u32) -> Chain {
        assert!(channels > 0, "a chain has at least one channel");
        Chain { channels, ..self }
    }

    /// With other messages than NCCL's.
    pub fn with_pipeline(self, pipeline: Pipeline) -> Chain {
        Chain { pipeline: pipeline.checked(), ..self }
    }

    /// With a reduction of every slice as an operation of its own; without, it costs no time.
    pub fn with_reduce(self) -> Chain {
        Chain { reduce: true, ..self }
    }

    fn relay(&self, rank: u32, channel: u32) -> Relay {
        let (ranks, combine) = (self.layout.ranks(), self.collective != Collective::Broadcast { root: self.root });
        let (here, root) = (self.layout.position(channel, rank), self.layout.position(channel, self.root));
        let begin = if combine { (root + 1) % ranks } else { root };
        let along = (here + ranks - begin) % ranks;
        let previous = (along > 0).then(|| self.layout.rank_at(channel, (here + ranks - 1) % ranks));
        let next = (along + 1 < ranks).then(|| self.layout.rank_at(channel, (here + 1) % ranks));
        let (inputs, outputs) = (Peers::from_iter(previous), Peers::from_iter(next));
        Relay { inputs, outputs, tag: channel, combine, reduce: self.reduce }
    }
}

impl Schedule for Chain {
    fn collective(&self) -> Collective {
        self.collective
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::Chain
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
        Relay::window(self.pipeline, 3)
    }

    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op> {
        let share = Split::new(self.size, self.channels).range(stream);
        self.relay(rank, stream).op(index, share.start, share.end, self.pipeline)
    }

    /// (n-1) alpha + S beta, and n - 2 times the slice that fills the pipeline.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        let (hops, rails) = (u64::from(self.layout.ranks() - 1), self.channels.min(self.layout.nics_per_host()));
        let share = self.size / u64::from(rails);
        let fill = u128::from(hops.saturating_sub(1)) * u128::from(share.min(self.pipeline.slice));
        Some(if hops == 0 { Time::ZERO } else { cost.time(hops, u128::from(share) + fill) })
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        let to = |tag| self.relay(rank, tag).outputs.as_slice().first().copied();
        let nic = |tag, to| self.layout.rail_between(tag, rank, to);
        (0..self.channels).filter_map(|tag| to(tag).map(|to| Channel { to, tag, nic: nic(tag, to) })).collect()
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        let from = |tag| self.relay(rank, tag).inputs.as_slice().first().copied();
        (0..self.channels).filter_map(|tag| from(tag).map(|from| Source { from, tag })).collect()
    }
}
