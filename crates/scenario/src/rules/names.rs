use super::Rules;
use crate::diagnostic::Code;
use crate::item::LinkName;
use crate::spec::Topology;

impl Rules<'_> {
    /// A host, or one of its ports as `h3.nic2`; what cannot be known yet passes.
    pub(super) fn host_name(&mut self, path: &str, name: &str) {
        let bare = name.rsplit_once('.').filter(|(_, part)| is_part(part)).map_or(name, |(host, _)| host);
        match &self.spec.topology {
            Topology::Custom { .. } => {
                if self.graph.is_switch(bare) {
                    let help = "flows begin and end at hosts";
                    self.refuse(Code::UnknownName, path, format!("`{name}` is a switch, and a host is needed"), help);
                } else if !self.graph.is_host(bare) && !self.graph.is_host(name) {
                    self.unknown_node(path, name);
                }
            }
            _ => {
                let Some(size) = self.size() else { return };
                let number = bare.strip_prefix('h').and_then(|digits| digits.parse::<u32>().ok());
                if number.is_none_or(|number| number >= size.hosts) {
                    let help = format!("hosts are h0 to h{}, their ports h0.nic0 and so on", size.hosts - 1);
                    self.refuse(Code::UnknownName, path, format!("there is no host `{name}`"), help);
                }
            }
        }
    }

    /// Both ends of a link of a custom topology; generated names are resolved when they are made.
    pub(super) fn link_name(&mut self, path: &str, link: &LinkName) {
        if !matches!(self.spec.topology, Topology::Custom { .. }) {
            return;
        }
        for end in [&link.from, &link.to] {
            if !self.graph.nodes.contains_key(end.as_str()) {
                self.unknown_node(path, end);
                return;
            }
        }
        if !self.graph.has_link(&link.from, &link.to) {
            let text = format!("no link joins `{}` and `{}`", link.from, link.to);
            self.add(Code::UnknownName, path, text);
        }
    }

    /// The nodes of an explicit path, in a custom topology.
    pub(super) fn flow_path(&mut self, path: &str, nodes: &[String], src: &str, dst: &str) {
        let is_end =
            |node: &str, end: &str| node == end || end.strip_prefix(node).is_some_and(|rest| rest.starts_with('.'));
        if let (Some(first), Some(last)) = (nodes.first(), nodes.last())
            && (!is_end(first, src) || !is_end(last, dst))
        {
            let text = format!("the path leads from `{first}` to `{last}`, and the flow from `{src}` to `{dst}`");
            self.add(Code::Contradiction, path, text);
        }
        for (at, pair) in nodes.windows(2).enumerate() {
            let link = LinkName { from: pair[0].clone(), to: pair[1].clone(), parallel: None, is_both: false };
            self.link_name(&format!("{path}.{}", at + 1), &link);
        }
    }
}

fn is_part(part: &str) -> bool {
    ["nic", "gpu"].iter().any(|kind| part.strip_prefix(kind).is_some_and(|n| n.parse::<u32>().is_ok()))
}
