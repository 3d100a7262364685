use std::collections::BTreeMap;
use std::fmt::Write;

use units::NodeId;

use crate::build::rate_text;
use crate::graph::Topology;

impl Topology {
    /// As text for Graphviz: tiers as ranks, parallel cables of one rate as one line.
    pub fn dot(&self) -> String {
        let mut dot = String::from("graph topology {\n  node [shape=box];\n");
        for (rank, nodes) in self.by_rank() {
            let names: Vec<String> = nodes.iter().map(|n| self.quoted(*n)).collect();
            writeln!(dot, "  {{ rank={rank}; {} }}", names.join("; ")).expect("a String takes everything");
        }
        let mut cables = BTreeMap::new();
        for (p, port) in self.ports.iter().enumerate().filter(|(p, port)| *p < port.peer.index()) {
            let ends = (port.node, self.neighbour(units::PortId(p as u32)), port.rate);
            *cables.entry(ends).or_insert(0u32) += 1;
        }
        for ((a, b, rate), count) in cables {
            let times = if count > 1 { format!("{count} x ") } else { String::new() };
            let (a, b) = (self.quoted(a), self.quoted(b));
            writeln!(dot, "  {a} -- {b} [label=\"{times}{}\"];", rate_text(rate)).expect("a String takes everything");
        }
        dot.push_str("}\n");
        dot
    }

    /// Hosts at the bottom, the highest tier at the top, each tier between in a line.
    fn by_rank(&self) -> Vec<(&'static str, Vec<NodeId>)> {
        let mut tiers: BTreeMap<u8, Vec<NodeId>> = BTreeMap::new();
        for switch in self.switch_ids() {
            tiers.entry(self.tier(switch).unwrap_or(0)).or_default().push(switch);
        }
        let top = tiers.keys().next_back().copied();
        let mut ranks = vec![("sink", (0..self.hosts()).map(NodeId).collect())];
        ranks.extend(tiers.into_iter().map(|(tier, nodes)| (if Some(tier) == top { "source" } else { "same" }, nodes)));
        ranks
    }

    fn quoted(&self, node: NodeId) -> String {
        format!("\"{}\"", self.nodes[node.index()].name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
