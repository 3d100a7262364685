use std::collections::BTreeMap;

use units::{ConnId, PortId, Time};

use crate::config::{Credit, FlowControl};
use crate::fabric::Fabric;
use crate::gate::Gate;
use crate::guard::{Guard, Limits, PauseGuard, threshold};
use crate::port::HERE;

/// A proof that some queues can never move again, on a snapshot between events.
///
/// The set is the greatest fixed point of "the gate that the head needs stays closed as long as the
/// set itself stays": every member waits for memory that only other members hold. Nothing outside
/// the set can free it, so none of its packets ever moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Every queue of the set, in the order in which their gates closed.
    pub queues: Vec<StuckQueue>,
    /// Indices in `queues` of the first cycle to close, each waiting for the next.
    pub cycle: Vec<usize>,
    /// When that cycle closed: the latest closing time in it.
    pub onset: Time,
    /// Index in `queues` of the member of the cycle whose gate closed first.
    pub root: usize,
}

/// A queue that can never move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckQueue {
    /// The output it waits for.
    pub port: PortId,
    /// Input whose packets it holds, where each input has a queue of its own.
    pub input: Option<PortId>,
    /// Its class.
    pub class: u8,
    /// When the gate of its output closed.
    pub closed: Time,
    /// Bytes in it.
    pub bytes: u64,
    /// Connections with packets in it.
    pub flows: Vec<ConnId>,
    /// Indices of the queues of the set that hold the memory it waits for.
    pub waits_for: Vec<usize>,
}

/// A candidate while the set shrinks.
struct Candidate {
    port: PortId,
    input: Option<PortId>,
    class: u8,
    head_blocks: u32,
    bytes: u64,
    flows: Vec<ConnId>,
    /// Units (bytes or blocks) charged to each guard, by lane.
    charged: BTreeMap<usize, u64>,
    alive: bool,
}

impl Fabric {
    /// Whether a gate has been closed, on a backlog, since before `since`: only then is a proof worth a try.
    pub fn blocked_since(&self, since: Time) -> bool {
        self.lanes.iter().any(|lane| {
            let closed = match lane.gate {
                Gate::Credit(gate) => gate.starved,
                _ => lane.closed_at(),
            };
            lane.queue.packets > 0 && closed.is_some_and(|closed| closed <= since)
        })
    }

    /// Looks for a deadlock at `now`: a snapshot between events, with all events up to `now` done.
    pub fn find_deadlock(&self, now: Time) -> Option<Deadlock> {
        let mut candidates = self.candidates();
        loop {
            let stuck = self.stuck(&candidates);
            let pools = self.pools(&stuck);
            let mut changed = false;
            for candidate in candidates.iter_mut().filter(|c| c.alive) {
                if !self.refused(candidate, &stuck, &pools, now) {
                    candidate.alive = false;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        candidates.retain(|c| c.alive);
        (!candidates.is_empty()).then(|| self.describe(candidates))
    }

    /// Every strictly ordered list of packets in a switch, in classes with flow control.
    fn candidates(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (index, lane) in self.lanes.iter().enumerate() {
            let (port, class) = (PortId((index / self.classes) as u32), (index % self.classes) as u8);
            let state = &self.ports[port.index()];
            let node = &self.nodes[state.node as usize];
            if !node.switch || matches!(lane.gate, Gate::Open) || lane.queue.packets == 0 {
                continue;
            }
            let per_input = lane.queue.is_per_input();
            lane.queue.chains(&self.packets, |chain| {
                let head = &self.packets[chain[0]];
                let input = |ingress: u16| PortId(node.first_port + u32::from(ingress));
                let mut candidate = Candidate {
                    port,
                    input: per_input.then(|| input(head.ingress)),
                    class,
                    head_blocks: Credit::blocks(head.size),
                    bytes: 0,
                    flows: Vec::new(),
                    charged: BTreeMap::new(),
                    alive: true,
                };
                for id in chain {
                    let packet = &self.packets[*id];
                    candidate.bytes += u64::from(packet.size);
                    candidate.flows.push(packet.conn);
                    if packet.ingress != HERE {
                        let guard = self.lane(input(packet.ingress), class);
                        *candidate.charged.entry(guard).or_default() += self.charge_units(guard, packet.size);
                    }
                }
                candidate.flows.sort_unstable();
                candidate.flows.dedup();
                candidates.push(candidate);
            });
        }
        candidates
    }

    fn charge_units(&self, lane: usize, size: u16) -> u64 {
        match self.lanes[lane].guard {
            Guard::Credit(_) => u64::from(Credit::blocks(size)),
            _ => u64::from(size),
        }
    }

    /// Bytes or blocks charged to each guard by the packets of the set.
    fn stuck(&self, candidates: &[Candidate]) -> Vec<u64> {
        let mut stuck = vec![0; self.lanes.len()];
        for candidate in candidates.iter().filter(|c| c.alive) {
            for (&guard, units) in &candidate.charged {
                stuck[guard] += units;
            }
        }
        stuck
    }

    /// Shared memory of each switch that the set alone would hold.
    fn pools(&self, stuck: &[u64]) -> Vec<u64> {
        let mut pools = vec![0; self.nodes.len()];
        for (index, lane) in self.lanes.iter().enumerate() {
            if let Guard::Pause(guard) = &lane.guard {
                pools[self.ports[index / self.classes].node as usize] += shared_alone(guard, stuck[index]);
            }
        }
        pools
    }

    /// Whether the gate that a queue needs stays closed while the set holds its memory.
    fn refused(&self, candidate: &Candidate, stuck: &[u64], pools: &[u64], now: Time) -> bool {
        let gate_lane = self.lane(candidate.port, candidate.class);
        let peer = self.ports[candidate.port.index()].peer;
        let guard_lane = self.lane(peer, candidate.class);
        let peer_node = self.ports[peer.index()].node as usize;
        if !self.nodes[peer_node].switch || self.ports[candidate.port.index()].frozen {
            return false;
        }
        match (&self.lanes[gate_lane].gate, &self.lanes[guard_lane].guard) {
            (Gate::Pause(gate), Guard::Pause(guard)) => {
                let FlowControl::Pfc(pfc) = &self.config.flow_control else { return false };
                let in_flight = self.lanes[guard_lane].frames()[0] != self.lanes[gate_lane].frames()[1]
                    || self.ports[peer.index()].pause_due & 1 << candidate.class != 0;
                pfc.refresh
                    && gate.is_stopped(now)
                    && guard.stopped
                    && !guard.forced
                    && !in_flight
                    && stays_stopped(guard, stuck[guard_lane], pools[peer_node])
            }
            (Gate::Credit(_), Guard::Credit(guard)) => {
                let free = u64::from(guard.buffer).saturating_sub(stuck[guard_lane]);
                free.min(u64::from(guard.window)) < u64::from(candidate.head_blocks)
            }
            _ => false,
        }
    }

    fn describe(&self, mut candidates: Vec<Candidate>) -> Deadlock {
        let closed = |c: &Candidate| {
            let lane = &self.lanes[self.lane(c.port, c.class)];
            match lane.gate {
                Gate::Credit(gate) => gate.starved,
                _ => lane.closed_at(),
            }
            .unwrap_or(Time::ZERO)
        };
        candidates.sort_by_key(|c| (closed(c), c.port, c.input));
        let queues: Vec<StuckQueue> = candidates
            .iter()
            .map(|c| {
                let guard = self.lane(self.ports[c.port.index()].peer, c.class);
                let holders = candidates.iter().enumerate().filter(|(_, other)| other.charged.contains_key(&guard));
                StuckQueue {
                    port: c.port,
                    input: c.input,
                    class: c.class,
                    closed: closed(c),
                    bytes: c.bytes,
                    flows: c.flows.clone(),
                    waits_for: holders.map(|(index, _)| index).collect(),
                }
            })
            .collect();
        let cycle = first_cycle(&queues);
        let onset = cycle.iter().map(|&q| queues[q].closed).max().unwrap_or(Time::ZERO);
        let root = cycle.iter().copied().min_by_key(|&q| (queues[q].closed, q)).unwrap_or(0);
        Deadlock { queues, cycle, onset, root }
    }
}

/// Shared bytes of a guard if only `stuck` of what it holds were left (headroom empties first).
fn shared_alone(guard: &PauseGuard, stuck: u64) -> u64 {
    match *guard.limits {
        Limits::Static { .. } => 0,
        Limits::Dynamic(pool) => {
            let gone = guard.held.saturating_sub(stuck);
            let in_headroom = guard.in_headroom.saturating_sub(gone);
            (stuck - in_headroom.min(stuck)).saturating_sub(pool.reserve.get())
        }
    }
}

/// Whether a guard would keep its sender stopped with only `stuck` of its bytes and `pool_used` of
/// the shared memory left.
fn stays_stopped(guard: &PauseGuard, stuck: u64, pool_used: u64) -> bool {
    match *guard.limits {
        Limits::Static { xon, .. } => stuck > xon,
        Limits::Dynamic(pool) => {
            let gone = guard.held.saturating_sub(stuck);
            let in_headroom = guard.in_headroom.saturating_sub(gone);
            let shared = shared_alone(guard, stuck);
            in_headroom > 0 || (shared > 0 && shared + pool.resume_offset.get() > threshold(&pool, pool_used))
        }
    }
}

/// Adds queues in the order in which their gates closed until the first cycle of waiting closes.
fn first_cycle(queues: &[StuckQueue]) -> Vec<usize> {
    for last in 0..queues.len() {
        if let Some(cycle) = cycle_through(queues, last) {
            return cycle;
        }
    }
    Vec::new()
}

/// A shortest cycle through `start` among the queues up to it, by breadth-first search.
fn cycle_through(queues: &[StuckQueue], start: usize) -> Option<Vec<usize>> {
    let mut before: Vec<Option<usize>> = vec![None; start + 1];
    let mut frontier = std::collections::VecDeque::from([start]);
    while let Some(queue) = frontier.pop_front() {
        for &next in queues[queue].waits_for.iter().filter(|&&next| next <= start) {
            if next == start {
                let mut cycle = vec![queue];
                while let Some(previous) = before[*cycle.last()?] {
                    cycle.push(previous);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if before[next].is_none() {
                before[next] = Some(queue);
                frontier.push_back(next);
            }
        }
    }
    None
}
