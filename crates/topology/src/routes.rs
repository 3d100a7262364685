use std::collections::HashMap;

use units::{NodeId, PortId};

use crate::error::RoutesError;
use crate::graph::Topology;
use crate::shape::Shape;
use crate::ways::{BLOCK, Ways};

/// Which ways are allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RoutingKind {
    /// All shortest paths: what ECMP chooses among.
    MinHop,
    /// First up, then down, never up again, in any graph: no dependency cycle. Up is towards the roots, nearer first,
    /// among equals to the lower number (Schroeder et al., Autonet, 1991).
    UpDown {
        /// The switches at the top; when empty, those of the highest tier, or in a graph of one tier the first
        /// switch. A part of the graph without a root gets one by the same rule.
        roots: Vec<NodeId>,
    },
    /// Shortest paths, the choice among them by destination (Zahavi, "D-Mod-K routing providing non-blocking traffic
    /// for shift permutations on real life fat trees", 2010).
    DModK,
}

/// Next hops of every switch to every NIC.
///
/// Kept by (switch, switch of the destination), because all NICs of a switch are reached the same way up to there.
/// Destinations come in blocks of 64; switches with the same ports for a whole block share its row, which in a
/// fat-tree leaves a few rows for thousands of switches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routes {
    hosts: u32,
    /// For each NIC, the number of its switch among those that have hosts; `NOWHERE` when cabled to a host.
    column: Vec<u32>,
    /// For each NIC, the switch that it is cabled to.
    attachment: Vec<u32>,
    /// For each NIC, the local port of its switch that leads to it.
    last_hop: Vec<u16>,
    /// (switch, block) -> row.
    rows: Vec<u32>,
    blocks: u32,
    /// (row, column in the block) -> place in `groups`.
    places: Vec<u32>,
    /// Groups of local ports, each behind its length.
    groups: Vec<u16>,
    divisors: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// The most pairs of switch and switch with hosts: tables beyond it would take seconds and gigabytes.
const MAX_PAIRS: u64 = 1 << 27;

impl Routes {
    /// Makes the tables. Fails when the topology has more switches than tables can be made for, or when a root is
    /// not a switch.
    pub fn new(topology: &Topology, kind: RoutingKind) -> Result<Routes, RoutesError> {
        let (mut routes, targets) = Routes::attach(topology);
        let pairs = u64::from(topology.switches()) * targets.len() as u64;
        if pairs > MAX_PAIRS {
            let reason = format!(
                "{} switches, {} of them with hosts, are more than routing tables are made for",
                topology.switches(),
                targets.len()
            );
            return Err(RoutesError { reason });
        }
        let up = match &kind {
            RoutingKind::UpDown { roots } => up_links(topology, roots)?,
            RoutingKind::MinHop | RoutingKind::DModK => Vec::new(),
        };
        routes.fill(topology, &targets, Ways::new(topology, &up));
        routes.divisors = divisors(topology);
        Ok(routes)
    }

    /// Local ports of a switch that lead to a NIC, in ascending order; empty when none does. Both must be of the
    /// topology that the tables were made for.
    #[inline]
    pub fn next_hops(&self, switch: NodeId, dst_nic: u32) -> &[u16] {
        let dst = dst_nic as usize;
        if self.attachment[dst] == switch.0 {
            return std::slice::from_ref(&self.last_hop[dst]);
        }
        let column = self.column[dst];
        if column == NOWHERE {
            return &[];
        }
        let (block, within) = (column / BLOCK as u32, column % BLOCK as u32);
        let row = self.rows[((switch.0 - self.hosts) * self.blocks + block) as usize];
        let place = self.places[row as usize * BLOCK + within as usize] as usize;
        let len = usize::from(self.groups[place]);
        &self.groups[place + 1..place + 1 + len]
    }

    /// The divisor of a switch for D-mod-K: among n ways it takes number `(destination NIC / divisor) % n`. In a
    /// fat-tree it is the product of the up ports of the tiers below, times the number of rails that NICs of one
    /// switch are apart in their numbering; 1 for hosts.
    ///
    /// Model: a single divisor a switch spreads every shift evenly in two tiers, and in three tiers when packed or when
    /// the leaves of a rail fill whole pods. Where pods hold leaves of several rails, some links to the core get more.
    pub fn d_mod_k_divisor(&self, switch: NodeId) -> u32 {
        self.divisors[switch.index()]
    }

    /// The ports that a packet leaves by from one NIC to another, beginning with the NIC; `choose` picks one of the
    /// ways at each switch. `None` when there is no way, or `choose` picks a port that is not among the ways.
    pub fn path(
        &self,
        topology: &Topology,
        src_nic: u32,
        dst_nic: u32,
        mut choose: impl FnMut(NodeId, &[u16]) -> u16,
    ) -> Option<Vec<PortId>> {
        let target = *topology.nics.get(dst_nic as usize)?;
        let mut path = vec![*topology.nics.get(src_nic as usize)?];
        loop {
            let last = path[path.len() - 1];
            if topology.ports[last.index()].peer == target {
                return Some(path);
            }
            let at = topology.neighbour(last);
            if !topology.is_switch(at) {
                return None;
            }
            let ways = self.next_hops(at, dst_nic);
            let local = if ways.is_empty() { return None } else { choose(at, ways) };
            ways.binary_search(&local).ok()?;
            path.push(topology.port_at(at, local));
        }
    }

    /// Bytes that the tables take.
    pub fn memory(&self) -> usize {
        let words = self.column.len() + self.attachment.len() + self.rows.len() + self.places.len();
        (words + self.divisors.len()) * 4 + (self.last_hop.len() + self.groups.len()) * 2
    }

    /// Where each NIC is cabled, and the switches that have hosts, in order.
    fn attach(topology: &Topology) -> (Routes, Vec<NodeId>) {
        let mut routes = Routes {
            hosts: topology.hosts(),
            column: Vec::with_capacity(topology.nics.len()),
            attachment: Vec::with_capacity(topology.nics.len()),
            last_hop: Vec::with_capacity(topology.nics.len()),
            rows: Vec::new(),
            blocks: 0,
            places: Vec::new(),
            groups: Vec::new(),
            divisors: Vec::new(),
        };
        let mut column = vec![NOWHERE; topology.nodes.len()];
        for nic in &topology.nics {
            column[topology.neighbour(*nic).index()] = 0;
        }
        let targets: Vec<NodeId> = topology.switch_ids().filter(|s| column[s.index()] == 0).collect();
        column.fill(NOWHERE);
        for (number, target) in targets.iter().enumerate() {
            column[target.index()] = number as u32;
        }
        for nic in &topology.nics {
            let at = topology.neighbour(*nic);
            routes.column.push(column[at.index()]);
            routes.attachment.push(at.0);
            routes.last_hop.push(topology.local(topology.ports[nic.index()].peer));
        }
        (routes, targets)
    }

    /// Fills the tables block by block, sharing equal rows and equal groups.
    fn fill(&mut self, topology: &Topology, targets: &[NodeId], mut ways: Ways) {
        self.blocks = targets.len().div_ceil(BLOCK) as u32;
        self.rows = vec![0; (topology.switches() * self.blocks) as usize];
        let mut pool = Pool::default();
        for (block, targets) in targets.chunks(BLOCK).enumerate() {
            ways.search(targets);
            for switch in topology.switch_ids() {
                let own = targets.iter().position(|t| *t == switch);
                let row = pool.row(topology, &ways, switch, targets.len(), own);
                self.rows[(switch.0 - self.hosts) as usize * self.blocks as usize + block] = row;
            }
        }
        pool.places.shrink_to_fit();
        pool.groups.shrink_to_fit();
        (self.places, self.groups) = (pool.places, pool.groups);
    }
}

/// Rows and groups, each kept once. The maps are only looked up in, so their order decides nothing.
#[derive(Default)]
struct Pool {
    groups: Vec<u16>,
    place_of: HashMap<Vec<u16>, u32>,
    places: Vec<u32>,
    /// By what the ports of a switch lead to.
    row_of: HashMap<Vec<u64>, u32>,
    masks: Vec<u64>,
}

impl Pool {
    /// The row of a switch for the block of the last search. The column of the switch itself is never read, so it
    /// repeats a neighbouring one, and the rows of leaves come out equal.
    fn row(&mut self, topology: &Topology, ways: &Ways, switch: NodeId, targets: usize, own: Option<usize>) -> u32 {
        self.masks.clear();
        self.masks.extend(topology.ports_of(switch).map(|p| ways.toward(p)));
        if let Some(own) = own {
            let like = if own == 0 { 1 } else { own - 1 };
            for mask in &mut self.masks {
                *mask |= (*mask >> like & 1) << own;
            }
        }
        let masks = std::mem::take(&mut self.masks);
        let row = match self.row_of.get(masks.as_slice()) {
            Some(row) => *row,
            None => self.add_row(&masks, targets),
        };
        self.masks = masks;
        row
    }

    fn add_row(&mut self, masks: &[u64], targets: usize) -> u32 {
        let mut row = [u32::MAX; BLOCK];
        for class in classes(masks, targets) {
            let sample = class & class.wrapping_neg();
            let ports = (0..masks.len() as u16).filter(|p| masks[usize::from(*p)] & sample != 0);
            let place = self.place(ports.collect());
            for (bit, entry) in row.iter_mut().enumerate() {
                if class >> bit & 1 == 1 {
                    *entry = place;
                }
            }
        }
        self.places.extend(row);
        let number = self.row_of.len() as u32;
        self.row_of.insert(masks.to_vec(), number);
        number
    }

    fn place(&mut self, group: Vec<u16>) -> u32 {
        let Pool { groups, place_of, .. } = self;
        *place_of.entry(group).or_insert_with_key(|group| {
            let place = groups.len() as u32;
            groups.push(group.len() as u16);
            groups.extend(group);
            place
        })
    }
}

/// Divides the destinations of a block into those that the same ports lead to.
fn classes(masks: &[u64], targets: usize) -> Vec<u64> {
    let all = if targets == BLOCK { u64::MAX } else { (1 << targets) - 1 };
    let mut classes = vec![all];
    for mask in masks.iter().filter(|m| **m != 0) {
        for index in 0..classes.len() {
            let (with, without) = (classes[index] & mask, classes[index] & !mask);
            if with != 0 && without != 0 {
                classes[index] = with;
                classes.push(without);
            }
        }
    }
    classes
}

/// For each port, whether its link goes up: to a switch nearer to a root, or as near and of a lower number.
fn up_links(topology: &Topology, roots: &[NodeId]) -> Result<Vec<bool>, RoutesError> {
    let ranks = ranks(topology, roots)?;
    let key = |node: NodeId| (ranks[node.index()], node);
    let up = |port: PortId| {
        let (from, to) = (topology.ports[port.index()].node, topology.neighbour(port));
        topology.is_switch(from) && topology.is_switch(to) && key(to) < key(from)
    };
    Ok((0..topology.ports.len() as u32).map(|p| up(PortId(p))).collect())
}

/// Distance of each switch from the nearest root.
fn ranks(topology: &Topology, roots: &[NodeId]) -> Result<Vec<u32>, RoutesError> {
    if let Some(root) = roots.iter().find(|r| r.index() >= topology.nodes.len() || !topology.is_switch(**r)) {
        return Err(RoutesError { reason: format!("root {} is not a switch", root.0) });
    }
    let mut ranks = vec![u32::MAX; topology.nodes.len()];
    let top = topology.switch_ids().filter_map(|s| topology.tier(s)).max().unwrap_or(0);
    if roots.is_empty() && top > 0 {
        let highest: Vec<NodeId> = topology.switch_ids().filter(|s| topology.tier(*s) == Some(top)).collect();
        spread_ranks(topology, &mut ranks, highest);
    } else {
        spread_ranks(topology, &mut ranks, roots.to_vec());
    }
    // What no root reaches is a part of its own; its highest tier leads it, else its first switch.
    for tier in (0..=top).rev() {
        for switch in topology.switch_ids().filter(|s| topology.tier(*s) == Some(tier)) {
            if ranks[switch.index()] == u32::MAX {
                spread_ranks(topology, &mut ranks, vec![switch]);
            }
        }
    }
    Ok(ranks)
}

fn spread_ranks(topology: &Topology, ranks: &mut [u32], roots: Vec<NodeId>) {
    for root in &roots {
        ranks[root.index()] = 0;
    }
    let mut level = roots;
    while !level.is_empty() {
        let mut next = Vec::new();
        for at in level {
            for to in topology.ports_of(at).map(|p| topology.neighbour(p)) {
                if topology.is_switch(to) && ranks[to.index()] == u32::MAX {
                    ranks[to.index()] = ranks[at.index()] + 1;
                    next.push(to);
                }
            }
        }
        level = next;
    }
}

/// D-mod-K's divisor of each node.
fn divisors(topology: &Topology) -> Vec<u32> {
    let stride = match topology.shape() {
        Shape::Clos { stride, .. } => *stride,
        _ => 1,
    };
    let top = topology.switch_ids().filter_map(|s| topology.tier(s)).max().unwrap_or(0);
    let mut by_tier = vec![stride];
    for tier in 0..top {
        let below = by_tier[usize::from(tier)];
        let ups =
            topology.switch_ids().filter(|s| topology.tier(*s) == Some(tier)).map(|s| up_ports(topology, s)).max();
        // The highest tier chooses among parallel links only, in step with the tier that fed them.
        let next = if tier + 1 == top { below } else { below.saturating_mul(ups.unwrap_or(1).max(1)) };
        by_tier.push(next);
    }
    let divisor = |n: u32| topology.tier(NodeId(n)).map_or(1, |t| by_tier[usize::from(t)]);
    (0..topology.nodes.len() as u32).map(divisor).collect()
}

fn up_ports(topology: &Topology, switch: NodeId) -> u32 {
    let own = topology.tier(switch);
    topology.ports_of(switch).filter(|p| topology.tier(topology.neighbour(*p)) > own).count() as u32
}
