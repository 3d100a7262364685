use collective::Schedule;
use engine::{Engine, EventQueue, Link, Purpose, Stream};
use fabric::{Fabric, Forwarding, NodeSetup, PortSetup};
use topology::{NodeKind, Topology};
use transport::{Arrivals, Controller, Requester, TransportKind};
use units::{ConnId, NodeId, PortId, Rate, Time};

use crate::connection::{Connection, Use, Ways};
use crate::effects::Wires;
use crate::endpoints::{Endpoints, OpenLoop};
use crate::lines::{LineKind, Lines};
use crate::network::{Network, Parts};
use crate::plan::{FlowSpec, Plan, Workload};
use crate::ranks::{Channel, Ranks};
use crate::tasks::{Task, Waiting};
use crate::timer::Timer;

/// Builds the network of a plan and starts what starts at time zero.
pub(crate) fn build<'a, Q: EventQueue>(plan: &'a Plan) -> (Engine<Q>, Network<'a>) {
    let topology = &plan.topology;
    let links = topology.ports.iter().map(|p| Link { peer: p.peer, propagation: p.delay }).collect();
    let mut engine = Engine::new(links, plan.fabric.classes);
    let fabric = fabric_of(plan);
    preset_credits(&mut engine, &fabric, plan);
    let lines = Lines::new(&mut engine, &line_kinds(plan), &common_sizes(plan));
    let first_port: Vec<u32> = topology.nodes.iter().map(|n| n.first_port).collect();
    let node_of: Vec<NodeId> = topology.ports.iter().map(|p| p.node).collect();
    let wires = Wires::new(lines, plan.seeds.loss, node_of.clone(), first_port.clone());
    let host_ports = topology.nics.len();
    let mut endpoints = Endpoints::new(plan.transport, plan.fabric.classes, host_ports);
    let mut ways = Ways { routes: &plan.routes, paths: Vec::new(), hops: Vec::new() };
    let mut entropy = Stream::new(plan.seeds.routing, Purpose::Routing, u64::MAX);
    let (mut ranks, mut flow_sizes) = (None, Vec::new());
    match &plan.workload {
        Workload::Flows(flows) => {
            for (index, flow) in flows.iter().enumerate() {
                add_flow(plan, &mut endpoints, &mut ways, &mut entropy, index, flow);
                flow_sizes.push(flow.size.map(|s| s.get()));
            }
        }
        Workload::Collective(spec) => {
            let mut built = Ranks::new(spec, &plan.host, plan.seeds.jitter);
            add_channels(plan, &mut endpoints, &mut built, &mut entropy);
            ranks = Some(built);
        }
    }
    let (host, faults) = (&plan.host, &plan.faults[..]);
    let parts = Parts { fabric, endpoints, ranks, wires, ways, host, faults, first_port, node_of, flow_sizes };
    let mut network = Network::new(parts, host_ports);
    begin(plan, &mut engine, &mut network);
    (engine, network)
}

fn fabric_of(plan: &Plan) -> Fabric {
    let topology = &plan.topology;
    let nodes: Vec<NodeSetup> = topology
        .nodes
        .iter()
        .map(|n| NodeSetup {
            first_port: n.first_port,
            ports: n.ports,
            switch: matches!(n.kind, NodeKind::Switch { .. }),
        })
        .collect();
    let ports: Vec<PortSetup> = (0..topology.ports.len())
        .map(|p| {
            let port = &topology.ports[p];
            PortSetup {
                peer: port.peer,
                rate: port.rate,
                propagation: port.delay,
                pipeline: pipeline(plan, port.node),
                loss: port.loss,
            }
        })
        .collect();
    let common = Stream::new(plan.seeds.routing, Purpose::Routing, u64::MAX - 1).bits() as u32;
    let seed = |node: usize| match plan.seed_per_switch {
        true => Stream::new(plan.seeds.routing, Purpose::Routing, node as u64).bits() as u32,
        false => common,
    };
    let forwarding = Forwarding {
        policy: plan.policy,
        seeds: (0..topology.nodes.len()).map(seed).collect(),
        turns: vec![0; topology.nodes.len()],
        divisors: (0..topology.nodes.len())
            .map(|n| if nodes[n].switch { plan.routes.d_mod_k_divisor(NodeId(n as u32)) } else { 1 })
            .collect(),
    };
    Fabric::new(plan.fabric.clone(), &nodes, &ports, forwarding)
}

/// Latency of the pipeline that data meets on arriving at a node.
pub(crate) fn pipeline(plan: &Plan, node: NodeId) -> Time {
    match plan.topology.nodes[node.index()].kind {
        NodeKind::Host { .. } => plan.host.nic_latency,
        NodeKind::Switch { .. } => plan.switching.latency,
    }
}

fn line_kinds(plan: &Plan) -> Vec<LineKind> {
    let topology = &plan.topology;
    let kind = |port: &topology::Port| {
        let receiver = topology.ports[port.peer.index()].node;
        let to_switch = matches!(topology.nodes[receiver.index()].kind, NodeKind::Switch { .. });
        LineKind {
            rate: port.rate,
            propagation: port.delay,
            pipeline: pipeline(plan, receiver),
            cut: plan.switching.cut_through.filter(|_| to_switch),
        }
    };
    topology.ports.iter().map(kind).collect()
}

/// Sizes that most packets have: full packets, first packets, last packets of equal messages, acks.
fn common_sizes(plan: &Plan) -> Vec<u16> {
    let transport = &plan.transport;
    let mtu = transport.mtu;
    let mut sizes = vec![transport.wire_size(mtu, false), transport.wire_size(mtu, true), transport.overheads.ack];
    if let Workload::Collective(spec) = &plan.workload {
        let message = first_message(&*spec.schedule);
        let last = (message % u64::from(mtu)) as u32;
        if last > 0 {
            sizes.push(transport.wire_size(last, message <= u64::from(mtu)));
        }
    }
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable();
    sizes.dedup();
    sizes.sort_by_key(|size| *size != transport.wire_size(mtu, false));
    sizes
}

fn first_message(schedule: &dyn Schedule) -> u64 {
    let op = (0..16).find_map(|index| match schedule.op(0, 0, index)?.kind {
        collective::OpKind::Send { size, .. } if size > 0 => Some(size),
        _ => None,
    });
    op.unwrap_or(0)
}

fn preset_credits<Q: EventQueue>(engine: &mut Engine<Q>, fabric: &Fabric, plan: &Plan) {
    let Some(limit) = fabric.initial_credit() else { return };
    for port in 0..plan.topology.ports.len() as u32 {
        for class in 1..plan.fabric.classes {
            engine.preset_signal(PortId(port), class, limit);
        }
    }
}

fn connection(plan: &Plan, src: u32, dst: u32, class: u8, ttl: u8, entropy: &mut Stream, purpose: Use) -> Connection {
    let topology = &plan.topology;
    let bits = entropy.bits();
    Connection {
        src,
        dst,
        src_port: topology.nics[src as usize],
        class,
        ack_class: if plan.ack_in_data_class { class } else { fabric::CONTROL },
        entropy: bits as u16,
        ack_entropy: (bits >> 16) as u16,
        ttl,
        purpose,
    }
}

fn add_flow(
    plan: &Plan,
    endpoints: &mut Endpoints,
    ways: &mut Ways<'_>,
    entropy: &mut Stream,
    index: usize,
    flow: &FlowSpec,
) {
    let purpose = Use::Flow(index as u32);
    let conn = connection(plan, flow.src, flow.dst, flow.class, flow.ttl, entropy, purpose);
    let open_loop = match (plan.transport.kind, flow.rate) {
        (TransportKind::Ud, Some(rate)) if rate > Rate::ZERO => Some(OpenLoop {
            arrivals: Arrivals::new(rate, flow.arrival, flow.start.saturating_add(plan.host.nic_latency)),
            stream: Stream::new(plan.seeds.arrivals, Purpose::Arrivals, index as u64),
        }),
        _ => None,
    };
    let paced = flow.rate.filter(|_| open_loop.is_none());
    endpoints.add(conn, requester(plan, flow.src, paced), open_loop);
    ways.paths.push(flow.path.as_ref().map(|path| explicit(&plan.topology, &mut ways.hops, path)));
}

fn requester(plan: &Plan, nic: u32, rate: Option<Rate>) -> Requester {
    let line = plan.topology.ports[plan.topology.nics[nic as usize].index()].rate;
    Requester::new(&plan.transport, rate, Controller::new(&plan.transport.congestion, line))
}

/// Stores the local egress ports of a path and of its reverse; returns where they begin.
fn explicit(topology: &Topology, hops: &mut Vec<u16>, path: &[PortId]) -> [u32; 2] {
    let local = |port: PortId| (port.0 - topology.nodes[topology.ports[port.index()].node.index()].first_port) as u16;
    let forward = hops.len() as u32;
    hops.extend(path[1..].iter().map(|p| local(*p)));
    let reverse = hops.len() as u32;
    hops.extend(path[..path.len() - 1].iter().rev().map(|p| local(topology.ports[p.index()].peer)));
    [forward, reverse]
}

fn add_channels(plan: &Plan, endpoints: &mut Endpoints, ranks: &mut Ranks<'_>, entropy: &mut Stream) {
    let places = &ranks.spec.ranks;
    let class = ranks.spec.class;
    for from in 0..ranks.schedule().ranks() {
        for channel in ranks.schedule().channels(from) {
            let (a, b) = (places[from as usize], places[channel.to as usize]);
            let source = ranks.source(from, channel.to, channel.tag);
            if a.host == b.host {
                ranks.add_channel(from, channel.to, channel.tag, Channel::Local { to: channel.to, source });
                continue;
            }
            let nic = |host: u32, own: u16| {
                let nic = channel.nic.map_or(own, |rail| rail as u16);
                plan.topology.host_nic(NodeId(host), nic).expect("every rank's host has its NICs")
            };
            let purpose = Use::Channel { from, to: channel.to, source };
            let conn = connection(plan, nic(a.host, a.nic), nic(b.host, b.nic), class, u8::MAX, entropy, purpose);
            let requester = requester(plan, conn.src, None);
            let id = endpoints.add(conn, requester, None);
            ranks.posted.push(Default::default());
            ranks.add_channel(from, channel.to, channel.tag, Channel::Wire(id));
        }
    }
}

/// Sets what starts by itself: faults, flows, and the first step of every rank.
fn begin<Q: EventQueue>(plan: &Plan, engine: &mut Engine<Q>, network: &mut Network<'_>) {
    for (index, fault) in plan.faults.iter().enumerate() {
        let port = fault.change.port();
        if fault.at == Time::ZERO {
            network.fault(engine, index);
        } else {
            engine.at(fault.at, plan.topology.ports[port.index()].node, Timer::Fault(index as u32).encode());
        }
    }
    if let Workload::Flows(flows) = &plan.workload {
        for (index, flow) in flows.iter().enumerate() {
            let (conn, node) =
                (ConnId(index as u32), plan.topology.ports[plan.topology.nics[flow.src as usize].index()].node);
            // A flow at rate zero never sends, nor does one that stops before its start has come.
            if flow.rate == Some(Rate::ZERO) || flow.stop.is_some_and(|stop| stop <= flow.start) {
                continue;
            }
            let bytes = flow.size.map_or(u64::MAX, |s| s.get());
            // What a flow is told reaches the wire after the latency of its NIC.
            let out = plan.host.nic_latency;
            network.schedule(
                engine,
                node,
                flow.start.saturating_add(out),
                Task::Post { conn, bytes, waiting: Waiting::Nobody },
            );
            if let Some(stop) = flow.stop {
                network.schedule(engine, node, stop.saturating_add(out), Task::StopFlow(conn));
            }
        }
    } else {
        let starts: Vec<Time> = network.ranks.iter().flat_map(|r| r.spec.ranks.iter().map(|rank| rank.start)).collect();
        for (rank, start) in starts.into_iter().enumerate() {
            network.start_step(engine, rank as u32, start);
        }
    }
}
