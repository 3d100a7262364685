//! When queues wait for each other in a circle, and when they do not.

use sim::{Ending, Outcome};

use crate::{Check, Custom, DATA, Law, flow, goodput, run};

/// All of them.
pub const LAWS: &[&Law] = &[&TWO_FLOWS, &THIRD_FLOW, &CREDIT_RING, &PAUSE_RING, &FIVE_SWITCHES, &NO_CYCLE];

/// V26.
pub const TWO_FLOWS: Law = Law {
    name: "ring of four, two flows",
    says: "a cyclic buffer dependency is not enough: flows A-B-C-D and C-D-A-B go on at 20 Gb/s each",
    source: "V26, Hu et al., HotNets 2016",
    checks: two_flows,
};

/// V27.
pub const THIRD_FLOW: Law = Law {
    name: "ring of four, third flow",
    says: "a greedy flow B-C stops the ring with service in order of arrival, after about 0.19 ms (xoff 40 KB) or \
           0.36 ms (xoff 100 KB, xon 97 KB), not within 2 ms with xon 37 KB; per-input service gives 20 Gb/s each",
    source: "V27, U01, Hu et al., HotNets 2016; an independent program for times (within a factor of two)",
    checks: third_flow,
};

/// V13.
pub const CREDIT_RING: Law = Law {
    name: "ring of N under credits",
    says: "host i to switch i+k, 40 KB: k=1 line rate; k=2 deadlock in about 0.2 ms in order of arrival, 20 Gb/s \
           each with per-input service; k=3 deadlock under both in 26 to 35 us",
    source: "V13, an independent program; starts spread over 3 to 20 us",
    checks: credit_ring,
};

/// V29.
pub const PAUSE_RING: Law = Law {
    name: "ring of N under PFC",
    says: "as under credits: k=1 never, k=2 in order of arrival in 38 us, per-input never; k=3 both, 25 to 29 us",
    source: "V29, Shpiner et al., HotNets 2016; starts within 200 ns",
    checks: pause_ring,
};

/// X3.
pub const FIVE_SWITCHES: Law = Law {
    name: "ring of five, two hosts a switch",
    says: "20 MB to the host two switches on: deadlock within 20 us or so, no flow ends, nothing is let go on",
    source: "X3, ns-3 RDMA line",
    checks: five_switches,
};

/// U01, the toy.
pub const NO_CYCLE: Law = Law {
    name: "no cycle, no deadlock",
    says: "L0-S0-L2, L2-S1-L0 and L1-S0-L2 deadlock in models with one buffer a switch; with a buffer an input \
           there is no cycle and all go on",
    source: "U01, public course projects",
    checks: no_cycle,
};

/// The four-switch ring with flows given as `(name, path, further keys)`.
fn ring4(flow_control: &str, service: &str, third: bool, until: &str) -> Outcome {
    let mut flows = String::from(
        "{name: f1, src: h0, dst: h3, path: [h0, s0, s1, s2, s3, h3], size: unlimited},
          {name: f2, src: h2, dst: h1, path: [h2, s2, s3, s0, s1, h1], size: unlimited}",
    );
    if third {
        flows += ", {name: f3, src: h1, dst: h2, path: [h1, s1, s2, h2], size: unlimited}";
    }
    run(&format!(
        "name: ring4
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B}}
  switch: {{forwarding: store-and-forward, latency: 0ns, service: {service}}}
  {flow_control}
workload: {{kind: flows, flows: [{flows}]}}
run: {{until: {until}, measure_from: 1ms}}
",
        topology = Custom::ring(4).yaml()
    ))
}

const PFC_40: &str = "pfc: {xoff: 40KB, xon: 37KB}";
const CREDIT_40: &str = "flow_control: credit\n  credit: {buffer: 40KB}";

/// Wire rate in Gb/s of a flow of 1000 B packets under RoCE headers.
fn wire_rate(outcome: &Outcome, name: &str) -> f64 {
    goodput(flow(outcome, name)) * 1.082 / 1e9
}

fn goes_on(case: &str, outcome: &Outcome, names: &[&str]) -> Vec<Check> {
    let mut checks = vec![Check::exact(format!("{case}: ended"), Ending::TimeLimit, outcome.ending)];
    for name in names {
        checks.push(Check::near(format!("{case}, {name}: Gb/s"), 20.0, wire_rate(outcome, name), 0.02));
    }
    checks
}

fn two_flows() -> Vec<Check> {
    let mut checks = Vec::new();
    for (kind, flow_control) in
        [("PFC", PFC_40), ("PFC, xoff 100 KB", "pfc: {xoff: 100KB, xon: 97KB}"), ("credits", CREDIT_40)]
    {
        for service in ["fifo", "round-robin"] {
            let outcome = ring4(flow_control, service, false, "6ms");
            checks.extend(goes_on(&format!("{kind}, {service}"), &outcome, &["f1", "f2"]));
        }
    }
    checks
}

/// A deadlock that closed near an expected time.
fn stops(case: &str, outcome: &Outcome, onset_us: f64) -> Vec<Check> {
    let onset = outcome.deadlock.as_ref().map_or(0.0, |report| report.onset.as_secs_f64() * 1e6);
    vec![
        Check::exact(format!("{case}: ended"), Ending::Deadlocked, outcome.ending),
        Check::factor(format!("{case}, onset: us"), onset_us, onset, 2.0),
    ]
}

fn third_flow() -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(stops("PFC, fifo, 40/37 KB", &ring4(PFC_40, "fifo", true, "5ms"), 190.0));
    let large = ring4("pfc: {xoff: 100KB, xon: 97KB}", "fifo", true, "5ms");
    checks.extend(stops("PFC, fifo, 100/97 KB", &large, 360.0));
    let wide = ring4("pfc: {xoff: 100KB, xon: 37KB}", "fifo", true, "2ms");
    checks.push(Check::exact("PFC, fifo, 100/37 KB, 2 ms: ended", Ending::TimeLimit, wide.ending));
    let credits = ring4(CREDIT_40, "fifo", true, "5ms");
    checks.push(Check::exact("credits, fifo: ended", Ending::Deadlocked, credits.ending));
    for (kind, flow_control) in [("PFC", PFC_40), ("credits", CREDIT_40)] {
        let outcome = ring4(flow_control, "round-robin", true, "6ms");
        checks.extend(goes_on(&format!("{kind}, round-robin"), &outcome, &["f1", "f2", "f3"]));
    }
    checks
}

/// Host i sends to the host k switches on, for all i, without headers.
fn ring(switches: usize, hops: usize, fabric: &str, service: &str, start: impl Fn(usize) -> u64) -> Outcome {
    let flows: Vec<String> = (0..switches)
        .map(|host| {
            let end = (host + hops) % switches;
            let path: Vec<String> = (0..=hops).map(|hop| format!("s{}", (host + hop) % switches)).collect();
            let (path, start) = (path.join(", "), start(host));
            format!("{{src: h{host}, dst: h{end}, path: [h{host}, {path}, h{end}], size: unlimited, start: {start}ns}}")
        })
        .collect();
    run(&format!(
        "name: ring
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns, service: {service}}}
  {fabric}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{flows}]}}
run: {{until: 3ms, measure_from: 1ms}}
",
        topology = Custom::ring(switches).yaml(),
        flows = flows.join(", "),
    ))
}

/// Every flow has this rate, and nothing stopped.
fn shares(case: &str, outcome: &Outcome, gbps: f64) -> Vec<Check> {
    let rates: Vec<f64> = outcome.flows.iter().map(|flow| goodput(flow) / 1e9).collect();
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    vec![
        Check::exact(format!("{case}: ended"), Ending::TimeLimit, outcome.ending),
        Check::near(format!("{case}, slowest: Gb/s"), gbps, slowest, 0.02),
        Check::near(format!("{case}, fastest: Gb/s"), gbps, fastest, 0.02),
    ]
}

fn rings(fabric: &str, start: fn(usize) -> u64, two: f64, three: f64) -> Vec<Check> {
    let mut checks = Vec::new();
    for switches in [3, 4, 5, 8] {
        for service in ["fifo", "round-robin"] {
            let case = |hops: usize| format!("N {switches}, k {hops}, {service}");
            checks.extend(shares(&case(1), &ring(switches, 1, fabric, service, start), 40.0));
            let outcome = ring(switches, 2, fabric, service, start);
            checks.extend(match service {
                "fifo" => stops(&case(2), &outcome, two),
                _ => shares(&case(2), &outcome, 20.0),
            });
            if switches > 3 {
                let outcome = ring(switches, 3, fabric, service, start);
                checks.extend(stops(&case(3), &outcome, three));
            }
        }
    }
    checks
}

fn credit_ring() -> Vec<Check> {
    rings(CREDIT_40, |host| 3_000 + (host as u64 * 7_919) % 17_000, 200.0, 30.0)
}

fn pause_ring() -> Vec<Check> {
    rings(PFC_40, |host| (host as u64 * 79) % 200, 38.0, 27.0)
}

fn five_switches() -> Vec<Check> {
    let mut topology = Custom::ring(5);
    (0..5).for_each(|switch| topology.host(&format!("g{switch}"), &format!("s{switch}")));
    let flows: Vec<String> = (0..10)
        .map(|flow| {
            let (host, from) = (if flow < 5 { 'h' } else { 'g' }, flow % 5);
            let (next, to) = ((from + 1) % 5, (from + 2) % 5);
            format!(
                "{{src: {host}{from}, dst: {host}{to}, size: 20MB, path: [{host}{from}, s{from}, s{next}, s{to}, {host}{to}]}}"
            )
        })
        .collect();
    let outcome = run(&format!(
        "name: five
topology: {topology}
fabric:
  preset: roce-100g
  link: {{delay: 1us, mtu: 1000B, overhead: 36B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  buffer: {{size: 1MB, alpha: 1/8, reserve: 4KiB, resume_offset: 3KiB}}
  pfc: {{xoff: dynamic, headroom: 37500B}}
workload: {{kind: flows, flows: [{flows}]}}
run: {{until: 50ms}}
",
        topology = topology.yaml(),
        flows = flows.join(", ")
    ));
    let sum = |pick: fn(&_) -> u64| outcome.ports.iter().map(|port| pick(&port.classes[DATA])).sum::<u64>();
    let done = outcome.flows.iter().filter(|flow| flow.delivered.is_some()).count();
    let onset = outcome.deadlock.as_ref().map_or(0.0, |report| report.onset.as_secs_f64() * 1e6);
    vec![
        Check::exact("ended", Ending::Deadlocked, outcome.ending),
        Check::factor("onset: us", 17.0, onset, 2.0),
        Check::exact("flows that end", 0, done),
        Check::exact("frames that pause", 15, sum(|c| c.pause_sent)),
        Check::exact("frames that let go on", 0, sum(|c| c.resume_sent)),
    ]
}

fn no_cycle() -> Vec<Check> {
    let mut topology = Custom::default();
    ["L0", "L1", "L2", "S0", "S1"].iter().for_each(|switch| topology.switch(switch));
    for leaf in ["L0", "L1", "L2"] {
        topology.link(leaf, "S0", "");
        topology.link(leaf, "S1", "");
        topology.host(&format!("h{leaf}"), leaf);
    }
    let mut checks = Vec::new();
    for service in ["fifo", "round-robin"] {
        for flow_control in [PFC_40, CREDIT_40] {
            let outcome = run(&format!(
                "name: toy
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B}}
  switch: {{forwarding: store-and-forward, latency: 0ns, service: {service}}}
  {flow_control}
workload:
  kind: flows
  flows:
    - {{name: f1, src: hL0, dst: hL2, path: [hL0, L0, S0, L2, hL2], size: unlimited}}
    - {{name: f2, src: hL2, dst: hL0, path: [hL2, L2, S1, L0, hL0], size: unlimited}}
    - {{name: f3, src: hL1, dst: hL2, path: [hL1, L1, S0, L2, hL2], size: unlimited}}
run: {{until: 20ms, measure_from: 15ms}}
",
                topology = topology.yaml()
            ));
            let case = format!("{service}, {}", if flow_control == PFC_40 { "PFC" } else { "credits" });
            checks.push(Check::exact(format!("{case}: ended"), Ending::TimeLimit, outcome.ending));
            let sum = wire_rate(&outcome, "f1") + wire_rate(&outcome, "f3");
            // Acknowledgements of f2 come by the same last link.
            let expected = 40.0 * 1082.0 / (1082.0 + 86.0);
            checks.push(Check::near(format!("{case}, f1 and f3: Gb/s"), expected, sum, 0.01));
        }
    }
    checks
}
