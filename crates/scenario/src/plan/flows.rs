use collective::Split;
use sim::{FlowSpec, Purpose, Stream};
use topology::{NodeKind, Topology};
use transport::Spacing;
use units::{Bytes, NodeId, PortId, Rate};

use super::Planner;
use super::workload::{Ground, Starts};
use crate::diagnostic::Code;
use crate::spec::{self, Arrival, FlowSize, PatternKind};

/// The most flows that a pattern may make.
const FLOW_LIMIT: u64 = 4_000_000;

impl Planner<'_> {
    pub(super) fn flows(&mut self, ground: &Ground<'_>, flows: &[spec::Flow]) -> Option<Vec<FlowSpec>> {
        let mut starts = self.starts();
        let made: Vec<Option<Vec<FlowSpec>>> = flows
            .iter()
            .enumerate()
            .map(|(index, flow)| {
                let whole = self.flow(ground, flow, index, &mut starts)?;
                self.spread(whole, flow.qps, &format!("workload.flows.{index}.qps"))
            })
            .collect();
        made.into_iter().collect::<Option<Vec<_>>>().map(|made| made.concat())
    }

    fn flow(&mut self, ground: &Ground<'_>, flow: &spec::Flow, index: usize, starts: &mut Starts) -> Option<FlowSpec> {
        let topology = ground.topology;
        let base = "workload.flows";
        let at = if flow.name.is_empty() { format!("{base}.{index}") } else { format!("{base}.{}", flow.name) };
        let src = self.nic(topology, &flow.src, &format!("{at}.src"));
        let dst = self.nic(topology, &flow.dst, &format!("{at}.dst"));
        let (mut src, mut dst) = (src?, dst?);
        let owner = |nic: u32| topology.ports[topology.nics[nic as usize].index()].node;
        if owner(src) == owner(dst) {
            let text = format!("`{}` would send to itself", flow.src);
            self.refuse(Code::Impossible, &format!("{at}.dst"), text, "take another host");
            return None;
        }
        let path = match flow.path.is_empty() {
            true => None,
            false => {
                let path = self.path(topology, flow, owner(src), owner(dst), &format!("{at}.path"))?;
                src = topology.ports[path[0].index()].nic.unwrap_or(src);
                let last = topology.ports[path[path.len() - 1].index()].peer;
                dst = topology.ports[last.index()].nic.unwrap_or(dst);
                Some(path)
            }
        };
        if path.is_none() && !ground.leads(src, dst) {
            let text = format!("no route leads from `{}` to `{}`", flow.src, flow.dst);
            self.refuse(Code::Impossible, &at, text, "join their switches, or take hosts of one rail");
            return None;
        }
        Some(FlowSpec {
            name: flow.name.clone(),
            src,
            dst,
            size: finite(flow.size),
            start: starts.next().saturating_add(flow.start),
            stop: flow.stop,
            rate: flow.rate,
            arrival: spacing(flow.arrival),
            class: self.class(flow.class)?,
            ttl: flow.ttl,
            path,
        })
    }

    /// A flow over several connections is as many flows, each with its part of size and rate.
    fn spread(&mut self, whole: FlowSpec, qps: u32, at: &str) -> Option<Vec<FlowSpec>> {
        if qps == 1 {
            return Some(vec![whole]);
        }
        if whole.size.is_some_and(|size| size.get() < u64::from(qps)) {
            self.refuse(Code::Impossible, at, "there are fewer bytes than connections", "take fewer connections");
            return None;
        }
        let part = |total: u64, index: u32| {
            let range = Split::new(total, qps).range(index);
            range.end - range.start
        };
        let one = |index: u32| FlowSpec {
            name: format!("{}#{index}", whole.name),
            size: whole.size.map(|size| Bytes::new(part(size.get(), index))),
            rate: whole.rate.map(|rate| Rate::from_bps(part(rate.bps(), index))),
            ..whole.clone()
        };
        Some((0..qps).map(one).collect())
    }

    fn path(
        &mut self,
        topology: &Topology,
        flow: &spec::Flow,
        src: NodeId,
        dst: NodeId,
        at: &str,
    ) -> Option<Vec<PortId>> {
        let ports = self.walk(topology, &flow.path, at)?;
        let (first, last) = (ports.first().copied(), ports.last().copied());
        let ends = first.zip(last).map(|(first, last)| (topology.ports[first.index()].node, topology.neighbour(last)));
        if ends != Some((src, dst)) {
            let text = format!("the path does not lead from `{}` to `{}`", flow.src, flow.dst);
            self.refuse(Code::Contradiction, at, text, "begin it with `src` and end it with `dst`");
            return None;
        }
        let inner = flow.path[1..flow.path.len() - 1].iter().enumerate();
        for (index, name) in inner {
            if topology
                .node(name)
                .is_some_and(|node| matches!(topology.nodes[node.index()].kind, NodeKind::Host { .. }))
            {
                let text = format!("`{name}` is a host, and hosts do not forward");
                self.refuse(Code::Impossible, &format!("{at}.{}", index + 1), text, "");
                return None;
            }
        }
        if ports.len() > usize::from(u8::MAX) {
            self.refuse(Code::Impossible, at, "a path has at most 255 links", "");
            return None;
        }
        Some(ports)
    }

    pub(super) fn pattern(&mut self, ground: &Ground<'_>, pattern: &spec::Pattern) -> Option<Vec<FlowSpec>> {
        let topology = ground.topology;
        let hosts = topology.hosts();
        let pairs = self.pairs(topology, pattern, hosts)?;
        let class = self.class(None)?;
        let mut starts = self.starts();
        let mut flows = Vec::new();
        for (src, dst) in pairs {
            let nics = topology.nodes[src as usize].ports.min(topology.nodes[dst as usize].ports);
            for nic in 0..nics {
                let ends = topology.host_nic(NodeId(src), nic).zip(topology.host_nic(NodeId(dst), nic));
                let Some((from, to)) = ends else { continue };
                let name = |host: u32| match nics {
                    1 => topology.nodes[host as usize].name.clone(),
                    _ => format!("{}.nic{nic}", topology.nodes[host as usize].name),
                };
                if !ground.leads(from, to) {
                    let text = format!("no route leads from `{}` to `{}`", name(src), name(dst));
                    self.refuse(Code::Impossible, "workload.pattern", text, "");
                    return None;
                }
                let whole = FlowSpec {
                    name: format!("{}->{}", name(src), name(dst)),
                    src: from,
                    dst: to,
                    size: finite(pattern.size),
                    start: starts.next(),
                    stop: pattern.stop,
                    rate: pattern.rate,
                    arrival: spacing(pattern.arrival),
                    class,
                    ttl: u8::MAX,
                    path: None,
                };
                flows.extend(self.spread(whole, pattern.qps, "workload.qps")?);
            }
            if flows.len() as u64 > FLOW_LIMIT {
                let text = format!("the pattern makes more than {FLOW_LIMIT} flows");
                self.refuse(Code::Impossible, "workload", text, "take fewer hosts or connections");
                return None;
            }
        }
        Some(flows)
    }

    /// Pairs of hosts that a pattern makes.
    fn pairs(&mut self, topology: &Topology, pattern: &spec::Pattern, hosts: u32) -> Option<Vec<(u32, u32)>> {
        if pattern.kind == PatternKind::AllToAll && u64::from(hosts) * u64::from(hosts) > FLOW_LIMIT {
            let text = format!("all-to-all over {hosts} hosts makes more than {FLOW_LIMIT} flows");
            self.refuse(Code::Impossible, "workload.pattern", text, "take fewer hosts, or `kind: all-to-all`");
            return None;
        }
        Some(match pattern.kind {
            PatternKind::Permutation => permutation(self.scenario.spec.streams.arrivals, hosts),
            PatternKind::AllToAll => {
                (1..hosts).flat_map(|step| (0..hosts).map(move |src| (src, (src + step) % hosts))).collect()
            }
            PatternKind::Shift => {
                let shift = pattern.shift.unwrap_or(hosts / 2);
                if shift.is_multiple_of(hosts) {
                    let text = format!("a shift of {shift} over {hosts} hosts sends every host to itself");
                    self.refuse(Code::Impossible, "workload.shift", text, "take 1 or more, below the number of hosts");
                    return None;
                }
                (0..hosts).map(|src| (src, (src + shift) % hosts)).collect()
            }
            PatternKind::Incast => {
                let dst = match &pattern.dst {
                    Some(name) => self.node(topology, name, "workload.dst")?.0,
                    None => 0,
                };
                let senders = pattern.fan_in.unwrap_or(hosts - 1);
                if dst >= hosts || senders >= hosts {
                    let text = format!("{senders} senders to one receiver do not fit {hosts} hosts");
                    self.refuse(Code::Impossible, "workload.fan_in", text, format!("at most {}", hosts - 1));
                    return None;
                }
                (0..hosts).filter(|src| *src != dst).take(senders as usize).map(|src| (src, dst)).collect()
            }
        })
    }
}

/// A random permutation without fixed points that is one cycle (Sattolo).
fn permutation(seed: u64, hosts: u32) -> Vec<(u32, u32)> {
    let mut stream = Stream::new(seed, Purpose::Placement, 0);
    let mut to: Vec<u32> = (0..hosts).collect();
    for last in (1..hosts as usize).rev() {
        to.swap(last, stream.below(last as u64) as usize);
    }
    (0..hosts).zip(to).collect()
}

fn finite(size: FlowSize) -> Option<Bytes> {
    match size {
        FlowSize::Finite(bytes) => Some(bytes),
        FlowSize::Unlimited => None,
    }
}

fn spacing(arrival: Arrival) -> Spacing {
    match arrival {
        Arrival::Constant => Spacing::Constant,
        Arrival::Poisson => Spacing::Poisson,
    }
}
