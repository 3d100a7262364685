use std::collections::BTreeSet;

use units::{Rate, Time};

use super::Rules;
use crate::diagnostic::Code;
use crate::spec::{
    Algorithm, Arrival, Collective, CollectiveKind, FaultKind, Flow, FlowControl, FlowSize, Jitter, Pattern,
    PatternKind, RoutingKind, Technology, Topology, Work,
};

impl Rules<'_> {
    pub(super) fn workload(&mut self) {
        match &self.spec.workload.work {
            Work::Collective(collective) => self.collective(collective),
            Work::Flows(flows) => self.flows(flows),
            Work::Pattern(pattern) => self.pattern(pattern),
        }
        if !matches!(self.spec.workload.work, Work::Collective(_)) {
            self.without_effect("workload.placement", "flows name their hosts");
        }
    }

    fn collective(&mut self, collective: &Collective) {
        if self.spec.fabric.routing.kind == RoutingKind::Explicit {
            let text = "`routing: explicit` needs a `path` for every flow, and a collective has none";
            self.refuse(Code::Contradiction, "fabric.routing.kind", text, "take `ecmp` or `d-mod-k`");
        }
        let rooted = matches!(collective.kind, CollectiveKind::Broadcast | CollectiveKind::Reduce);
        if let Some(ranks) = self.ranks() {
            if rooted && u64::from(collective.root) >= ranks {
                let text = format!("there is no rank {}: ranks are 0 to {}", collective.root, ranks - 1);
                self.add(Code::UnknownName, "workload.root", text);
            }
            if let Some(rank) =
                self.spec.host.straggler.map(|straggler| straggler.rank).filter(|r| u64::from(*r) >= ranks)
            {
                let text = format!("there is no rank {rank}: ranks are 0 to {}", ranks - 1);
                self.add(Code::UnknownName, "host.straggler.rank", text);
            }
        }
        if collective.algorithm == Algorithm::HalvingDoubling {
            self.without_effect("workload.slice", "halving-doubling sends one message a turn");
        }
        self.data_class("workload.class", self.spec.workload.class);
        if collective.compute == Time::ZERO {
            let why = "there is no compute phase (`workload.compute`)";
            self.without_effect("host.straggler", why);
            if self.spec.host.jitter != Jitter::None {
                self.without_effect("host.jitter", why);
            }
        }
    }

    /// GPUs in all, each of them a rank.
    fn ranks(&self) -> Option<u64> {
        match &self.spec.topology {
            Topology::Custom { hosts, .. } => Some(hosts.iter().map(|host| u64::from(host.gpus)).sum()),
            _ => self.size().map(|size| u64::from(size.hosts) * u64::from(size.gpus_per_host)),
        }
    }

    fn flows(&mut self, flows: &[Flow]) {
        if flows.is_empty() {
            let help = "write `flows: [{src: h0, dst: h1, size: 1MiB}]` or `pattern: permutation`";
            self.refuse(Code::MissingKey, "workload", "the workload has neither `flows` nor a `pattern`", help);
        }
        for key in ["size", "rate", "stop", "shift", "fan_in", "dst", "qps"] {
            self.without_effect(&format!("workload.{key}"), "it is for patterns, and the flows are listed");
        }
        self.data_class("workload.class", self.spec.workload.class);
        let mut names = BTreeSet::new();
        for (index, flow) in flows.iter().enumerate() {
            let path = format!("workload.flows.{index}");
            if !names.insert(flow.name.as_str()) {
                self.add(Code::Contradiction, &path, format!("two flows are named `{}`", flow.name));
            }
            self.flow(&path, flow);
        }
    }

    /// Whether the technology has such a class.
    fn data_class(&mut self, path: &str, class: Option<u8>) {
        let Some(class) = class else { return };
        let fabric = &self.spec.fabric;
        if fabric.technology == Technology::Roce && class > 7 {
            let text = format!("there is no priority {class}: Ethernet has 0 to 7");
            self.add(Code::Impossible, path, text);
        }
        if class > 0 && matches!(&fabric.flow_control, FlowControl::Credit(credit) if credit.vls == 1) {
            self.without_effect(path, "all data has lane 0 (`fabric.credit.vls` is 1)");
        }
    }

    fn flow(&mut self, path: &str, flow: &Flow) {
        self.data_class(&format!("{path}.class"), flow.class);
        if flow.rate == Some(Rate::ZERO) && flow.size != FlowSize::Unlimited {
            let text = format!("flow `{}` never sends its bytes at 0bps", flow.name);
            self.refuse(Code::Contradiction, &format!("{path}.rate"), text, "give it a rate, or `size: unlimited`");
        }
        self.host_name(&format!("{path}.src"), &flow.src);
        self.host_name(&format!("{path}.dst"), &flow.dst);
        if flow.src == flow.dst {
            let text = format!("flow `{}` leads from `{}` to itself", flow.name, flow.src);
            self.add(Code::Impossible, &format!("{path}.dst"), text);
        }
        if flow.stop.is_some_and(|stop| stop <= flow.start) {
            let text = format!("flow `{}` stops before it starts", flow.name);
            self.add(Code::Contradiction, &format!("{path}.stop"), text);
        }
        self.ending(&format!("{path}.size"), &format!("flow `{}`", flow.name), flow.size, flow.stop);
        if !flow.path.is_empty() {
            self.flow_path(&format!("{path}.path"), &flow.path, &flow.src, &flow.dst);
        } else if self.spec.fabric.routing.kind == RoutingKind::Explicit {
            let text = format!("`routing: explicit` needs a `path` for every flow, and `{}` has none", flow.name);
            self.add(Code::Contradiction, path, text);
        }
        if flow.arrival == Arrival::Poisson && flow.rate.is_none() {
            self.without_effect(&format!("{path}.arrival"), "without a `rate` the flow sends as fast as it can");
        }
    }

    fn ending(&mut self, path: &str, who: &str, size: FlowSize, stop: Option<Time>) {
        if size == FlowSize::Unlimited && stop.is_none() && self.spec.run.until.is_none() {
            let text = format!("{who} is unlimited, and nothing ends the run");
            self.refuse(Code::Contradiction, path, text, "give `run: {until: 5ms}`, or the flow a `stop`");
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        if self.root.at("workload.size").is_none() {
            let help = "add `size: 4MiB`, or `size: unlimited`";
            self.refuse(Code::MissingKey, "workload", "`workload.size` is missing: payload of each flow", help);
        } else {
            self.ending("workload.size", "the pattern", pattern.size, pattern.stop);
        }
        if self.spec.fabric.routing.kind == RoutingKind::Explicit {
            let text = "`routing: explicit` needs a `path` for every flow, and a pattern has none";
            self.add(Code::Contradiction, "fabric.routing.kind", text);
        }
        self.data_class("workload.class", self.spec.workload.class);
        if pattern.kind != PatternKind::Shift {
            self.without_effect("workload.shift", "the pattern is no shift");
        }
        if pattern.kind != PatternKind::Incast {
            self.without_effect("workload.fan_in", "the pattern is no incast");
            self.without_effect("workload.dst", "the pattern is no incast");
        } else if let Some(dst) = &pattern.dst {
            self.host_name("workload.dst", dst);
        }
        let hosts = match &self.spec.topology {
            Topology::Custom { hosts, .. } => u32::try_from(hosts.len()).ok(),
            _ => self.size().map(|size| size.hosts),
        };
        let Some(hosts) = hosts else { return };
        if pattern.kind == PatternKind::Incast && pattern.fan_in.is_some_and(|fan_in| fan_in >= hosts) {
            let text = format!("an incast among {hosts} hosts has at most {} senders", hosts - 1);
            self.add(Code::Impossible, "workload.fan_in", text);
        }
        if pattern.kind == PatternKind::Shift && pattern.shift.is_some_and(|shift| shift.is_multiple_of(hosts)) {
            let text = format!("a shift by a multiple of {hosts}, the number of hosts, sends every host to itself");
            self.add(Code::Impossible, "workload.shift", text);
        }
    }

    pub(super) fn faults(&mut self) {
        for (index, fault) in self.spec.faults.iter().enumerate() {
            let path = format!("faults.{index}");
            if fault.until.is_some_and(|until| until <= fault.at) {
                self.add(Code::Contradiction, &format!("{path}.until"), "the fault ends before it begins");
            }
            match &fault.kind {
                FaultKind::Loss { link, .. } | FaultKind::Drop { link, .. } | FaultKind::Degrade { link, .. } => {
                    self.link_name(&format!("{path}.link"), link);
                }
                FaultKind::NicPause { node, .. } | FaultKind::SlowReceiver { node, .. } => {
                    self.host_name(&format!("{path}.node"), node);
                }
                FaultKind::Straggler(straggler) => {
                    if let Some(ranks) = self.ranks().filter(|ranks| u64::from(straggler.rank) >= *ranks) {
                        let text = format!("there is no rank {}: ranks are 0 to {}", straggler.rank, ranks - 1);
                        self.add(Code::UnknownName, &format!("{path}.rank"), text);
                    }
                }
            }
        }
    }
}
