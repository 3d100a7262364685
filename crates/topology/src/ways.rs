use units::{NodeId, PortId};

use crate::graph::Topology;

/// How many destinations are worked on at once: one a bit.
pub(crate) const BLOCK: usize = 64;

/// The links between switches, once in the form that searching for ways needs.
pub(crate) struct Ways {
    hosts: u32,
    /// The links from each switch to others, switch by switch.
    links: Vec<Link>,
    /// Where those of each switch begin, and where the last end.
    first: Vec<u32>,
    /// Whether up and down matter.
    directed: bool,
    /// For each port, the destinations of the block that it is a next hop to.
    toward: Vec<u64>,
    /// For each switch, the destinations of the block that a way has been found to.
    seen: Vec<u64>,
    /// For each switch, the destinations that it reaches going down only.
    below: Vec<u64>,
    /// Bits that a switch learned in the step before and in this one.
    front: Vec<u64>,
    ahead: Vec<u64>,
}

/// A link from a switch to another, seen from the first.
struct Link {
    /// The row of the other switch.
    to: u32,
    /// The port of the other switch that leads back.
    back: PortId,
    /// Whether the link back goes up.
    back_up: bool,
}

impl Ways {
    /// Shortest ways when `up` is empty, up*/down* ways when it says for each port whether its link goes up.
    pub(crate) fn new(topology: &Topology, up: &[bool]) -> Ways {
        let switches = topology.switches() as usize;
        let mut ways = Ways {
            hosts: topology.hosts(),
            links: Vec::new(),
            first: vec![0],
            directed: !up.is_empty(),
            toward: vec![0; topology.ports.len()],
            seen: vec![0; switches],
            below: vec![0; switches],
            front: vec![0; switches],
            ahead: vec![0; switches],
        };
        for switch in topology.switch_ids() {
            for back in topology.ports_of(switch).map(|p| topology.ports[p.index()].peer) {
                let to = topology.ports[back.index()].node;
                if topology.is_switch(to) {
                    let back_up = up.get(back.index()).copied().unwrap_or(false);
                    ways.links.push(Link { to: to.0 - topology.hosts(), back, back_up });
                }
            }
            ways.first.push(ways.links.len() as u32);
        }
        ways
    }

    /// Finds the next hops towards up to 64 switches, the n-th of them as bit n.
    pub(crate) fn search(&mut self, targets: &[NodeId]) {
        debug_assert!(targets.len() <= BLOCK);
        if self.directed {
            self.below.fill(u64::MAX);
            self.flood(targets);
            self.below.copy_from_slice(&self.seen);
        }
        self.flood(targets);
    }

    /// For each port of a switch, the targets of the last search that it is a next hop to.
    pub(crate) fn toward(&self, port: PortId) -> u64 {
        self.toward[port.index()]
    }

    /// Spreads from the targets, all at once, one hop a step.
    fn flood(&mut self, targets: &[NodeId]) {
        self.toward.fill(0);
        self.seen.fill(0);
        let mut active: Vec<u32> = Vec::new();
        for (bit, target) in targets.iter().enumerate() {
            let at = self.row(*target);
            self.seen[at] |= 1 << bit;
            self.front[at] |= 1 << bit;
            active.push(at as u32);
        }
        active.sort_unstable();
        active.dedup();
        let mut reached = Vec::new();
        while !active.is_empty() {
            for at in &active {
                self.spread(*at as usize, &mut reached);
            }
            for at in active.drain(..) {
                self.front[at as usize] = 0;
            }
            for at in reached.drain(..) {
                let at_row = at as usize;
                self.seen[at_row] |= self.ahead[at_row];
                self.front[at_row] = std::mem::take(&mut self.ahead[at_row]);
                active.push(at);
            }
        }
    }

    /// Tells the neighbours of a switch what it has just learned.
    fn spread(&mut self, at: usize, reached: &mut Vec<u32>) {
        for link in &self.links[self.first[at] as usize..self.first[at + 1] as usize] {
            let to = link.to as usize;
            let fresh = self.front[at] & !self.seen[to] & self.allowed(at, link);
            if fresh != 0 {
                if self.ahead[to] == 0 {
                    reached.push(link.to);
                }
                self.ahead[to] |= fresh;
                self.toward[link.back.index()] |= fresh;
            }
        }
    }

    /// Destinations for which the rules let traffic go back along a link to switch `at`.
    ///
    /// Model: a switch that can reach a destination going down does so, even where going up first would be shorter;
    /// otherwise tables that know only the destination would let a packet turn up again.
    #[inline]
    fn allowed(&self, at: usize, link: &Link) -> u64 {
        match (self.directed, link.back_up) {
            (false, _) => u64::MAX,
            (true, true) => !self.below[link.to as usize],
            (true, false) => self.below[at],
        }
    }

    fn row(&self, switch: NodeId) -> usize {
        (switch.0 - self.hosts) as usize
    }
}
