use units::{NodeId, PortId, Rate, Time};

use crate::error::TopologyError;
use crate::graph::{Node, NodeKind, Port, Topology};
use crate::shape::Shape;

/// What a cable is like, in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wire {
    pub(crate) rate: Rate,
    pub(crate) delay: Time,
    pub(crate) loss: u32,
}

impl Wire {
    /// Refuses what can carry nothing, and what would carry it in no time.
    pub(crate) fn check(&self, rate: &str, delay: &str) -> Result<(), TopologyError> {
        if self.rate == Rate::ZERO {
            return Err(TopologyError::new(rate, "a link of zero rate carries nothing", "give it a rate"));
        }
        if self.delay == Time::ZERO {
            let reason = "a cable without delay is not modelled: its ends must be apart in time";
            return Err(TopologyError::new(delay, reason, "at least 1 ps"));
        }
        Ok(())
    }
}

/// Nodes and cables on their way to a [`Topology`]: hosts first, each node's ports in the order of its cables.
pub(crate) struct Cabling {
    nodes: Vec<Node>,
    cables: Vec<(NodeId, NodeId, Wire)>,
}

impl Cabling {
    /// Room for what is known to come; the caller has checked the counts against the limits.
    pub(crate) fn with_capacity(nodes: u64, cables: u64) -> Cabling {
        Cabling { nodes: Vec::with_capacity(nodes as usize), cables: Vec::with_capacity(cables as usize) }
    }

    /// Adds a node. All hosts come before the first switch.
    pub(crate) fn node(&mut self, name: String, kind: NodeKind) -> NodeId {
        debug_assert!(
            matches!(kind, NodeKind::Switch { .. })
                || self.nodes.last().is_none_or(|n| matches!(n.kind, NodeKind::Host { .. })),
            "hosts come first"
        );
        self.nodes.push(Node { name, kind, first_port: 0, ports: 0 });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a cable; it takes the next port at both ends.
    pub(crate) fn cable(&mut self, a: NodeId, b: NodeId, wire: Wire) {
        self.cables.push((a, b, wire));
    }

    /// Numbers the ports. Fails when a node has more than 65,535.
    pub(crate) fn finish(mut self, shape: Shape) -> Result<Topology, TopologyError> {
        let mut ends = vec![0u32; self.nodes.len()];
        for (a, b, _) in &self.cables {
            ends[a.index()] += 1;
            ends[b.index()] += 1;
        }
        let mut next = 0;
        for (node, ends) in self.nodes.iter_mut().zip(&mut ends) {
            node.first_port = next;
            node.ports = u16::try_from(*ends).map_err(|_| too_many_ports(&node.name, *ends))?;
            next += *ends;
            *ends = node.first_port;
        }
        let hosts = self.nodes.iter().take_while(|n| matches!(n.kind, NodeKind::Host { .. })).count() as u32;
        let ports = self.ports(ends, hosts);
        let nics = ports.iter().filter_map(|p| p.nic).map(PortId).collect();
        let mut by_name: Vec<NodeId> = (0..self.nodes.len() as u32).map(NodeId).collect();
        by_name.sort_by(|a, b| self.nodes[a.index()].name.cmp(&self.nodes[b.index()].name));
        Ok(Topology { nodes: self.nodes, ports, nics, hosts, shape, by_name })
    }

    /// The ports, given each node's first.
    fn ports(&self, mut next: Vec<u32>, hosts: u32) -> Vec<Port> {
        let blank = Port { node: NodeId(0), peer: PortId(0), rate: Rate::ZERO, delay: Time::ZERO, loss: 0, nic: None };
        let mut ports = vec![blank; self.cables.len() * 2];
        for (a, b, wire) in &self.cables {
            let mut take = |node: NodeId| {
                next[node.index()] += 1;
                next[node.index()] - 1
            };
            let (at_a, at_b) = (take(*a), take(*b));
            for (node, port, peer) in [(*a, at_a, at_b), (*b, at_b, at_a)] {
                let Wire { rate, delay, loss } = *wire;
                // All ports of hosts are NICs and come first, so their numbers agree.
                let nic = (node.0 < hosts).then_some(port);
                ports[port as usize] = Port { node, peer: PortId(peer), rate, delay, loss, nic };
            }
        }
        ports
    }
}

fn too_many_ports(name: &str, ports: u32) -> TopologyError {
    TopologyError::new("links", format!("{name} would have {ports} ports"), "a node has at most 65,535")
}
