use units::Time;

use crate::relay::{Peers, Pipeline, Relay};
use crate::{Algorithm, Channel, Collective, Cost, Layout, Op, Schedule, Source, Split, TreeNode};

/// All-reduce over binary trees: sums go up, results come down at the same time, message by message.
///
/// Trees are over hosts, with NCCL's shape (see [`TreeNode`]); inside a host a chain goes through the GPUs in the
/// channel's ring order, and its first GPU has the links to parent and children. With two trees the first half of the
/// channels uses one and the second half the other, so each carries half the data. A rank has two streams a channel,
/// up and down; the root of a tree does both in the first.
///
/// Model: NCCL's plain tree (parent and children at the first GPU), which it uses on Hopper; the balanced and split
/// variants of older GPUs, with links at the second GPU, are not modelled.
#[derive(Clone, Debug)]
pub struct Tree {
    layout: Layout,
    size: u64,
    /// Channels of one tree.
    channels: u32,
    double: bool,
    pipeline: Pipeline,
    reduce: bool,
}

impl Tree {
    /// With one tree, and one channel per NIC of a host.
    pub fn single(layout: Layout, size: u64) -> Tree {
        let channels = layout.nics_per_host();
        Tree { layout, size, channels, double: false, pipeline: Pipeline::NCCL, reduce: false }
    }

    /// With NCCL's double binary tree, and two channels per NIC of a host, one in each tree.
    pub fn double(layout: Layout, size: u64) -> Tree {
        Tree { double: true, ..Tree::single(layout, size) }
    }

    /// With this many channels in each tree (at least 1). Channel c of a tree runs on rail c modulo the NICs of a host.
    pub fn with_channels_per_tree(self, channels: u32) -> Tree {
        assert!(channels > 0, "a tree has at least one channel");
        Tree { channels, ..self }
    }

    /// With other messages than NCCL's.
    pub fn with_pipeline(self, pipeline: Pipeline) -> Tree {
        Tree { pipeline: pipeline.checked(), ..self }
    }

    /// With a reduction of every message as an operation of its own; without, it costs no time.
    pub fn with_reduce(self) -> Tree {
        Tree { reduce: true, ..self }
    }

    fn all_channels(&self) -> u32 {
        if self.double { 2 * self.channels } else { self.channels }
    }

    fn node(&self, channel: u32, host: u32) -> TreeNode {
        let tree = if channel < self.channels { TreeNode::first } else { TreeNode::second };
        tree(self.layout.hosts(), host)
    }

    /// The rank above a rank, and those below.
    fn neighbours(&self, rank: u32, channel: u32) -> (Option<u32>, Peers) {
        let (rail, host) = (channel % self.channels, self.layout.host(rank));
        let first = |host| self.layout.first_on(rail, host);
        let here = self.layout.position(rail, rank);
        let last = self.layout.position(rail, first(host)) + self.layout.gpus_on(host) - 1;
        let next = (here < last).then(|| self.layout.rank_at(rail, here + 1));
        if rank != first(host) {
            return (Some(self.layout.rank_at(rail, here - 1)), Peers::from_iter(next));
        }
        let node = self.node(channel, host);
        let below = node.children.into_iter().flatten().map(first).chain(next);
        (node.parent.map(first), Peers::from_iter(below))
    }

    fn relay(&self, rank: u32, stream: u32) -> Relay {
        let (tag, up) = (stream / 2, stream.is_multiple_of(2));
        let (above, below) = self.neighbours(rank, tag);
        let above = Peers::from_iter(above);
        let root = above == Peers::default();
        let (inputs, outputs) = match (root, up) {
            (false, true) => (below, above),
            (false, false) => (above, below),
            (true, true) => (below, below),
            (true, false) => (above, above),
        };
        Relay { inputs, outputs, tag, combine: up, reduce: self.reduce }
    }

    /// The most messages for other hosts that any host sends for one part of the data, up and down, over all trees,
    /// and the number of parts.
    fn busiest(&self) -> (u64, u64) {
        let trees = if self.double { 2 } else { 1 };
        let sent = |host| {
            let nodes = (0..trees).map(|tree| self.node(tree * self.channels, host));
            nodes.map(|n| n.children.iter().flatten().count() as u64 + u64::from(n.parent.is_some())).sum::<u64>()
        };
        ((0..self.layout.hosts()).map(sent).max().unwrap_or(0), u64::from(trees))
    }
}

impl Schedule for Tree {
    fn collective(&self) -> Collective {
        Collective::AllReduce
    }

    fn algorithm(&self) -> Algorithm {
        if self.double { Algorithm::DoubleBinaryTree } else { Algorithm::Tree }
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn ranks(&self) -> u32 {
        self.layout.ranks()
    }

    fn streams(&self, _rank: u32) -> u32 {
        2 * self.all_channels()
    }

    fn window(&self) -> u32 {
        // A root on a host with several GPUs: one child or two and the next in the chain, received from and sent to.
        Relay::window(self.pipeline, 7)
    }

    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op> {
        let share = Split::new(self.size, self.all_channels()).range(stream / 2);
        self.relay(rank, stream).op(index, share.start, share.end, self.pipeline)
    }

    /// 2 depth alpha + k S beta over the NICs of a host, and the message that fills the pipeline at every level. k
    /// counts the copies that the busiest host sends: 1 for two hosts and 2 for four or more with two trees, 3 with one
    /// tree.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        let hops = 2 * u64::from(TreeNode::depth(self.layout.hosts()));
        let rails = u64::from(self.all_channels().min(self.layout.nics_per_host()));
        let (copies, parts) = self.busiest();
        let share = u128::from(self.size / rails);
        let message = u128::from(self.pipeline.slice.min(self.size / u64::from(self.all_channels())));
        let fill = u128::from(hops.saturating_sub(1)) * message;
        let wire = share * u128::from(copies) / u128::from(parts) + fill;
        Some(cost.time(hops, if hops == 0 { 0 } else { wire }))
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        let of_tag = |tag| {
            let (above, below) = self.neighbours(rank, tag);
            let peers: Vec<u32> = above.into_iter().chain(below.as_slice().iter().copied()).collect();
            let nic = move |to| self.layout.rail_between(tag % self.channels, rank, to);
            peers.into_iter().map(move |to| Channel { to, tag, nic: nic(to) })
        };
        (0..self.all_channels()).flat_map(of_tag).collect()
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        // Every link is used both ways.
        self.channels(rank).into_iter().map(|channel| Source { from: channel.to, tag: channel.tag }).collect()
    }
}
