use std::collections::{BTreeMap, BTreeSet};

use crate::spec::Topology;

/// The names of a custom topology, for quick answers; empty for the other kinds.
#[derive(Default)]
pub(super) struct Graph<'a> {
    /// Every node, and whether it is a host.
    pub(super) nodes: BTreeMap<&'a str, bool>,
    /// Every link, both ways.
    links: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Graph<'a> {
    pub(super) fn of(topology: &'a Topology) -> Graph<'a> {
        let Topology::Custom { switches, hosts, links } = topology else { return Graph::default() };
        let switches = switches.iter().map(|name| (name.as_str(), false));
        let hosts = hosts.iter().map(|host| (host.name.as_str(), true));
        let ends = links.iter().map(|link| (link.a.as_str(), link.b.as_str()));
        Graph { nodes: switches.chain(hosts).collect(), links: ends.flat_map(|(a, b)| [(a, b), (b, a)]).collect() }
    }

    pub(super) fn is_host(&self, name: &str) -> bool {
        self.nodes.get(name) == Some(&true)
    }

    pub(super) fn is_switch(&self, name: &str) -> bool {
        self.nodes.get(name) == Some(&false)
    }

    pub(super) fn has_link(&self, from: &str, to: &str) -> bool {
        self.links.contains(&(from, to))
    }
}
