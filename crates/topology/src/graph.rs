use std::fmt::Write;

use petgraph::graph::DiGraph;
use units::{NodeId, PortId, Rate, Time};

use crate::shape::Shape;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A server: sends and consumes, never forwards.
    Host {
        /// GPUs in it.
        gpus: u16,
    },
    /// Forwards.
    Switch {
        /// 0: attached to hosts (leaf), 1: spine, 2: core. In custom graphs the distance from the nearest switch
        /// that has a host.
        tier: u8,
    },
}

/// A host or a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Stable and readable: `h3`, `leaf0`, `spine1`; custom graphs name their own.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Its ports are `first_port .. first_port + ports`.
    pub first_port: u32,
    /// How many ports are cabled.
    pub ports: u16,
}

/// One end of a cable, and the directed link that leaves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Whose port it is.
    pub node: NodeId,
    /// The other end of the cable.
    pub peer: PortId,
    /// Rate of the link, the same in both directions.
    pub rate: Rate,
    /// Propagation delay of the cable.
    pub delay: Time,
    /// Probability that the link loses a packet, in units of 2^-32.
    pub loss: u32,
    /// Number of the NIC in the whole fabric, if the node is a host.
    pub nic: Option<u32>,
}

/// What is cabled: hosts first, then switches; ports numbered node by node; NICs numbered host by host.
///
/// Every port of a host is a NIC and hosts come first, so NIC n is port n.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Topology {
    /// Hosts (`h0` ...), then switches.
    pub nodes: Vec<Node>,
    /// Node by node.
    pub ports: Vec<Port>,
    /// The host port of each NIC.
    pub nics: Vec<PortId>,
    pub(crate) hosts: u32,
    pub(crate) shape: Shape,
    /// All nodes in the order of their names.
    pub(crate) by_name: Vec<NodeId>,
}

impl Topology {
    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// How many switches there are.
    pub fn switches(&self) -> u32 {
        self.nodes.len() as u32 - self.hosts
    }

    /// GPUs in all hosts.
    pub fn gpus(&self) -> u32 {
        let gpus = |n: &Node| match n.kind {
            NodeKind::Host { gpus } => u32::from(gpus),
            NodeKind::Switch { .. } => 0,
        };
        self.nodes.iter().map(gpus).sum()
    }

    /// Cables, each counted once.
    pub fn cables(&self) -> u32 {
        (self.ports.len() / 2) as u32
    }

    /// What kind of fabric this is.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let found = self.by_name.binary_search_by(|n| self.nodes[n.index()].name.as_str().cmp(name)).ok()?;
        Some(self.by_name[found])
    }

    /// The number of a host's n-th NIC in the whole fabric; `None` for a switch or a NIC it has not.
    pub fn host_nic(&self, host: NodeId, nic: u16) -> Option<u32> {
        let node = self.nodes.get(host.index())?;
        (host.0 < self.hosts && nic < node.ports).then(|| node.first_port + u32::from(nic))
    }

    /// Whether a node forwards.
    pub fn is_switch(&self, node: NodeId) -> bool {
        node.0 >= self.hosts
    }

    /// Tier of a switch; `None` for a host.
    pub fn tier(&self, node: NodeId) -> Option<u8> {
        match self.nodes[node.index()].kind {
            NodeKind::Host { .. } => None,
            NodeKind::Switch { tier } => Some(tier),
        }
    }

    /// The switches.
    pub fn switch_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.hosts..self.nodes.len() as u32).map(NodeId)
    }

    /// The ports of a node.
    pub fn ports_of(&self, node: NodeId) -> impl Iterator<Item = PortId> + use<> {
        let node = &self.nodes[node.index()];
        (node.first_port..node.first_port + u32::from(node.ports)).map(PortId)
    }

    /// The node at the other end of a port's cable.
    pub fn neighbour(&self, port: PortId) -> NodeId {
        self.ports[self.ports[port.index()].peer.index()].node
    }

    /// The number of a port within its node.
    pub fn local(&self, port: PortId) -> u16 {
        (port.0 - self.nodes[self.ports[port.index()].node.index()].first_port) as u16
    }

    /// The port of a node by its local number.
    pub fn port_at(&self, node: NodeId, local: u16) -> PortId {
        PortId(self.nodes[node.index()].first_port + u32::from(local))
    }

    /// `leaf0->spine1`, the link that leaves the port. Of parallel links the first has this plain name, the second is
    /// `leaf0->spine1#2`, the n-th `#n`, counted in the order of their cabling, so that both directions of a cable
    /// have the same number.
    pub fn port_name(&self, port: PortId) -> String {
        let to = self.neighbour(port);
        let node = self.ports[port.index()].node;
        let first = self.nodes[node.index()].first_port;
        let earlier = (first..port.0).filter(|p| self.neighbour(PortId(*p)) == to).count();
        let mut name = format!("{}->{}", self.nodes[node.index()].name, self.nodes[to.index()].name);
        if earlier > 0 {
            write!(name, "#{}", earlier + 1).expect("a String takes everything");
        }
        name
    }

    /// The port of that name, as [`Topology::port_name`] gives it; `#1` may be written for the first of parallel
    /// links, and a NIC may stand for its host: `h3.nic2->leaf2`, `leaf2->h3.nic2`.
    pub fn port(&self, name: &str) -> Option<PortId> {
        let (from, to) = name.split_once("->")?;
        let (to, nth) = match to.rsplit_once('#') {
            Some((to, n)) => (to, n.parse::<usize>().ok()?.checked_sub(1)?),
            None => (to, 0),
        };
        let ((from, from_nic), (to, to_nic)) = (self.end(from)?, self.end(to)?);
        let fits = |p: &PortId| {
            self.neighbour(*p) == to
                && from_nic.is_none_or(|nic| p.0 == nic)
                && to_nic.is_none_or(|nic| self.ports[p.index()].peer.0 == nic)
        };
        self.ports_of(from).filter(fits).nth(nth)
    }

    /// One side of a port's name: a node, and the NIC if it was named.
    fn end(&self, name: &str) -> Option<(NodeId, Option<u32>)> {
        if let Some(node) = self.node(name) {
            return Some((node, None));
        }
        let (host, nic) = name.rsplit_once(".nic")?;
        let host = self.node(host)?;
        Some((host, Some(self.host_nic(host, nic.parse().ok()?)?)))
    }

    /// As a petgraph: nodes and directed links, in the order of their ids.
    pub fn graph(&self) -> DiGraph<NodeId, PortId> {
        let mut graph = DiGraph::with_capacity(self.nodes.len(), self.ports.len());
        let nodes: Vec<_> = (0..self.nodes.len() as u32).map(|n| graph.add_node(NodeId(n))).collect();
        for (p, port) in self.ports.iter().enumerate() {
            let to = self.ports[port.peer.index()].node;
            graph.add_edge(nodes[port.node.index()], nodes[to.index()], PortId(p as u32));
        }
        graph
    }
}
