//! The detector against the user's test: stop all sources; what then rests is deadlock, and nothing
//! else is. Random graphs, random paths, both flow controls, both services.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use fabric::{Buffer, Credit, FabricConfig, FlowControl, Pfc, Policy, Quanta, Service, Thresholds};
use sim::{
    Control, Ending, FlowSpec, HostConfig, LogQueue, Outcome, Plan, Purpose, RunConfig, Seeds, Stream, Switching,
    Workload, predict, run,
};
use topology::{Custom, CustomHost, CustomLink, LinkDefaults, Routes, RoutingKind, Spec, Topology};
use transport::{AckEvery, CongestionConfig, Overheads, Spacing, TransportConfig, TransportKind};
use units::{Bytes, NodeId, PortId, Rate, Time};

const RATE: Rate = Rate::from_gbps(40);
const DELAY: Time = Time::from_us(1);

/// A ring of switches with some chords, and a host on each.
fn graph(random: &mut Stream) -> Topology {
    let switches = 3 + random.below(4);
    let name = |kind: &str, index: u64| format!("{kind}{}", index % switches);
    let link = |a: String, b: String| CustomLink { a, b, rate: None, delay: None, loss: None, count: 1 };
    let mut links: Vec<CustomLink> = (0..switches).map(|s| link(name("s", s), name("s", s + 1))).collect();
    for _ in 0..random.below(3) {
        let (a, b) = (random.below(switches), random.below(switches));
        if (a + 1) % switches != b && (b + 1) % switches != a && a != b {
            links.push(link(name("s", a), name("s", b)));
        }
    }
    links.extend((0..switches).map(|s| link(name("h", s), name("s", s))));
    let spec = Custom {
        switches: (0..switches).map(|s| name("s", s)).collect(),
        hosts: (0..switches).map(|h| CustomHost { name: name("h", h), nics: None, gpus: 1 }).collect(),
        links,
    };
    topology::build(&Spec::Custom(spec), &LinkDefaults { rate: RATE, delay: DELAY, loss: 0 }).unwrap().topology
}

/// A walk without repeated switches from a host over some switches to the host of the last.
fn walk(topology: &Topology, random: &mut Stream) -> Option<Vec<PortId>> {
    let hosts = u64::from(topology.hosts());
    let src = random.below(hosts) as u32;
    let mut path = vec![topology.nics[src as usize]];
    let mut seen = vec![topology.neighbour(path[0])];
    for _ in 0..1 + random.below(4) {
        let at = *seen.last()?;
        let next: Vec<PortId> = topology
            .ports_of(at)
            .filter(|p| topology.is_switch(topology.neighbour(*p)) && !seen.contains(&topology.neighbour(*p)))
            .collect();
        if next.is_empty() {
            break;
        }
        let port = next[random.below(next.len() as u64) as usize];
        path.push(port);
        seen.push(topology.neighbour(port));
    }
    let last = *seen.last()?;
    let down = topology.ports_of(last).find(|p| !topology.is_switch(topology.neighbour(*p)))?;
    path.push(down);
    (topology.neighbour(down) != NodeId(src)).then_some(path)
}

fn flow_control(credits: bool) -> FlowControl {
    match credits {
        true => FlowControl::Credit(Credit { buffer: 320, window: Some(2048) }),
        false => FlowControl::Pfc(Pfc {
            thresholds: Thresholds::Static { xoff: Bytes::new(20_000), xon: Bytes::new(17_000) },
            headroom: None,
            response: Time::ZERO,
            quanta: Quanta(65535),
            refresh: true,
        }),
    }
}

fn plan(seed: u64) -> Plan {
    let mut random = Stream::new(seed, Purpose::Placement, 7);
    let topology = graph(&mut random);
    let routes = Routes::new(&topology, RoutingKind::MinHop).unwrap();
    let flows = (0..2 + random.below(6)).filter_map(|index| {
        let path = walk(&topology, &mut random)?;
        let nic = |port: PortId| topology.ports[port.index()].nic;
        Some(FlowSpec {
            name: format!("f{index}"),
            src: nic(path[0])?,
            dst: nic(topology.ports[path[path.len() - 1].index()].peer)?,
            size: None,
            start: Time::from_ps(random.below(20_000_000)),
            stop: Some(Time::from_us(600)),
            rate: None,
            arrival: Spacing::Constant,
            class: 1,
            ttl: 64,
            path: Some(path),
        })
    });
    let flows = flows.collect();
    let transport = TransportConfig {
        kind: TransportKind::Ud,
        mtu: 1000,
        overheads: Overheads { packet: 0, first: 0, ack: 86 },
        ack_every: AckEvery::Message,
        window: TransportConfig::MAX_WINDOW,
        any_order: false,
        timeout: Time::from_ms(1),
        retries: 7,
        cnp_interval: None,
        congestion: CongestionConfig::None,
    };
    let fabric = FabricConfig {
        classes: 2,
        flow_control: flow_control(random.below(2) == 0),
        service: if random.below(2) == 0 { Service::Fifo } else { Service::RoundRobin },
        buffer: Buffer::default(),
        ecn: None,
        largest_frame: Bytes::new(1000),
    };
    Plan {
        name: "random".into(),
        seeds: Seeds { routing: seed, jitter: seed, loss: seed, arrivals: seed },
        topology,
        routes,
        fabric,
        policy: Policy::Ecmp,
        seed_per_switch: true,
        switching: Switching { cut_through: None, latency: Time::ZERO },
        transport,
        ack_in_data_class: false,
        classes: vec![6, 3],
        host: HostConfig {
            nvlink_rate: RATE,
            nvlink_latency: Time::ZERO,
            nic_latency: Time::ZERO,
            software_latency: Time::ZERO,
            jitter_sigma: 0.0,
            stragglers: Vec::new(),
        },
        workload: Workload::Flows(flows),
        faults: Vec::new(),
        run: RunConfig {
            until: None,
            measure_from: Time::ZERO,
            stop_on_deadlock: true,
            stall_after: Time::from_ms(2),
            sample: None,
            record_queue: false,
            record_pause: false,
            record_rate: false,
        },
    }
}

fn outcome(plan: &Plan) -> Outcome {
    run::<LogQueue>(plan, &mut |_| Control::Continue)
}

/// Sorted queues of a proof with their bytes.
fn stuck(outcome: &Outcome) -> Vec<(String, Option<String>, u64)> {
    let report = outcome.deadlock.as_ref().unwrap();
    let mut queues: Vec<_> = report.queues.iter().map(|q| (q.port.clone(), q.input.clone(), q.bytes)).collect();
    queues.sort();
    queues
}

#[test]
fn deadlock_is_proven_exactly_when_bytes_stay_after_all_sources_have_stopped() {
    let (mut cyclic, mut deadlocked, mut acyclic) = (0, 0, 0);
    for seed in 0..3_300 {
        let mut plan = plan(seed);
        let predicted = !predict(&plan).cycles.is_empty();
        let first = outcome(&plan);
        // Nothing rests unproven: a run ends with everything delivered, or with a proof.
        assert!(
            matches!(first.ending, Ending::Finished | Ending::Deadlocked),
            "seed {seed}: {:?}, cycle predicted: {predicted}",
            first.ending
        );
        let lost: u64 = first.ports.iter().flat_map(|p| &p.classes).map(|c| c.drops).sum();
        assert_eq!(lost, 0, "seed {seed}: nothing is lost with automatic headroom or credits");
        cyclic += u32::from(predicted);
        acyclic += u32::from(!predicted);
        if first.ending == Ending::Deadlocked {
            deadlocked += 1;
            assert!(predicted, "seed {seed}: no deadlock without a cycle of dependencies");
            // No queue proven deadlocked ever moves: go on to the end and find it as it was.
            plan.run.stop_on_deadlock = false;
            plan.run.until = Some(first.deadlock.as_ref().unwrap().detected + Time::from_ms(1));
            let later = outcome(&plan);
            assert_eq!(later.ending, Ending::Deadlocked, "seed {seed}");
            assert_eq!(stuck(&later), stuck(&first), "seed {seed}: the first proof stays");
        }
    }
    println!("{acyclic} without a cycle, {cyclic} with one, {deadlocked} deadlocked");
    assert!(acyclic >= 2_000 && cyclic >= 500 && deadlocked >= 150, "{acyclic} {cyclic} {deadlocked}");
}
