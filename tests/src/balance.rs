//! How load is spread over equal paths, and who suffers when it is not.

use sim::{LogQueue, Outcome};

use crate::{Check, Custom, Law, flow, goodput, plan, run, run_plan};

/// All of them.
pub const LAWS: &[&Law] = &[&MORE_BINS, &SPREADING, &COLLISIONS, &PERMUTATIONS, &EVEN, &SHORT_FLOWS, &CLASSES];

/// V54 and U03, counts.
pub const MORE_BINS: Law = Law {
    name: "ECMP collisions of many flows and connections",
    says: "the fullest of n uplinks has 3.078, 3.533 flows (n = 16, 32); with each of 8 flows spread over 4 or 16 \
           connections it carries 1.76, 1.37 flows",
    source: "V54, U03, balls in bins",
    checks: more_bins,
};

/// U03, times.
pub const SPREADING: Law = Law {
    name: "spreading over connections",
    says: "8 flows over 8 uplinks: by ECMP the slowest has at most half of the bandwidth that adaptive routing gives, \
           with 4 connections a flow a quarter more or better; adaptive routing gives .95 of the line",
    source: "U03, NVIDIA/cluster-readiness-engine#287; Gangidi et al., SIGCOMM 2024",
    checks: spreading,
};

/// V55, the packet level.
pub const COLLISIONS: Law = Law {
    name: "permutations under ECMP and PFC",
    says: "random permutations between leaves of 4 x 4 x 4 get less than max-min fair shares (mean .578, slowest .357) \
           where PFC stops whole links; the slowest is lower by 13 to 20 %",
    source: "V55, an independent fluid and packet program",
    checks: collisions,
};

/// V57.
pub const PERMUTATIONS: Law = Law {
    name: "permutations under spray and adaptive routing",
    says: "packets spread one by one give more than .95 of the line where ECMP gives .533, and nothing is sent again",
    source: "V57",
    checks: permutations,
};

/// V57 with room.
pub const EVEN: Law = Law {
    name: "spray and adaptive routing with spare uplinks",
    says: "with uplinks of twice the rate every flow of a permutation has its line",
    source: "U03; derived",
    checks: even,
};

/// V57, the limits of htsim.
pub const SHORT_FLOWS: Law = Law {
    name: "2 MB permutation of 16 hosts",
    says: "at 100G one flow alone ends within 180 us; a permutation within 1300 us by one path a flow, \
           and within 210 us when packets are spread",
    source: "V57, htsim validate.txt",
    checks: short_flows,
};

/// U12.
pub const CLASSES: Law = Law {
    name: "victim and classes",
    says: "beside a 7:1 incast a flow to an idle host has at most half of its bandwidth in the class of the incast, \
           under PFC and on one virtual lane, .95 or more in a class or lane of its own, and under DCQCN loses between \
           5 and 75 % over the first 50 ms and nothing once rates have settled",
    source: "U12; Zhu et al., SIGCOMM 2015",
    checks: classes,
};

/// Mean load of the fullest uplink of a leaf of `n` hosts and `n` uplinks, in flows.
fn fullest(n: u32, connections: u32, runs: u64) -> f64 {
    let mut plan = plan(&format!(
        "name: bins
topology: {{kind: spine-leaf, hosts: {hosts}, gpus_per_host: 1, leaf: {{hosts: {n}, uplinks: {n}}}, spine: {{count: {n}}}}}
fabric: {{preset: roce-400g, routing: ecmp, transport: {{kind: ud}}}}
workload: {{kind: flows, pattern: shift, shift: {n}, size: {connections}KB, qps: {connections}}}
",
        hosts = 2 * n
    ));
    let mut most = 0;
    for seed in 0..runs {
        plan.seeds.routing = seed;
        let outcome = run_plan::<LogQueue>(&plan);
        let uplinks = outcome.ports.iter().filter(|port| port.name.starts_with("leaf0->spine"));
        let loads: Vec<u64> = uplinks.map(|port| port.all.packets).collect();
        assert_eq!(loads.iter().sum::<u64>(), u64::from(n * connections), "a packet a connection");
        most += loads.iter().max().copied().unwrap_or(0);
    }
    most as f64 / (runs * u64::from(connections)) as f64
}

fn more_bins() -> Vec<Check> {
    let bins = [(16, 3.078, 3000), (32, 3.533, 1500)]
        .map(|(n, expected, runs)| Check::near(format!("n {n}, {runs} seeds"), expected, fullest(n, 1, runs), 0.01));
    let spread = [(4, 1.76), (16, 1.37)].map(|(connections, expected)| {
        let case = format!("n 8, {connections} connections a flow, 500 seeds");
        Check::within(case, expected - 0.1, expected + 0.1, fullest(8, connections, 500))
    });
    bins.into_iter().chain(spread).collect()
}

/// Microseconds until the slowest of 8 flows of 4 MB from one leaf to another is complete, mean over seeds.
fn slowest(routing: &str, connections: u32, seeds: u64) -> f64 {
    let time = |seed: u64| {
        let flows: Vec<String> =
            (0..8).map(|host| format!("{{src: h{host}, dst: h{}, size: 4MB, qps: {connections}}}", host + 8)).collect();
        let outcome = run(&format!(
            "name: eight
seed: {seed}
topology: {{kind: spine-leaf, hosts: 16, gpus_per_host: 1, leaf: {{hosts: 8, uplinks: 8}}, spine: {{count: 8}}}}
fabric: {{preset: roce-400g, routing: {routing}, transport: {{kind: rc, ack_every: 16}}}}
workload: {{kind: flows, flows: [{flows}]}}
",
            flows = flows.join(", ")
        ));
        outcome.simulated.as_secs_f64() * 1e6
    };
    (1..=seeds).map(time).sum::<f64>() / seeds as f64
}

fn spreading() -> Vec<Check> {
    let ideal = 4e6 * 8.0 / 400e3 * 4178.0 / 4096.0;
    let (one, four, adaptive) = (slowest("ecmp", 1, 40), slowest("ecmp", 4, 40), slowest("adaptive", 1, 2));
    vec![
        Check::within("adaptive over the line", 0.95, 1.0, ideal / adaptive),
        Check::within("ECMP over adaptive, 40 seeds", 0.0, 0.5, adaptive / one),
        Check::within("4 connections over 1, 40 seeds", 1.25, f64::INFINITY, one / four),
    ]
}

/// A permutation of n x n hosts without a fixed leaf, by a small generator of its own.
fn permutation(n: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut to: Vec<usize> = (0..n * n).collect();
    (1..to.len()).rev().for_each(|index| to.swap(index, draw(index + 1)));
    while let Some(stays) = (0..to.len()).find(|&from| to[from] / n == from / n) {
        to.swap(stays, draw(n * n));
    }
    to
}

/// Shares of the line that the flows of a permutation get, and packets sent again.
fn shares(n: usize, routing: &str, fabric: &str, seed: u64) -> (Vec<f64>, u64) {
    let flows: Vec<String> = permutation(n, seed)
        .iter()
        .enumerate()
        .map(|(from, to)| format!("{{src: h{from}, dst: h{to}, size: unlimited}}"))
        .collect();
    let outcome = run(&format!(
        "name: permutation
seed: {seed}
topology: {{kind: spine-leaf, hosts: {hosts}, gpus_per_host: 1, leaf: {{hosts: {n}, uplinks: {n}}}, spine: {{count: {n}{fabric}}}}}
fabric:
  preset: roce-400g
  link: {{rate: 100Gbps, delay: 200ns, overhead: 0B}}
  pfc: {{xoff: {xoff}}}
  routing: {routing}
  transport: {{kind: rc, ack_every: 16}}
workload: {{kind: flows, flows: [{flows}]}}
run: {{measure_from: 500us, until: 1500us}}
",
        hosts = n * n,
        xoff = if routing == "ecmp" { "100KB" } else { "1MB" },
        flows = flows.join(", "),
    ));
    let again = outcome.flows.iter().map(|flow| flow.retransmitted).sum();
    (outcome.flows.iter().map(|flow| goodput(flow) / 100e9).collect(), again)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn collisions() -> Vec<Check> {
    let runs: Vec<Vec<f64>> = (1..=200).map(|seed| shares(4, "ecmp", "", seed).0).collect();
    let means = mean(&runs.iter().map(|shares| mean(shares)).collect::<Vec<_>>());
    let slowest = mean(&runs.iter().map(|shares| least(shares)).collect::<Vec<_>>());
    vec![
        Check::within("200 seeds: mean over its max-min share", 0.8, 1.0, means / 0.578),
        Check::within("200 seeds: slowest over its max-min share", 0.80, 0.87, slowest / 0.357),
    ]
}

fn permutations() -> Vec<Check> {
    let mut checks = Vec::new();
    for routing in ["spray", "adaptive"] {
        for (n, seed) in [(4, 1), (4, 2), (4, 3), (8, 1), (8, 2)] {
            let (shares, again) = shares(n, routing, "", seed);
            checks.push(Check::within(
                format!("{n} x {n} x {n}, {routing}, seed {seed}: mean"),
                0.95,
                1.0,
                mean(&shares),
            ));
            checks.push(Check::exact(format!("{n} x {n} x {n}, {routing}, seed {seed}: sent again"), 0, again));
        }
    }
    checks
}

fn even() -> Vec<Check> {
    let mut checks = Vec::new();
    for routing in ["spray", "adaptive"] {
        for n in [4, 8] {
            let (shares, _) = shares(n, routing, ", rate: 200Gbps", 3);
            // An acknowledgement of 86 bytes for 16 packets comes the other way.
            let line = 1.0 - 86.0 / (16.0 * 4096.0 + 86.0);
            checks.push(Check::near(format!("{n} x {n} x {n}, {routing}: slowest"), line, least(&shares), 0.005));
        }
    }
    checks
}

fn two_megabytes(routing: &str, workload: &str, seed: u64) -> f64 {
    let outcome: Outcome = run(&format!(
        "name: short
seed: {seed}
topology: {{kind: spine-leaf, hosts: 16, gpus_per_host: 1, leaf: {{hosts: 4, uplinks: 4}}}}
fabric: {{preset: roce-400g, link: {{rate: 100Gbps, delay: 1us}}, pfc: {{xoff: 100KB}}, routing: {routing}}}
workload: {{kind: flows, {workload}}}
"
    ));
    let last = outcome.flows.iter().filter_map(|flow| flow.delivered).max();
    last.map_or(f64::INFINITY, |time| time.as_secs_f64() * 1e6)
}

fn short_flows() -> Vec<Check> {
    let alone = "flows: [{src: h0, dst: h15, size: 2MB}]";
    let mut checks = vec![Check::within("one flow: us", 160.0, 180.0, two_megabytes("ecmp", alone, 1))];
    for seed in 1..=5 {
        let pattern = "pattern: permutation, size: 2MB";
        let ecmp = two_megabytes("ecmp", pattern, seed);
        checks.push(Check::within(format!("seed {seed}, ECMP: us"), 160.0, 1300.0, ecmp));
        for routing in ["spray", "adaptive"] {
            let spread = two_megabytes(routing, pattern, seed);
            checks.push(Check::within(format!("seed {seed}, {routing}: us"), 160.0, 210.0, spread));
        }
    }
    checks
}

/// Goodput in Gb/s of the victim beside seven senders to one host; the cable between the switches is no bottleneck.
fn beside_an_incast(fabric: &str, victim: &str, span: &str, incast: bool) -> f64 {
    let mut topology = Custom::default();
    ["s0", "s1"].iter().for_each(|switch| topology.switch(switch));
    topology.link("s0", "s1", "rate: 800Gbps");
    let mut flows = format!("{{name: v, src: v, dst: idle, size: unlimited{victim}}}");
    topology.host("v", "s0");
    ["hot", "idle"].iter().for_each(|host| topology.host(host, "s1"));
    for sender in 0..7 {
        topology.host(&format!("b{sender}"), "s0");
        if incast {
            flows += &format!(", {{src: b{sender}, dst: hot, size: unlimited}}");
        }
    }
    let outcome = run(&format!(
        "name: beside
topology: {topology}
fabric:
  {fabric}
  link: {{rate: 100Gbps, delay: 500ns}}
  transport: {{kind: rc, ack_every: 16}}
workload: {{kind: flows, flows: [{flows}]}}
run: {{{span}}}
",
        topology = topology.yaml()
    ));
    goodput(flow(&outcome, "v")) / 1e9
}

fn classes() -> Vec<Check> {
    let pfc = "preset: roce-400g\n  pfc: {xoff: 100KB}";
    let one_lane = "preset: ib-ndr";
    let two_lanes = "preset: ib-ndr\n  credit: {vls: 2}";
    let dcqcn = "preset: roce-400g\n  pfc: {xoff: 300KB}\n  ecn: {kmin: 20KB, kmax: 200KB, pmax: 1%}\n  \
                 congestion_control: {kind: dcqcn, preset: paper}";
    let settled = "measure_from: 1ms, until: 4ms";
    [
        ("PFC, same class", pfc, "", settled, 0.0, 0.5),
        ("PFC, class of its own", pfc, ", class: 4", settled, 0.95, f64::INFINITY),
        ("credits, one lane", one_lane, ", class: 1", settled, 0.0, 0.5),
        ("credits, lane of its own", two_lanes, ", class: 1", settled, 0.95, f64::INFINITY),
        ("DCQCN, from 0 to 50 ms", dcqcn, "", "until: 50ms", 0.25, 0.95),
        ("DCQCN, from 50 to 60 ms", dcqcn, "", "measure_from: 50ms, until: 60ms", 0.95, f64::INFINITY),
    ]
    .map(|(case, fabric, victim, span, low, high)| {
        let share = [true, false].map(|incast| beside_an_incast(fabric, victim, span, incast));
        Check::within(format!("{case}: share of what it has alone"), low, high, share[0] / share[1])
    })
    .into()
}
