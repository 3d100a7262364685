use sim::{Change, TimedFault};
use topology::Topology;
use units::text::Fraction;
use units::{PortId, Time};

use super::Planner;
use super::topology::loss;
use crate::diagnostic::Code;
use crate::spec::{Fault, FaultKind, FlowControl};

/// The most pauses of one fault.
const PAUSE_LIMIT: u64 = 1_000_000;

/// Ranks that compute slower, and by what factor.
type Stragglers = Vec<(u32, f64)>;

impl Planner<'_> {
    /// Changes in order of time, and the ranks that faults make slow.
    pub(super) fn timed_faults(&mut self, topology: &Topology) -> Option<(Vec<TimedFault>, Stragglers)> {
        let faults = self.scenario.spec.faults.clone();
        let (mut timed, mut stragglers) = (Vec::new(), Vec::new());
        for (index, fault) in faults.iter().enumerate() {
            if let FaultKind::Straggler(straggler) = &fault.kind {
                stragglers.push((straggler.rank, straggler.slowdown.as_f64()));
                continue;
            }
            let path = format!("faults.{}", fault.name.clone().unwrap_or_else(|| index.to_string()));
            if let FaultKind::NicPause { node, nic, class, duty, period } = &fault.kind {
                let port = self.host_port(topology, node, *nic, &path)?;
                let pauses = self.pauses(fault, *class, *duty, *period, &path)?;
                timed.extend(
                    pauses
                        .into_iter()
                        .map(|(at, class, stop)| TimedFault { at, change: Change::Pause(port, class, stop) }),
                );
                continue;
            }
            for (begin, end) in self.changes(topology, fault, &path)? {
                timed.push(TimedFault { at: fault.at, change: begin });
                timed.extend(fault.until.map(|at| TimedFault { at, change: end }));
            }
        }
        timed.sort_by_key(|fault: &TimedFault| fault.at);
        Some((timed, stragglers))
    }

    /// What a fault changes when it begins, and back when it ends.
    fn changes(&mut self, topology: &Topology, fault: &Fault, path: &str) -> Option<Vec<(Change, Change)>> {
        if fault.until.is_some_and(|until: Time| until <= fault.at) {
            self.refuse(Code::Contradiction, &format!("{path}.until"), "the fault ends before it begins", "");
            return None;
        }
        let on_link = |planner: &mut Self, link, change: &dyn Fn(PortId) -> (Change, Change)| {
            let ports = planner.link(topology, link, &format!("{path}.link"))?;
            Some(ports.into_iter().map(change).collect())
        };
        match &fault.kind {
            FaultKind::Loss { link, rate } => on_link(self, link, &|port| {
                (Change::Loss(port, loss(*rate)), Change::Loss(port, topology.ports[port.index()].loss))
            }),
            FaultKind::Drop { link, every } => on_link(self, link, &|port| {
                let every = u32::try_from(*every).unwrap_or(u32::MAX);
                (Change::DropEvery(port, every), Change::DropEvery(port, 0))
            }),
            FaultKind::Degrade { link, rate } => on_link(self, link, &|port| {
                (Change::Rate(port, *rate), Change::Rate(port, topology.ports[port.index()].rate))
            }),
            FaultKind::SlowReceiver { node, nic, rate } => {
                let port = self.host_port(topology, node, *nic, path)?;
                Some(vec![(Change::Consume(port, Some(*rate)), Change::Consume(port, None))])
            }
            FaultKind::NicPause { .. } | FaultKind::Straggler(_) => Some(Vec::new()),
        }
    }

    /// When a NIC begins and ceases to pause its peer, and in which class in use.
    fn pauses(
        &mut self,
        fault: &Fault,
        class: Option<u8>,
        duty: Fraction,
        period: Time,
        path: &str,
    ) -> Option<Vec<(Time, u8, bool)>> {
        if !matches!(self.scenario.spec.fabric.flow_control, FlowControl::Pfc(_)) {
            self.warn(Code::NoEffect, path, "without `flow_control: pfc` nobody obeys a PAUSE");
        }
        let Some(class) = self.class(class) else {
            self.warn(Code::NoEffect, path, "no data has this class");
            return Some(Vec::new());
        };
        if duty >= Fraction::ONE {
            let end = fault.until.map(|until| (until, class, false));
            return Some(std::iter::once((fault.at, class, true)).chain(end).collect());
        }
        let Some(until) = fault.until.or(self.scenario.spec.run.until).filter(|until| *until > fault.at) else {
            let text = "a NIC that pauses now and then needs an end";
            self.refuse(Code::Contradiction, &format!("{path}.duty"), text, "give the fault an `until`");
            return None;
        };
        let rounds = (until - fault.at).ps().div_ceil(period.ps());
        if rounds > PAUSE_LIMIT {
            let text = format!("{rounds} pauses are more than {PAUSE_LIMIT}");
            self.refuse(Code::Impossible, &format!("{path}.period"), text, "take a longer period");
            return None;
        }
        let on = (u128::from(period.ps()) * u128::from(duty.numerator()) / u128::from(duty.denominator())) as u64;
        if on == 0 {
            self.warn(Code::NoEffect, &format!("{path}.duty"), "the pauses have no length");
            return Some(Vec::new());
        }
        let round = |n: u64| {
            let begin = fault.at + period * n;
            [(begin, class, true), ((begin + Time::from_ps(on)).min(until), class, false)]
        };
        Some((0..rounds).flat_map(round).collect())
    }

    fn host_port(&mut self, topology: &Topology, node: &str, nic: u32, path: &str) -> Option<PortId> {
        let name = format!("{node}.nic{nic}");
        let nic = self.nic(topology, &name, &format!("{path}.node"))?;
        Some(topology.nics[nic as usize])
    }
}
