use fabric::{Deadlock, Fabric};
use topology::Topology;
use units::Time;

use crate::outcome::{BlockedQueue, DeadlockReport};

/// Decides when to look for a deadlock: rarely, at intervals that double while nothing is found.
/// What is found does not depend on when one looks, only how soon.
#[derive(Debug)]
pub(crate) struct Watch {
    next: Time,
    interval: Time,
    found: Option<(Time, Deadlock)>,
}

/// Gates that closed more recently than this may still open in the ordinary course of things.
const PATIENCE: Time = Time::from_us(20);
const LONGEST: Time = Time::from_ms(1);

impl Watch {
    pub(crate) fn new() -> Watch {
        Watch { next: PATIENCE, interval: PATIENCE, found: None }
    }

    /// When to look next; never once a deadlock is proven.
    pub(crate) fn next(&self) -> Time {
        if self.found.is_some() { Time::MAX } else { self.next }
    }

    /// Nothing is pending before `event`: looking earlier would find the same.
    pub(crate) fn skip_to(&mut self, event: Option<Time>) {
        self.next = self.next.max(event.unwrap_or(Time::MAX));
    }

    /// Looks on a snapshot at `now`. Whether a deadlock has been proven, now or before.
    pub(crate) fn look(&mut self, fabric: &Fabric, now: Time) -> bool {
        if self.found.is_none() {
            if fabric.blocked_since(now.saturating_sub(PATIENCE)) {
                self.found = fabric.find_deadlock(now).map(|deadlock| (now, deadlock));
                self.interval = self.interval.saturating_mul(2).min(LONGEST);
            } else {
                self.interval = PATIENCE;
            }
            self.next = now.saturating_add(self.interval);
        }
        self.found.is_some()
    }

    /// Looks once more when nothing is pending: what rests then is deadlocked or held from outside.
    pub(crate) fn look_at_rest(&mut self, fabric: &Fabric, now: Time) -> bool {
        if self.found.is_none() {
            self.found = fabric.find_deadlock(now).map(|deadlock| (now, deadlock));
        }
        self.found.is_some()
    }

    /// The deadlock that was proven, told in names.
    pub(crate) fn report(&self, topology: &Topology, flow_name: impl Fn(usize) -> String) -> Option<DeadlockReport> {
        let (detected, deadlock) = self.found.as_ref()?;
        let queue = |queue: &fabric::StuckQueue| BlockedQueue {
            port: topology.port_name(queue.port),
            input: queue.input.map(|input| topology.port_name(topology.ports[input.index()].peer)),
            class: queue.class,
            closed: queue.closed,
            bytes: queue.bytes,
            waits_for: queue.waits_for.clone(),
        };
        let mut flows: Vec<usize> =
            deadlock.queues.iter().flat_map(|q| q.flows.iter().map(|conn| conn.index())).collect();
        flows.sort_unstable();
        flows.dedup();
        Some(DeadlockReport {
            onset: deadlock.onset,
            detected: *detected,
            queues: deadlock.queues.iter().map(queue).collect(),
            cycle: deadlock.cycle.clone(),
            root: deadlock.root,
            flows: flows.into_iter().map(flow_name).collect(),
        })
    }
}
