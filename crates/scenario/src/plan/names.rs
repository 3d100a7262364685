use topology::{NodeKind, Topology};
use units::{NodeId, PortId};

use super::Planner;
use crate::diagnostic::Code;
use crate::item::LinkName;
use crate::suggest::nearest;

impl Planner<'_> {
    /// A node by name; an unknown one is an error at `path`.
    pub(super) fn node(&mut self, topology: &Topology, name: &str, path: &str) -> Option<NodeId> {
        let node = topology.node(name);
        if node.is_none() {
            let near = nearest(name, topology.nodes.iter().map(|node| node.name.as_str()));
            let help = near.map_or(String::new(), |near| format!("did you mean `{near}`?"));
            self.refuse(Code::UnknownName, path, format!("there is no node `{name}`"), help);
        }
        node
    }

    /// A NIC by `h3` (its first) or `h3.nic2`.
    pub(super) fn nic(&mut self, topology: &Topology, name: &str, path: &str) -> Option<u32> {
        let (host, nic) = match name.rsplit_once(".nic") {
            Some((host, number)) if topology.node(name).is_none() => match number.parse::<u16>() {
                Ok(number) => (host, number),
                Err(_) => (name, 0),
            },
            _ => (name, 0),
        };
        let node = self.node(topology, host, path)?;
        if !matches!(topology.nodes[node.index()].kind, NodeKind::Host { .. }) {
            self.refuse(Code::Impossible, path, format!("`{host}` is a switch"), "flows begin and end at hosts");
            return None;
        }
        let found = topology.host_nic(node, nic);
        if found.is_none() {
            let ports = topology.nodes[node.index()].ports;
            let help = format!("its ports are {host}.nic0 to {host}.nic{}", ports.saturating_sub(1));
            self.refuse(Code::UnknownName, path, format!("`{host}` has no port {nic}"), help);
        }
        found
    }

    /// The ports of a link by the names of its ends.
    pub(super) fn link(&mut self, topology: &Topology, link: &LinkName, path: &str) -> Option<Vec<PortId>> {
        let from = self.node(topology, &link.from, path);
        let to = self.node(topology, &link.to, path);
        let (from, to) = (from?, to?);
        let mut ports = parallel(topology, from, to);
        if let Some(nth) = link.parallel {
            ports = ports.into_iter().skip(nth as usize).take(1).collect();
        }
        if ports.is_empty() {
            let text = format!("no cable joins `{}` and `{}`", link.from, link.to);
            self.refuse(
                Code::UnknownName,
                path,
                text,
                format!("`{}` is joined to {}", link.from, around(topology, from)),
            );
            return None;
        }
        if link.is_both {
            let back: Vec<PortId> = ports.iter().map(|port| topology.ports[port.index()].peer).collect();
            ports.extend(back);
        }
        Some(ports)
    }

    /// The egress ports along a list of nodes.
    pub(super) fn walk(&mut self, topology: &Topology, nodes: &[String], path: &str) -> Option<Vec<PortId>> {
        let mut ids = Vec::new();
        for (index, name) in nodes.iter().enumerate() {
            ids.push(self.node(topology, name, &format!("{path}.{index}"))?);
        }
        let mut ports = Vec::new();
        for (index, pair) in ids.windows(2).enumerate() {
            let Some(port) = parallel(topology, pair[0], pair[1]).first().copied() else {
                let text = format!("no cable joins `{}` and `{}`", nodes[index], nodes[index + 1]);
                let help = format!("`{}` is joined to {}", nodes[index], around(topology, pair[0]));
                self.refuse(Code::Impossible, &format!("{path}.{}", index + 1), text, help);
                return None;
            };
            ports.push(port);
        }
        Some(ports)
    }
}

fn parallel(topology: &Topology, from: NodeId, to: NodeId) -> Vec<PortId> {
    topology.ports_of(from).filter(|port| topology.neighbour(*port) == to).collect()
}

/// Neighbours of a node, for advice.
fn around(topology: &Topology, node: NodeId) -> String {
    let mut names: Vec<&str> =
        topology.ports_of(node).map(|port| topology.nodes[topology.neighbour(port).index()].name.as_str()).collect();
    names.dedup();
    let more = names.len().saturating_sub(8);
    names.truncate(8);
    let listed = names.join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}
