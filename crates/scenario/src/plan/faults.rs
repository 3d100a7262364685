use sim::{Change, TimedFault};
use topology::Topology;
use units::{PortId, Time};

use super::Planner;
use super::topology::loss;
use crate::diagnostic::Code;
use crate::spec::{Fault, FaultKind, FlowControl};

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
            FaultKind::NicPause { node, nic, duty } => {
                if duty.as_f64() < 1.0 {
                    let text = "a NIC that pauses part of the time is not supported yet";
                    self.refuse(Code::NotYet, &format!("{path}.duty"), text, "leave `duty` out");
                    return None;
                }
                if !matches!(self.scenario.spec.fabric.flow_control, FlowControl::Pfc(_)) {
                    self.warn(Code::NoEffect, path, "without `flow_control: pfc` nobody obeys a PAUSE");
                }
                let port = self.host_port(topology, node, *nic, path)?;
                Some(vec![(Change::Pause(port, 1, true), Change::Pause(port, 1, false))])
            }
            FaultKind::SlowReceiver { node, nic, rate } => {
                let port = self.host_port(topology, node, *nic, path)?;
                Some(vec![(Change::Consume(port, Some(*rate)), Change::Consume(port, None))])
            }
            FaultKind::Straggler(_) => Some(Vec::new()),
        }
    }

    fn host_port(&mut self, topology: &Topology, node: &str, nic: u32, path: &str) -> Option<PortId> {
        let name = format!("{node}.nic{nic}");
        let nic = self.nic(topology, &name, &format!("{path}.node"))?;
        Some(topology.nics[nic as usize])
    }
}
