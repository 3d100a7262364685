use std::collections::{BTreeMap, VecDeque};

use units::NodeId;

use crate::build::{Built, within_limits};
use crate::cabling::{Cabling, Wire};
use crate::error::TopologyError;
use crate::graph::{NodeKind, Topology};
use crate::shape::Shape;
use crate::spec::{Custom, CustomLink, LinkDefaults};

/// Builds a graph as it is written, or says all that is wrong with it.
pub(crate) fn build(spec: &Custom, defaults: &LinkDefaults) -> Result<Built, Vec<TopologyError>> {
    let links = check(spec, defaults)?;
    let cables: u64 = spec.links.iter().map(|l| l.count).sum();
    let mut cabling = Cabling::with_capacity((spec.hosts.len() + spec.switches.len()) as u64, cables);
    for host in &spec.hosts {
        cabling.node(host.name.clone(), NodeKind::Host { gpus: host.gpus as u16 });
    }
    let tiers = tiers(spec, &links);
    for (switch, tier) in spec.switches.iter().zip(tiers) {
        cabling.node(switch.clone(), NodeKind::Switch { tier });
    }
    for ((a, b), link) in links.iter().zip(&spec.links) {
        for _ in 0..link.count {
            cabling.cable(*a, *b, wire(link, defaults));
        }
    }
    let topology = cabling.finish(Shape::Custom).map_err(|e| vec![e])?;
    let notes = notes(&topology);
    Ok(Built { topology, notes, asked: None, built: None })
}

fn wire(link: &CustomLink, defaults: &LinkDefaults) -> Wire {
    Wire {
        rate: link.rate.unwrap_or(defaults.rate),
        delay: link.delay.unwrap_or(defaults.delay),
        loss: link.loss.unwrap_or(defaults.loss),
    }
}

/// The two nodes of each link, or everything that is wrong.
fn check(spec: &Custom, defaults: &LinkDefaults) -> Result<Vec<(NodeId, NodeId)>, Vec<TopologyError>> {
    let mut errors = Vec::new();
    if spec.hosts.len() < 2 {
        let reason = match spec.hosts.len() {
            0 => "there is no host, so nothing can be sent",
            _ => "one host has nobody to talk to",
        };
        errors.push(TopologyError::new("hosts", reason, "a fabric needs at least two hosts"));
    }
    let names = names(spec, &mut errors);
    let mut nics = vec![0u64; spec.hosts.len()];
    let mut links = Vec::with_capacity(spec.links.len());
    for (index, link) in spec.links.iter().enumerate() {
        let field = format!("links[{index}]");
        let Some((a, b)) = ends(link, &field, &names, &mut errors) else { continue };
        if link.count == 0 {
            errors.push(TopologyError::new(format!("{field}.count"), "zero cables", "leave the link out"));
        }
        let wire = wire(link, defaults);
        errors.extend(wire.check(&format!("{field}.rate"), &format!("{field}.delay")).err());
        for end in [a, b] {
            if let Some(nics) = nics.get_mut(end.index()) {
                *nics = nics.saturating_add(link.count);
            }
        }
        links.push((a, b));
    }
    check_hosts(spec, &nics, &mut errors);
    let all_nics = nics.iter().map(|n| u128::from(*n)).sum();
    let cables = spec.links.iter().map(|l| u128::from(l.count)).sum();
    errors.extend(within_limits("links", all_nics, spec.switches.len() as u128, cables).err());
    if errors.is_empty() { Ok(links) } else { Err(errors) }
}

/// Nodes by name: hosts first, then switches.
fn names<'a>(spec: &'a Custom, errors: &mut Vec<TopologyError>) -> BTreeMap<&'a str, NodeId> {
    let hosts = spec.hosts.iter().enumerate().map(|(i, h)| (h.name.as_str(), format!("hosts[{i}]")));
    let switches = spec.switches.iter().enumerate().map(|(i, s)| (s.as_str(), format!("switches[{i}]")));
    let mut names = BTreeMap::new();
    for (id, (name, field)) in hosts.chain(switches).enumerate() {
        if let Some(reason) = unusable(name) {
            errors.push(TopologyError::new(field, format!("`{name}` {reason}"), "choose another name"));
        } else if names.insert(name, NodeId(id as u32)).is_some() {
            errors.push(TopologyError::new(field, format!("`{name}` is the name of two nodes"), "names must differ"));
        }
    }
    names
}

/// Names that would make the names of ports ambiguous.
fn unusable(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("is empty");
    }
    if name.contains("->") || name.contains('#') {
        return Some("has `->` or `#` in it, which the names of ports are made with");
    }
    None
}

/// Both ends of a link, unless one is unknown or both are the same.
fn ends(
    link: &CustomLink,
    field: &str,
    names: &BTreeMap<&str, NodeId>,
    errors: &mut Vec<TopologyError>,
) -> Option<(NodeId, NodeId)> {
    let mut end = |key: &str, name: &str| {
        let found = names.get(name).copied();
        if found.is_none() {
            let mut error =
                TopologyError::new(format!("{field}.{key}"), format!("`{name}` is neither a switch nor a host"), "");
            error.unknown = Some(name.to_owned());
            errors.push(error);
        }
        found
    };
    let (a, b) = (end("a", &link.a), end("b", &link.b));
    let (a, b) = (a?, b?);
    if a == b {
        let reason = format!("`{}` is linked to itself", link.a);
        errors.push(TopologyError::new(field, reason, "a link joins two nodes"));
        return None;
    }
    Some((a, b))
}

fn check_hosts(spec: &Custom, nics: &[u64], errors: &mut Vec<TopologyError>) {
    for (index, (host, links)) in spec.hosts.iter().zip(nics).enumerate() {
        let name = &host.name;
        if *links == 0 {
            let reason = format!("no link reaches host `{name}`");
            errors.push(TopologyError::new(format!("hosts[{index}]"), reason, "add a link, or leave the host out"));
        } else if host.nics.is_some_and(|n| n != *links) {
            let reason = format!("`{name}` has {} NICs and {links} links", host.nics.unwrap_or(0));
            errors.push(TopologyError::new(format!("hosts[{index}].nics"), reason, "each link of a host is a NIC"));
        }
        if host.gpus > u64::from(u16::MAX) {
            let reason = format!("{} GPUs in one host", host.gpus);
            errors.push(TopologyError::new(format!("hosts[{index}].gpus"), reason, "at most 65,535"));
        }
    }
}

/// Tier of each switch: its distance from the nearest switch that has a host.
fn tiers(spec: &Custom, links: &[(NodeId, NodeId)]) -> Vec<u8> {
    let hosts = spec.hosts.len();
    let switch = |n: NodeId| n.index().checked_sub(hosts);
    let mut next = vec![Vec::new(); spec.switches.len()];
    let mut tiers = vec![None; spec.switches.len()];
    let mut queue = VecDeque::new();
    for (a, b) in links {
        match (switch(*a), switch(*b)) {
            (Some(a), Some(b)) => {
                next[a].push(b);
                next[b].push(a);
            }
            (Some(leaf), None) | (None, Some(leaf)) if tiers[leaf].is_none() => {
                tiers[leaf] = Some(0);
                queue.push_back(leaf);
            }
            _ => {}
        }
    }
    while let Some(at) = queue.pop_front() {
        let above = tiers[at].map(|t: u8| t.saturating_add(1));
        for to in &next[at] {
            if tiers[*to].is_none() {
                tiers[*to] = above;
                queue.push_back(*to);
            }
        }
    }
    tiers.into_iter().map(|t| t.unwrap_or(0)).collect()
}

/// Parts that cannot reach each other matter only to those who try, so they are a note.
fn notes(topology: &Topology) -> Vec<String> {
    let parts = petgraph::algo::connected_components(&topology.graph());
    if parts > 1 { vec![format!("The graph is in {parts} parts that cannot reach each other.")] } else { Vec::new() }
}
