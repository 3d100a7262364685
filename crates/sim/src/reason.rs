use engine::{Engine, EventQueue};
use fabric::Policy;
use units::{ConnId, PortId, Time};
use wire::Kind;

use crate::network::Network;
use crate::outcome::Cause;

/// What the last message of a step met on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) port: PortId,
    pub(crate) cause: Cause,
    /// Mean wait of a packet there, or time stopped, within the step.
    pub(crate) time: Time,
}

/// What a port had counted when the last step ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    waited: u64,
    served: u64,
    paused: Time,
    starved: Time,
}

impl Network<'_> {
    /// The step that `conn`'s message ended: where on its way packets waited longest since the step before.
    /// `None` where nothing waited, or where packets of a flow take many ways.
    pub(crate) fn explain<Q: EventQueue>(&mut self, engine: &Engine<Q>, conn: ConnId) -> Option<Reason> {
        let now = engine.now();
        let record = &self.endpoints.conns[conn.index()];
        let (class, first, dst) = (record.class, record.src_port, record.dst);
        let per_packet = matches!(self.fabric.policy(), Policy::Spray | Policy::Adaptive);
        let way = if per_packet { Vec::new() } else { self.way(engine, conn, Kind::Data, first, dst) };
        let reasons = way.iter().flat_map(|&port| self.waits_at(port, class, now));
        let reason = reasons.filter(|reason| reason.time > Time::ZERO).max_by_key(|reason| reason.time);
        self.count_all(class, now);
        reason
    }

    fn waits_at(&self, port: PortId, class: u8, now: Time) -> [Reason; 3] {
        let before = self.counted.get(port.index()).copied().unwrap_or_default();
        let counters = self.fabric.class_counters(port, class, now);
        let mean = counters.waited.wrapping_sub(before.waited).checked_div(counters.served - before.served);
        let reason = |cause, time| Reason { port, cause, time };
        [
            reason(Cause::Queue, Time::from_ps(mean.unwrap_or(0))),
            reason(Cause::Pause, counters.paused.saturating_sub(before.paused)),
            reason(Cause::Credits, counters.credit_stall.saturating_sub(before.starved)),
        ]
    }

    fn count_all(&mut self, class: u8, now: Time) {
        let count = |port: usize| {
            let counters = self.fabric.class_counters(PortId(port as u32), class, now);
            let (paused, starved) = (counters.paused, counters.credit_stall);
            Counted { waited: counters.waited, served: counters.served, paused, starved }
        };
        self.counted = (0..self.node_of.len()).map(count).collect();
    }
}
