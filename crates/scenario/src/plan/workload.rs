use collective::{AllToAll, Chain, Cost, Layout, Ring, Schedule, SendRecv, Slicing};
use sim::{CollectiveSpec, FlowSpec, HostConfig, Purpose, RankPlace, Stream, Workload};
use topology::{NodeKind, Routes, Topology};
use transport::{Spacing, TransportConfig};
use units::{Bytes, NodeId, PortId, Rate, Time};

use super::Planner;
use crate::diagnostic::Code;
use crate::spec::{self, Arrival, CollectiveKind, FlowSize, PatternKind, Work};

/// Links between switches that a packet may cross when a flow says nothing.
const DEFAULT_TTL: u8 = u8::MAX;

/// The most flows that a pattern may make.
const FLOW_LIMIT: u64 = 4_000_000;

impl Planner<'_> {
    pub(super) fn workload(
        &mut self,
        topology: &Topology,
        routes: &Routes,
        transport: &TransportConfig,
        host: &HostConfig,
    ) -> Option<Workload> {
        match self.scenario.spec.workload.work.clone() {
            Work::Flows(flows) => {
                let made: Vec<Option<FlowSpec>> =
                    flows.iter().enumerate().map(|(index, flow)| self.flow(topology, routes, flow, index)).collect();
                made.into_iter().collect::<Option<Vec<_>>>().map(Workload::Flows)
            }
            Work::Pattern(pattern) => self.pattern(topology, routes, &pattern).map(Workload::Flows),
            Work::Collective(wanted) => {
                self.collective(topology, routes, transport, host, &wanted).map(Workload::Collective)
            }
        }
    }

    fn flow(&mut self, topology: &Topology, routes: &Routes, flow: &spec::Flow, index: usize) -> Option<FlowSpec> {
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
        if path.is_none() && routes.path(topology, src, dst, |_, ways| ways[0]).is_none() {
            let text = format!("no route leads from `{}` to `{}`", flow.src, flow.dst);
            self.refuse(Code::Impossible, &at, text, "join their switches, or take hosts of one rail");
            return None;
        }
        Some(FlowSpec {
            name: flow.name.clone(),
            src,
            dst,
            size: finite(flow.size),
            start: flow.start,
            stop: flow.stop,
            rate: flow.rate,
            arrival: spacing(flow.arrival),
            class: 1,
            ttl: DEFAULT_TTL,
            path,
        })
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

    fn pattern(&mut self, topology: &Topology, routes: &Routes, pattern: &spec::Pattern) -> Option<Vec<FlowSpec>> {
        let hosts = topology.hosts();
        let pairs = self.pairs(topology, pattern, hosts)?;
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
                if routes.path(topology, from, to, |_, ways| ways[0]).is_none() {
                    let text = format!("no route leads from `{}` to `{}`", name(src), name(dst));
                    self.refuse(Code::Impossible, "workload.pattern", text, "");
                    return None;
                }
                flows.push(FlowSpec {
                    name: format!("{}->{}", name(src), name(dst)),
                    src: from,
                    dst: to,
                    size: finite(pattern.size),
                    start: self.scenario.spec.workload.start,
                    stop: pattern.stop,
                    rate: pattern.rate,
                    arrival: spacing(pattern.arrival),
                    class: 1,
                    ttl: DEFAULT_TTL,
                    path: None,
                });
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

    fn collective(
        &mut self,
        topology: &Topology,
        routes: &Routes,
        transport: &TransportConfig,
        host: &HostConfig,
        wanted: &spec::Collective,
    ) -> Option<CollectiveSpec> {
        let layout = self.layout(topology)?;
        let ranks = layout.ranks();
        if ranks < 2 {
            self.refuse(Code::Impossible, "workload", "one rank has nobody to exchange data with", "take more GPUs");
            return None;
        }
        if wanted.root >= ranks {
            let text = format!("the root is rank {}, but the ranks are 0 to {}", wanted.root, ranks - 1);
            self.refuse(Code::Impossible, "workload.root", text, "");
            return None;
        }
        let (schedule, algorithm) = schedule(layout, wanted);
        if !self.reachable(topology, routes, &*schedule, layout) {
            return None;
        }
        let run = &self.scenario.spec.run;
        let size = wanted.size.get();
        let all_reduce = wanted.kind == CollectiveKind::AllReduce;
        let traffic = u128::from(ranks - 1) * u128::from(size) * if all_reduce { 2 } else { 1 };
        let on_ring = algorithm == "ring";
        let cost = cost(topology, routes, transport, host, self.switching().latency, layout, on_ring);
        Some(CollectiveSpec {
            kind: spec_word(wanted.kind).to_string(),
            algorithm: algorithm.to_string(),
            size: wanted.size,
            traffic,
            bus_factor: schedule.collective().bus_factor(ranks),
            analytic: schedule.analytic(cost),
            ranks: (0..ranks)
                .map(|rank| RankPlace {
                    host: layout.host(rank),
                    gpu: layout.gpu(rank) as u16,
                    nic: layout.nic(rank) as u16,
                })
                .collect(),
            compute: wanted.compute,
            steps: run.steps,
            warmup: run.warmup,
            class: 1,
            schedule,
        })
    }

    /// Ranks host by host; every host must be alike.
    fn layout(&mut self, topology: &Topology) -> Option<Layout> {
        let hosts = topology.hosts();
        let shape = |host: u32| {
            let node = &topology.nodes[host as usize];
            match node.kind {
                NodeKind::Host { gpus } => (u32::from(gpus), u32::from(node.ports)),
                NodeKind::Switch { .. } => (0, 0),
            }
        };
        let first = shape(0);
        if let Some(other) = (1..hosts).find(|host| shape(*host) != first) {
            let text = format!(
                "`{}` has other GPUs or ports than `{}`",
                topology.nodes[other as usize].name, topology.nodes[0].name
            );
            self.refuse(Code::Impossible, "workload", text, "collectives run over hosts that are alike");
            return None;
        }
        Some(Layout::new(hosts, first.0, first.1))
    }

    /// Whether a route leads along every channel of a schedule.
    fn reachable(&mut self, topology: &Topology, routes: &Routes, schedule: &dyn Schedule, layout: Layout) -> bool {
        for from in 0..schedule.ranks() {
            for channel in schedule.channels(from) {
                let (a, b) = (layout.host(from), layout.host(channel.to));
                if a == b {
                    continue;
                }
                let nic = |host: u32, rank: u32| {
                    topology.host_nic(NodeId(host), channel.nic.unwrap_or(layout.nic(rank)) as u16)
                };
                let ends = nic(a, from).zip(nic(b, channel.to));
                let leads = ends.is_some_and(|(src, dst)| routes.path(topology, src, dst, |_, ways| ways[0]).is_some());
                if !leads {
                    let text = format!("rank {from} cannot reach rank {} over this network", channel.to);
                    let help = "without spines only NICs of one rail reach each other; take a topology that joins them";
                    self.refuse(Code::Impossible, "workload", text, help);
                    return false;
                }
            }
        }
        true
    }
}

fn schedule(layout: Layout, wanted: &spec::Collective) -> (Box<dyn Schedule>, &'static str) {
    let size = wanted.size.get();
    let ring = |ring: Ring| -> Box<dyn Schedule> {
        let ring = wanted.channels.map_or(ring.clone(), |channels| ring.with_channels(channels));
        match wanted.slice {
            Some(slice) => Box::new(ring.with_slicing(Slicing::of(slice.get()))),
            None => Box::new(ring),
        }
    };
    let chain = |chain: Chain| -> Box<dyn Schedule> {
        Box::new(match wanted.channels {
            Some(channels) => chain.with_channels(channels),
            None => chain,
        })
    };
    match wanted.kind {
        CollectiveKind::AllReduce => (ring(Ring::all_reduce(layout, size)), "ring"),
        CollectiveKind::ReduceScatter => (ring(Ring::reduce_scatter(layout, size)), "ring"),
        CollectiveKind::AllGather => (ring(Ring::all_gather(layout, size)), "ring"),
        CollectiveKind::Broadcast => (chain(Chain::broadcast(layout, size, wanted.root)), "ring"),
        CollectiveKind::Reduce => (chain(Chain::reduce(layout, size, wanted.root)), "ring"),
        CollectiveKind::AllToAll => (Box::new(AllToAll::uniform(layout, size)), "pairwise"),
        CollectiveKind::SendRecv => (Box::new(SendRecv::new(layout, size)), "ring"),
    }
}

/// Alpha and beta of the closed form: software, NICs and the idle way from the first host to the second; payload rate.
fn cost(
    topology: &Topology,
    routes: &Routes,
    transport: &TransportConfig,
    host: &HostConfig,
    switch_latency: Time,
    layout: Layout,
    on_ring: bool,
) -> Cost {
    let mut alpha = host.software_latency + host.nic_latency * 2;
    let port = topology.nics[0];
    if layout.hosts() > 1
        && let Some(next) = topology.host_nic(NodeId(1), 0)
        && let Some(path) = routes.path(topology, 0, next, |_, ways| ways[0])
    {
        for port in &path {
            alpha += topology.ports[port.index()].delay;
        }
        alpha += switch_latency * (path.len() as u64 - 1);
    }
    // On a ring most hops stay inside a host; what counts is the mean over a whole turn.
    let (hosts, ranks) = (u64::from(layout.hosts()), u64::from(layout.ranks()));
    if on_ring && hosts > 1 && ranks > hosts {
        let around = alpha.saturating_mul(hosts).saturating_add(host.nvlink_latency.saturating_mul(ranks - hosts));
        alpha = Time::from_ps(around.ps() / ranks);
    }
    let line = topology.ports[port.index()].rate.bps();
    let packet = u128::from(transport.mtu) + u128::from(transport.overheads.packet);
    let rate = Rate::from_bps((u128::from(line) * u128::from(transport.mtu) / packet) as u64);
    Cost { alpha, rate }
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

fn spec_word(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::AllReduce => "all-reduce",
        CollectiveKind::ReduceScatter => "reduce-scatter",
        CollectiveKind::AllGather => "all-gather",
        CollectiveKind::Broadcast => "broadcast",
        CollectiveKind::Reduce => "reduce",
        CollectiveKind::AllToAll => "all-to-all",
        CollectiveKind::SendRecv => "send-recv",
    }
}
