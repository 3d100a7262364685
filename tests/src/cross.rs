//! Shared memory through whole runs, and exactly described cases of other simulators.

use sim::Quantity;

use crate::{Check, Custom, DATA, Law, flow, run};

/// All of them.
pub const LAWS: &[&Law] = &[&DYNAMIC_THRESHOLDS, &FOUR_HOPS, &WIDE_INCAST];

/// V19.
pub const DYNAMIC_THRESHOLDS: Law = Law {
    name: "dynamic thresholds",
    says: "n inputs that fill together before a stopped port each stop at alpha P / (1 + alpha n), \
           headroom apart, to one packet (where alpha is no more than 1: each packet moves the other thresholds by alpha \
           packets)",
    source: "V19, U21; Choudhury and Hahne, 1998",
    checks: dynamic_thresholds,
};

/// X1.
pub const FOUR_HOPS: Law = Law {
    name: "one flow over four idle hops",
    says: "2 MB of 1000 B packets at 100G over four links of 1 us: 174.27 us to the last acknowledgement",
    source: "X1, ns-3 RDMA line",
    checks: four_hops,
};

/// X5.
pub const WIDE_INCAST: Law = Law {
    name: "incast of 32",
    says: "32 flows of 4 MiB at 400G in a fat-tree of 128 hosts, PFC at 15 and 12 packets: the last ends after 2729.4 us \
           (the last link needs 2726.3), the first, being nearer, after about 28 % of that",
    source: "X5, htsim; its hashes differ, so the first flow is compared within a factor of two",
    checks: wide_incast,
};

fn dynamic_thresholds() -> Vec<Check> {
    let mut checks = Vec::new();
    for (inputs, alpha, pool) in [
        (1, (1, 1), 1_000_000),
        (8, (1, 8), 1_000_000),
        (4, (1, 2), 2_000_000),
        (5, (1, 1), 3_000_000),
        (16, (1, 16), 4_000_000),
    ] {
        let flows: Vec<String> =
            (1..=inputs).map(|host| format!("{{src: h{host}, dst: h0, size: unlimited, rate: 1Gbps}}")).collect();
        let outcome = run(&format!(
            "name: pool
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 400Gbps, delay: 5ns, mtu: 256B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  buffer: {{size: {pool}B, alpha: {over}/{under}, reserve: 0B}}
  pfc: {{xoff: dynamic, headroom: 20KB}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{flows}]}}
faults: [{{kind: nic-pause, node: h0}}]
run: {{until: 20ms, record: [queue], sample: 1ms, stall_after: 1s}}
",
            topology = Custom::star(inputs + 1).yaml(),
            over = alpha.0,
            under = alpha.1,
            flows = flows.join(", "),
        ));
        let last = outcome.series.iter().map(|sample| sample.time).max();
        let held: Vec<u64> = outcome
            .series
            .iter()
            .filter(|sample| Some(sample.time) == last && sample.quantity == Quantity::Input && sample.value > 0)
            .map(|sample| sample.value)
            .collect();
        let share = f64::from(alpha.0) / f64::from(alpha.1);
        let expected = share * f64::from(pool) / (1.0 + share * inputs as f64);
        let case = format!("n {inputs}, alpha {}/{}, P {pool} B", alpha.0, alpha.1);
        checks.push(Check::exact(format!("{case}: inputs that hold bytes"), inputs, held.len()));
        for (name, value) in [("least", held.iter().min()), ("most", held.iter().max())] {
            let value = value.copied().unwrap_or(0) as f64;
            checks.push(Check::within(format!("{case}: {name}, B"), expected - 256.0, expected + 256.0, value));
        }
        let drops: u64 = outcome.ports.iter().map(|port| port.classes[DATA].drops).sum();
        checks.push(Check::exact(format!("{case}: lost"), 0, drops));
    }
    checks
}

fn four_hops() -> Vec<Check> {
    let outcome = run(&format!(
        "name: hops
topology: {topology}
fabric:
  preset: roce-100g
  link: {{delay: 1us, mtu: 1000B, overhead: 36B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: 2MB}}]}}
",
        topology = Custom::chain(3).yaml()
    ));
    let acked = flow(&outcome, "f").acked.map_or(0.0, |time| time.as_secs_f64() * 1e6);
    vec![Check::near("last acknowledgement: us", 174.27, acked, 0.005)]
}

fn wide_incast() -> Vec<Check> {
    let mut checks = Vec::new();
    for routing in ["ecmp", "spray"] {
        let outcome = run(&format!(
            "name: wide
topology: {{kind: fat-tree, tiers: 3, radix: 8, hosts: 128, gpus_per_host: 1}}
fabric:
  preset: roce-400g
  link: {{rate: 400Gbps, delay: 500ns, mtu: 4096B, overhead: 64B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  pfc: {{xoff: {xoff}B, xon: {xon}B}}
  routing: {routing}
workload: {{kind: flows, pattern: incast, dst: h0, fan_in: 32, size: 4MiB}}
",
            xoff = 15 * 4160,
            xon = 12 * 4160,
        ));
        let mut ends: Vec<f64> =
            outcome.flows.iter().filter_map(|flow| flow.delivered).map(|time| time.as_secs_f64() * 1e6).collect();
        ends.sort_by(f64::total_cmp);
        checks.push(Check::exact(format!("{routing}: flows that end"), 32, ends.len()));
        let (first, last) = (ends[0], ends[ends.len() - 1]);
        let bound = 32.0 * 1024.0 * 4160.0 * 8.0 / 400e3;
        checks.push(Check::within(format!("{routing}: last over the bound, us"), bound, bound + 5.0, last));
        checks.push(Check::near(format!("{routing}: last, us"), 2729.4, last, 0.005));
        checks.push(Check::factor(format!("{routing}: first over last"), 0.28, first / last, 2.0));
    }
    checks
}
