use std::collections::BTreeSet;

use super::Rules;
use crate::diagnostic::{Code, Report};
use crate::spec::{CustomHost, CustomLink, Generated, Size, Topology};
use crate::suggest::nearest;

/// The most network ports that a run is built with; each takes some kilobytes with its queues, routes and counters.
const PORT_LIMIT: u64 = 1 << 18;

impl Rules<'_> {
    pub(super) fn topology(&mut self) {
        match &self.spec.topology {
            Topology::Custom { switches, hosts, links } => self.custom(switches, hosts, links),
            generated => {
                if let Some(sizes) = generated.generated() {
                    self.generated(sizes);
                }
            }
        }
        if let Topology::FatTree(tree) = &self.spec.topology
            && tree.radix.is_some_and(|radix| !radix.is_multiple_of(2))
        {
            let text = "`topology.radix` is odd, and half of the ports of a switch go up";
            self.refuse(Code::Impossible, "topology.radix", text, "take an even number");
        }
    }

    /// Hosts, GPUs and NICs of a generated topology, if they fit together.
    pub(super) fn size(&self) -> Option<Size> {
        let topology = &self.spec.topology;
        topology.generated()?.size(self.spec.host.gpus, topology.default_gpus(), topology.implied_hosts())
    }

    fn generated(&mut self, sizes: &Generated) {
        let topology = &self.spec.topology;
        let per_host = sizes.gpus_per_host.or(self.spec.host.gpus).unwrap_or(topology.default_gpus());
        if let (Some(own), Some(host)) = (sizes.gpus_per_host, self.spec.host.gpus)
            && own != host
        {
            let text = format!("`topology.gpus_per_host` is {own}, but `host.gpus` is {host}");
            self.refuse(Code::Contradiction, "topology.gpus_per_host", text, "give one of them, or the same number");
            return;
        }
        let by_gpus = sizes.gpus.map(|gpus| (gpus, gpus / per_host, gpus % per_host));
        if let Some((gpus, hosts, rest)) = by_gpus
            && rest != 0
        {
            let text = format!("{gpus} GPUs cannot be in hosts of {per_host}");
            let help = match hosts {
                0 => format!("set `topology.gpus_per_host` to {gpus} or less"),
                _ => format!(
                    "take {} or {} GPUs, or another `topology.gpus_per_host`",
                    hosts * per_host,
                    (hosts + 1) * per_host
                ),
            };
            self.refuse(Code::Contradiction, "topology.gpus", text, help);
            return;
        }
        let counts = [sizes.hosts, by_gpus.map(|(_, hosts, _)| hosts), topology.implied_hosts()];
        let mut known = counts.into_iter().flatten();
        let Some(hosts) = known.next() else {
            if matches!(topology, Topology::FatTree(tree) if tree.radix.is_some()) {
                // As many hosts as switches of this radix carry.
                return;
            }
            let text = "`topology.gpus` is missing: GPUs in all";
            self.refuse(Code::MissingKey, "topology", text, "add `gpus: 64`, or `hosts: 8`");
            return;
        };
        if let Some(other) = known.find(|other| *other != hosts) {
            let path = if sizes.hosts.is_some() { "topology.hosts" } else { "topology.gpus" };
            let text = format!("the topology has {hosts} hosts by one setting and {other} by another");
            self.refuse(Code::Contradiction, path, text, "leave one of them out");
            return;
        }
        self.host_count(u64::from(hosts), u64::from(sizes.nics_per_host.unwrap_or(per_host)));
    }

    fn host_count(&mut self, hosts: u64, nics: u64) {
        let path = if self.root.at("topology.hosts").is_some() { "topology.hosts" } else { "topology.gpus" };
        if hosts < 2 {
            let text = "one host has nobody to talk to over a network";
            self.refuse(Code::Impossible, path, text, "take at least two hosts, or fewer GPUs in each");
        } else if hosts * nics > PORT_LIMIT {
            let text =
                format!("{hosts} hosts with {nics} ports each are more than the {PORT_LIMIT} ports that fit in memory");
            self.refuse(Code::Impossible, path, text, "simulate a part of the cluster, such as one pod");
        }
    }

    fn custom(&mut self, switches: &[String], hosts: &[CustomHost], links: &[CustomLink]) {
        if hosts.len() < 2 {
            let text = format!("a network needs at least two hosts, and this one has {}", hosts.len());
            self.refuse(Code::Impossible, "topology.hosts", text, "add hosts and the links to them");
        }
        let mut names = BTreeSet::new();
        let items = (0..switches.len()).map(|i| format!("topology.switches.{i}"));
        let all = switches.iter().zip(items).map(|(name, path)| (name.as_str(), path));
        let of_hosts =
            hosts.iter().enumerate().map(|(i, host)| (host.name.as_str(), format!("topology.hosts.{i}.name")));
        for (name, path) in all.chain(of_hosts) {
            if !names.insert(name) {
                self.refuse(
                    Code::Contradiction,
                    &path,
                    format!("two nodes are named `{name}`"),
                    "give each its own name",
                );
            }
            if name.contains("->") || name.contains('#') {
                self.add(Code::Impossible, &path, format!("`{name}` cannot be the name of a node"));
            }
        }
        for (index, link) in links.iter().enumerate() {
            for (end, name) in [("a", &link.a), ("b", &link.b)] {
                if !names.contains(name.as_str()) {
                    let path = format!("topology.links.{index}.{end}");
                    self.unknown_node(&path, name);
                }
            }
            if link.a == link.b {
                let path = format!("topology.links.{index}");
                self.add(Code::Impossible, &path, format!("a link joins `{}` to itself", link.a));
            }
        }
        self.reach(&names, hosts, links);
    }

    /// Every host has a link, and all hosts are in one piece.
    fn reach(&mut self, names: &BTreeSet<&str>, hosts: &[CustomHost], links: &[CustomLink]) {
        if links.iter().any(|link| !names.contains(link.a.as_str()) || !names.contains(link.b.as_str())) {
            return;
        }
        let index: std::collections::BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let mut root: Vec<usize> = (0..names.len()).collect();
        fn find(root: &mut [usize], mut at: usize) -> usize {
            while root[at] != at {
                root[at] = root[root[at]];
                at = root[at];
            }
            at
        }
        for link in links {
            let (a, b) = (find(&mut root, index[link.a.as_str()]), find(&mut root, index[link.b.as_str()]));
            root[a] = b;
        }
        let Some(first) = hosts.first() else { return };
        let piece = find(&mut root, index[first.name.as_str()]);
        for (at, host) in hosts.iter().enumerate().skip(1) {
            if find(&mut root, index[host.name.as_str()]) != piece {
                let text = format!("no links lead from `{}` to `{}`", first.name, host.name);
                self.refuse(Code::Impossible, &format!("topology.hosts.{at}.name"), text, "add the missing link");
            }
        }
    }

    pub(super) fn unknown_node(&mut self, path: &str, name: &str) {
        // A search for what was meant takes long in a large topology, and nobody reads hundreds of them.
        let is_read = self.out.len() < Report::SHOWN;
        let help = match nearest(name, self.graph.nodes.keys().copied().filter(|_| is_read)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "nodes of a custom topology are listed under `switches` and `hosts`".to_string(),
        };
        self.refuse(Code::UnknownName, path, format!("there is no node `{name}`"), help);
    }
}
