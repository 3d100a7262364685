use units::{NodeId, PortId};

use crate::graph::Topology;

/// How many destinations are worked on at once: one a bit.
pub(crate) const BLOCK: usize = 64;

/// The links between switches, once in the form that searching for ways needs.
pub(crate) struct Ways<'a> {
    topology: &'a Topology,
    /// For each port of a switch, whether the link that leaves it goes up; empty when up and down do not matter.
    up: Vec<bool>,
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

impl<'a> Ways<'a> {
    /// Shortest ways when `up` is empty, up*/down* ways when it says for each port whether its link goes up.
    pub(crate) fn new(topology: &'a Topology, up: Vec<bool>) -> Ways<'a> {
        let switches = topology.switches() as usize;
        Ways {
            topology,
            up,
            toward: vec![0; topology.ports.len()],
            seen: vec![0; switches],
            below: vec![0; switches],
            front: vec![0; switches],
            ahead: vec![0; switches],
        }
    }

    /// Finds the next hops towards up to 64 switches, the n-th of them as bit n.
    pub(crate) fn search(&mut self, targets: &[NodeId]) {
        debug_assert!(targets.len() <= BLOCK);
        if !self.up.is_empty() {
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
        let node = NodeId(at as u32 + self.topology.hosts());
        for port in self.topology.ports_of(node) {
            let back = self.topology.ports[port.index()].peer;
            let neighbour = self.topology.ports[back.index()].node;
            if !self.topology.is_switch(neighbour) {
                continue;
            }
            let to = self.row(neighbour);
            let fresh = self.front[at] & !self.seen[to] & self.allowed(at, to, back);
            if fresh != 0 {
                if self.ahead[to] == 0 {
                    reached.push(to as u32);
                }
                self.ahead[to] |= fresh;
                self.toward[back.index()] |= fresh;
            }
        }
    }

    /// Destinations for which the rules let traffic go from switch `from` by its port `port` to switch `at`.
    ///
    /// Model: a switch that can reach a destination going down does so, even where going up first would be shorter;
    /// otherwise tables that know only the destination would let a packet turn up again.
    fn allowed(&self, at: usize, from: usize, port: PortId) -> u64 {
        match self.up.get(port.index()) {
            None => u64::MAX,
            Some(true) => !self.below[from],
            Some(false) => self.below[at],
        }
    }

    fn row(&self, switch: NodeId) -> usize {
        (switch.0 - self.topology.hosts()) as usize
    }
}
