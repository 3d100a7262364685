//! The same scenario is the same run, whatever else differs.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use collective::OpKind;
use engine::{HeapQueue, Purpose, Stream};
use sim::{CollectiveSpec, Ending, LogQueue, Outcome, Workload};

use crate::{Check, Custom, DATA, Law, plan, run, run_on, run_plan};

/// All of them.
pub const LAWS: &[&Law] = &[&SAME_SEED, &OTHER_SEED, &RECORDING, &QUEUES, &CONSERVATION, &EVENTS];

/// Same seed.
pub const SAME_SEED: Law = Law {
    name: "same seed",
    says: "the same scenario and seed give the same results, in every digit",
    source: "V1",
    checks: same_seed,
};

/// Other seed.
pub const OTHER_SEED: Law = Law {
    name: "other seeds",
    says: "where something is random, another seed gives another run",
    source: "V1",
    checks: other_seed,
};

/// Probes.
pub const RECORDING: Law = Law {
    name: "probes",
    says: "recording changes nothing but the record",
    source: "V1; observers look on between events",
    checks: recording,
};

/// Log and heap.
pub const QUEUES: Law = Law {
    name: "event queues",
    says: "the transmission log and a plain heap give the same run",
    source: "V1; independent of insertion order",
    checks: queues,
};

/// Random scenarios.
pub const CONSERVATION: Law = Law {
    name: "random networks",
    says: "on trees of switches every run ends, delivers what was asked for, loses nothing with automatic headroom; \
           bytes and credits are conserved at every event (asserted inside)",
    source: "V1",
    checks: conservation,
};

/// Events per packet-hop.
pub const EVENTS: Law =
    Law { name: "events per packet-hop", says: "at most 3", source: "bar of the engine", checks: events };

/// Scenarios of different kinds, without `seed` and `run`.
fn samples() -> Vec<(&'static str, String)> {
    let tree = "{kind: spine-leaf, hosts: 16, gpus_per_host: 1, leaf: {hosts: 4, uplinks: 2}}";
    let ring = Custom::ring(4).yaml();
    vec![
        (
            "lockstep shift, cut-through, short cables",
            format!(
                "topology: {tree}
fabric: {{preset: ib-ndr, link: {{delay: 1ns}}}}
workload: {{kind: flows, pattern: shift, shift: 5, size: 300KB}}
"
            ),
        ),
        (
            "links of one packet time",
            format!(
                "topology: {tree}
fabric: {{preset: roce-100g, link: {{delay: 80ns, mtu: 1000B, overhead: 0B}}, switch: {{forwarding: store-and-forward, latency: 0ns}}}}
workload: {{kind: flows, pattern: all-to-all, size: 20KB}}
"
            ),
        ),
        (
            "incast under PFC, ECMP",
            format!(
                "topology: {tree}
fabric: {{preset: roce-400g, pfc: {{xoff: 30KB}}}}
workload: {{kind: flows, pattern: incast, size: 200KB}}
"
            ),
        ),
        (
            "permutation with loss",
            format!(
                "topology: {tree}
fabric: {{preset: roce-100g, link: {{loss: 1%}}, transport: {{kind: rc, timeout: 50us}}}}
workload: {{kind: flows, pattern: permutation, size: 100KB}}
"
            ),
        ),
        (
            "ring all-reduce with jitter",
            "topology: {kind: spine-leaf, gpus: 32, gpus_per_host: 4, leaf: {hosts: 4}}
fabric: ib-ndr
host: {preset: dgx-h100, gpus: 4, jitter: {lognormal: {sigma: 5%}}}
workload: {kind: all-reduce, size: 1MiB, compute: 50us}
"
            .to_string(),
        ),
        (
            "Poisson datagrams under credits, input turns",
            format!(
                "topology: {tree}
fabric: {{preset: ib-hdr, credit: {{buffer: 20KB}}, switch: {{service: round-robin}}, transport: {{kind: ud}}}}
workload: {{kind: flows, pattern: permutation, size: 400KB, rate: 150Gbps, arrival: poisson}}
"
            ),
        ),
        (
            "a ring that deadlocks",
            format!(
                "topology: {ring}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B}}
  pfc: {{xoff: 40KB, xon: 37KB}}
workload:
  kind: flows
  flows:
    - {{src: h0, dst: h3, path: [h0, s0, s1, s2, s3, h3], size: 4MB}}
    - {{src: h2, dst: h1, path: [h2, s2, s3, s0, s1, h1], size: 4MB}}
    - {{src: h1, dst: h2, path: [h1, s1, s2, h2], size: 4MB}}
"
            ),
        ),
    ]
}

fn seeded(seed: u64, body: &str, run: &str) -> String {
    format!("name: sample\nseed: {seed}\n{body}run: {{{run}}}\n")
}

/// Everything in an outcome but the series and the number of events.
fn results(outcome: &Outcome) -> String {
    let mut text = format!("{:?} {:?} {}", outcome.ending, outcome.simulated, outcome.fingerprint);
    let _ = write!(text, "{:?} {:?} {:?}", outcome.flows, outcome.steps, outcome.deadlock);
    let _ = write!(text, "{:?} {:?} {:?}", outcome.ports, outcome.totals, outcome.last_progress);
    text
}

fn same_seed() -> Vec<Check> {
    let twice = |(name, body): &(&str, String)| {
        let [one, two] = [0, 1].map(|_| run(&seeded(7, body, "")));
        let same = results(&one) == results(&two) && one.events == two.events;
        Check::exact(*name, true, same)
    };
    samples().iter().map(twice).collect()
}

fn other_seed() -> Vec<Check> {
    let random = [
        "permutation with loss",
        "ring all-reduce with jitter",
        "Poisson datagrams under credits, input turns",
        "incast under PFC, ECMP",
    ];
    let mut checks = Vec::new();
    for (name, body) in samples().iter().filter(|(name, _)| random.contains(name)) {
        let mut prints: Vec<u64> = (1..=6).map(|seed| run(&seeded(seed, body, "")).fingerprint).collect();
        prints.sort_unstable();
        prints.dedup();
        checks.push(Check::exact(format!("{name}: runs of six seeds"), 6, prints.len()));
    }
    checks
}

fn recording() -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, body) in samples() {
        let plain = run(&seeded(3, &body, ""));
        for record in ["record: [queue, pause, rate], sample: 333ns", "record: [rate], sample: 10us"] {
            let watched = run(&seeded(3, &body, record));
            let same = results(&plain) == results(&watched) && plain.events == watched.events;
            checks.push(Check::exact(format!("{name}, {record}"), (true, true), (same, !watched.series.is_empty())));
        }
    }
    checks
}

fn queues() -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, body) in samples() {
        let yaml = seeded(5, &body, "");
        let (log, heap) = (run_on::<LogQueue>(&yaml), run_on::<HeapQueue>(&yaml));
        checks.push(Check::exact(format!("{name}: fingerprint"), log.fingerprint, heap.fingerprint));
        checks.push(Check::exact(format!("{name}: all results"), true, results(&log) == results(&heap)));
    }
    checks
}

/// A choice by a stream.
fn pick<'a, T: ?Sized>(stream: &mut Stream, of: &[&'a T]) -> &'a T {
    of[stream.below(of.len() as u64) as usize]
}

/// A small random scenario on a network without cycles among its buffers, as YAML.
pub fn random(seed: u64) -> String {
    let mut stream = Stream::new(seed, Purpose::Placement, 0);
    let topology = pick(&mut stream, &[
        "{kind: spine-leaf, hosts: 12, gpus_per_host: 1, leaf: {hosts: 4, uplinks: 2}}",
        "{kind: spine-leaf, hosts: 8, gpus_per_host: 2, leaf: {hosts: 4, uplinks: 1}}",
        "{kind: spine-leaf, hosts: 4, gpus_per_host: 4, attachment: packed, oversubscription: \"2:1\"}",
        "{kind: fat-tree, tiers: 2, radix: 4, hosts: 8, gpus_per_host: 1}",
        "{kind: fat-tree, tiers: 3, radix: 4, hosts: 16, gpus_per_host: 1}",
        "{kind: spine-leaf, hosts: 9, gpus_per_host: 1, leaf: {hosts: 3, uplinks: 3, rate: 100Gbps}}",
        "{kind: custom, switches: [x, y, z], hosts: [a, b, c, d, e], links: [[a, x], {a: b, b: x, rate: 10Gbps}, [c, y],
         {a: d, b: z, delay: 3us}, [e, z], {a: x, b: y, rate: 50Gbps}, {a: y, b: z, count: 2}]}",
    ]);
    let flow_control = pick(
        &mut stream,
        &[
            "flow_control: pfc, pfc: {xoff: 20KB, xon: 10KB}",
            "flow_control: pfc, pfc: {xoff: 60KB, response: 500ns}",
            "flow_control: pfc, pfc: {xoff: dynamic}, buffer: {size: 1MB}",
            "flow_control: credit, credit: {buffer: 16KB}",
            "flow_control: credit, credit: {buffer: 64KiB, window: 150 blocks}",
            "flow_control: none",
        ],
    );
    let service = pick(&mut stream, &["fifo", "round-robin"]);
    let forwarding = pick(&mut stream, &["store-and-forward", "cut-through"]);
    let routing = pick(&mut stream, &["ecmp", "d-mod-k"]);
    let mtu = pick(&mut stream, &["256B", "1000B", "1024B", "4096B"]);
    let delay = pick(&mut stream, &["1ns", "25ns", "500ns", "2us"]);
    let latency = pick(&mut stream, &["0ns", "130ns", "600ns"]);
    let transport = pick(
        &mut stream,
        &[
            "kind: rc, ack_every: 1",
            "kind: rc, ack_every: 3",
            "kind: rc, ack_every: message",
            "kind: rc, ack_every: 1, window: 5",
        ],
    );
    let technology = pick(&mut stream, &["roce-400g", "roce-100g", "ib-ndr"]);
    let size = 1 + stream.below(120_000);
    let workload = pick(
        &mut stream,
        &[
            "kind: flows, pattern: permutation",
            "kind: flows, pattern: incast",
            "kind: flows, pattern: all-to-all",
            "kind: flows, pattern: shift",
            "kind: all-reduce",
            "kind: all-gather",
            "kind: all-to-all",
            "kind: broadcast",
        ],
    );
    format!(
        "name: random
seed: {seed}
topology: {topology}
fabric:
  preset: {technology}
  link: {{delay: {delay}, mtu: {mtu}}}
  switch: {{forwarding: {forwarding}, latency: {latency}, service: {service}}}
  routing: {routing}
  transport: {{{transport}}}
  {flow_control}
workload: {{{workload}, size: {size}B}}
",
        flow_control = flow_control
            .replace(", pfc:", "\n  pfc:")
            .replace(", credit:", "\n  credit:")
            .replace(", buffer: {size", "\n  buffer: {size"),
    )
}

/// Payload that the operations of a collective send from host to host.
fn network_bytes(spec: &CollectiveSpec) -> u64 {
    let mut bytes = 0;
    for rank in 0..spec.schedule.ranks() {
        for stream in 0..spec.schedule.streams(rank) {
            for op in (0..).map_while(|index| spec.schedule.op(rank, stream, index)) {
                if let OpKind::Send { to, size, .. } = op.kind
                    && spec.ranks[to as usize].host != spec.ranks[rank as usize].host
                {
                    bytes += size;
                }
            }
        }
    }
    bytes
}

fn conservation() -> Vec<Check> {
    let mut broken = Vec::new();
    let (mut unfinished, mut short, mut lossy, mut busy) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let runs = 240;
    let mut worst: f64 = 0.0;
    for seed in 0..runs {
        let plan = plan(&random(seed));
        let Ok(outcome) = catch_unwind(AssertUnwindSafe(|| run_plan::<LogQueue>(&plan))) else {
            broken.push(seed);
            continue;
        };
        if outcome.ending != Ending::Finished {
            unfinished.push(seed);
        }
        if outcome.flows.iter().any(|flow| flow.size.is_some_and(|size| flow.bytes != size || flow.acked.is_none())) {
            short.push(seed);
        }
        if let Workload::Collective(spec) = &plan.workload
            && outcome.totals.bytes_delivered != network_bytes(spec)
        {
            short.push(seed);
        }
        if outcome.ports.iter().any(|port| port.classes[DATA].drops > 0) {
            lossy.push(seed);
        }
        let ratio = outcome.events as f64 / outcome.totals.packet_hops as f64;
        worst = worst.max(ratio);
        if ratio > 3.0 {
            busy.push(seed);
        }
    }
    vec![
        Check::exact(format!("{runs} random scenarios: seeds that broke an invariant"), Vec::new(), broken),
        Check::exact(format!("{runs} random scenarios: seeds that did not finish"), Vec::new(), unfinished),
        Check::exact(format!("{runs} random scenarios: seeds with too few or too many bytes"), Vec::new(), short),
        Check::exact(format!("{runs} random scenarios: seeds with losses"), Vec::new(), lossy),
        Check::exact(format!("{runs} random scenarios: seeds with over 3 events per hop"), Vec::new(), busy),
        Check::within("events per packet-hop, the worst of them", 0.0, 3.0, worst),
    ]
}

fn events() -> Vec<Check> {
    let mut checks = Vec::new();
    let mut ratio = |name: &str, yaml: &str| {
        let outcome = run(yaml);
        let ratio = outcome.events as f64 / outcome.totals.packet_hops as f64;
        checks.push(Check::within(name, 1.0, 3.0, ratio));
    };
    for (name, body) in samples() {
        ratio(name, &seeded(1, &body, ""));
    }
    ratio(
        "32 hosts, 8 leaves, 4 spines, permutation, 1 MiB, RoCE",
        "name: permutation
topology: {kind: spine-leaf, hosts: 32, gpus_per_host: 1, leaf: {hosts: 4, uplinks: 4}}
fabric: roce-400g
workload: {kind: flows, pattern: permutation, size: 1MiB}
",
    );
    checks
}
