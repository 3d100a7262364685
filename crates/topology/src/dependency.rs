use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use units::PortId;

use crate::graph::Topology;
use crate::routes::Routes;

/// A directed link in a class of traffic: what packets wait for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Channel {
    /// The link that leaves this port.
    pub port: PortId,
    /// Priority or virtual lane.
    pub class: u8,
}

/// Which channels wait for which: an edge from c to d when some route takes d right after c (Dally and Seitz, 1987).
///
/// Links into hosts are left out, because hosts consume what arrives. Without a cycle no load can deadlock; with one,
/// some load may.
///
/// Model: packets keep their class all the way, and nothing inside a host couples what it receives with what it sends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DependencyGraph {
    channels: BTreeSet<Channel>,
    edges: BTreeSet<(Channel, Channel)>,
}

/// A strongly connected part of a dependency graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// All channels that are in some cycle with each other, in order.
    pub channels: Vec<Channel>,
    /// A shortest cycle through them, each channel waiting for the next and the last for the first; it begins with
    /// its lowest channel.
    pub shortest: Vec<Channel>,
}

/// The dependencies of routes in one class.
pub fn dependencies(topology: &Topology, class: u8, paths: impl IntoIterator<Item = Vec<PortId>>) -> DependencyGraph {
    let mut graph = DependencyGraph::default();
    for path in paths {
        graph.add(topology, class, &path);
    }
    graph
}

impl DependencyGraph {
    /// Adds a route: the ports that a packet leaves by.
    pub fn add(&mut self, topology: &Topology, class: u8, path: &[PortId]) {
        let mut last = None;
        for port in path.iter().filter(|p| topology.is_switch(topology.neighbour(**p))) {
            let channel = Channel { port: *port, class };
            self.channels.insert(channel);
            if let Some(last) = last.replace(channel) {
                self.edges.insert((last, channel));
            }
        }
    }

    /// Adds every way that the tables allow from some NICs to one: all that a choice per packet may take.
    pub fn add_ways(
        &mut self,
        topology: &Topology,
        routes: &Routes,
        class: u8,
        sources: impl IntoIterator<Item = u32>,
        dst_nic: u32,
    ) {
        let nics = sources.into_iter().filter(|nic| *nic != dst_nic).map(|nic| topology.nics[nic as usize]);
        let mut open: Vec<PortId> = nics.filter(|p| topology.is_switch(topology.neighbour(*p))).collect();
        let mut seen: BTreeSet<PortId> = open.iter().copied().collect();
        while let Some(port) = open.pop() {
            let channel = Channel { port, class };
            self.channels.insert(channel);
            let at = topology.neighbour(port);
            for next in routes.next_hops(at, dst_nic).iter().map(|local| topology.port_at(at, *local)) {
                if !topology.is_switch(topology.neighbour(next)) {
                    continue;
                }
                self.edges.insert((channel, Channel { port: next, class }));
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }

    /// The channels in use, in order.
    pub fn channels(&self) -> impl Iterator<Item = Channel> {
        self.channels.iter().copied()
    }

    /// The dependencies, in order.
    pub fn edges(&self) -> impl Iterator<Item = (Channel, Channel)> {
        self.edges.iter().copied()
    }

    /// The strongly connected parts with a cycle, in the order of their lowest channels.
    pub fn cycles(&self) -> Vec<Cycle> {
        let graph = self.graph();
        let looped = |n: NodeIndex| graph.contains_edge(n, n);
        let parts = tarjan_scc(&graph).into_iter().filter(|part| part.len() > 1 || looped(part[0]));
        let mut cycles: Vec<Cycle> = parts
            .map(|mut part| {
                part.sort_unstable();
                Cycle {
                    channels: part.iter().map(|n| graph[*n]).collect(),
                    shortest: shortest(&graph, &part).into_iter().map(|n| graph[n]).collect(),
                }
            })
            .collect();
        cycles.sort_by(|a, b| a.channels.cmp(&b.channels));
        cycles
    }

    /// As text for Graphviz, the channels of cycles in red.
    pub fn dot(&self, topology: &Topology) -> String {
        let in_cycle: BTreeMap<Channel, usize> =
            self.cycles().iter().enumerate().flat_map(|(i, c)| c.channels.iter().map(move |c| (*c, i))).collect();
        let name = |c: &Channel| format!("\"{} class {}\"", topology.port_name(c.port).replace('"', "'"), c.class);
        let mut dot = String::from("digraph dependencies {\n  node [shape=box];\n");
        for channel in self.channels.iter().filter(|c| in_cycle.contains_key(c)) {
            writeln!(dot, "  {} [color=red];", name(channel)).expect("a String takes everything");
        }
        for (from, to) in &self.edges {
            let both = in_cycle.get(from).is_some_and(|part| in_cycle.get(to) == Some(part));
            let colour = if both { " [color=red]" } else { "" };
            writeln!(dot, "  {} -> {}{colour};", name(from), name(to)).expect("a String takes everything");
        }
        dot.push_str("}\n");
        dot
    }

    /// As a petgraph, nodes in the order of the channels.
    pub fn graph(&self) -> DiGraph<Channel, ()> {
        let mut graph = DiGraph::with_capacity(self.channels.len(), self.edges.len());
        let nodes: BTreeMap<Channel, NodeIndex> = self.channels.iter().map(|c| (*c, graph.add_node(*c))).collect();
        for (from, to) in &self.edges {
            graph.add_edge(nodes[from], nodes[to], ());
        }
        graph
    }
}

/// How many channels of a part are tried as the beginning of its shortest cycle. In a larger part the cycle that is
/// shown may be longer than the shortest.
const STARTS: usize = 256;

/// A shortest cycle among the nodes of a strongly connected part.
fn shortest(graph: &DiGraph<Channel, ()>, part: &[NodeIndex]) -> Vec<NodeIndex> {
    let within: BTreeSet<NodeIndex> = part.iter().copied().collect();
    let mut best: Option<Vec<NodeIndex>> = None;
    for start in part.iter().take(STARTS) {
        let limit = best.as_ref().map_or(usize::MAX, |b| b.len());
        if let Some(cycle) = cycle_from(graph, &within, *start, limit) {
            best = Some(cycle);
        }
    }
    best.expect("every node of a strongly connected part lies on a cycle")
}

/// The shortest cycle through a node if it has fewer than `limit` nodes.
fn cycle_from(
    graph: &DiGraph<Channel, ()>,
    within: &BTreeSet<NodeIndex>,
    start: NodeIndex,
    limit: usize,
) -> Option<Vec<NodeIndex>> {
    let mut from: BTreeMap<NodeIndex, (NodeIndex, usize)> = BTreeMap::new();
    let mut queue = VecDeque::from([(start, 1)]);
    while let Some((at, length)) = queue.pop_front() {
        if length >= limit {
            return None;
        }
        let mut next: Vec<NodeIndex> = graph.neighbors(at).filter(|n| within.contains(n)).collect();
        next.sort_unstable();
        for to in next {
            if to == start {
                return Some(back(&from, start, at));
            }
            from.entry(to).or_insert_with(|| {
                queue.push_back((to, length + 1));
                (at, length)
            });
        }
    }
    None
}

/// The way from `start` to `end`, beginning with its lowest node.
fn back(from: &BTreeMap<NodeIndex, (NodeIndex, usize)>, start: NodeIndex, end: NodeIndex) -> Vec<NodeIndex> {
    let mut cycle = vec![end];
    while cycle[cycle.len() - 1] != start {
        cycle.push(from[&cycle[cycle.len() - 1]].0);
    }
    cycle.reverse();
    let lowest = (0..cycle.len()).min_by_key(|i| cycle[*i]).expect("a cycle has a node");
    cycle.rotate_left(lowest);
    cycle
}
