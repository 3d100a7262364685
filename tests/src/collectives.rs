//! Collectives against the closed forms of their algorithms.

use sim::{Outcome, Step};

use crate::{Check, Custom, Law, run, wire_time};

/// All of them.
pub const LAWS: &[&Law] = &[&RING, &HALVES, &EXCHANGE, &HALF_RATE, &STRAGGLER, &JITTER];

/// V48.
pub const RING: Law = Law {
    name: "ring all-reduce",
    says: "2 (N-1) (alpha + S/N 8/B), alpha 5 us with software, cables and the store of one packet",
    source: "V48, NCCL; .105, .669, 5.150 ms for 1 MB at N = 8, 64, 512",
    checks: ring,
};

/// Reduce-scatter and all-gather.
pub const HALVES: Law = Law {
    name: "ring reduce-scatter, all-gather",
    says: "half of an all-reduce each: (N-1) (alpha + S/N 8/B)",
    source: "protocols A6",
    checks: halves,
};

/// V51.
pub const EXCHANGE: Law = Law {
    name: "pairwise all-to-all",
    says: "(N-1) alpha + (N-1)/N S 8/B without blocking",
    source: "V51, derived",
    checks: exchange,
};

/// U06, a slow link.
pub const HALF_RATE: Law = Law {
    name: "half-rate NIC",
    says: "bus bandwidth falls to 0.50 +- 0.03, also when one of several rails is halved: the slowest ring decides",
    source: "U06, NVIDIA/nccl-tests#106",
    checks: half_rate,
};

/// U06, a slow GPU.
pub const STRAGGLER: Law = Law {
    name: "straggler",
    says: "a GPU slower by x makes a step longer by x of the compute phase, and is named",
    source: "U06",
    checks: straggler,
};

/// V62.
pub const JITTER: Law = Law {
    name: "jitter",
    says: "the compute phase of a step is the largest of N lognormal factors of mean 1: for sigma 0.1 \
           1.149 (8), 1.259 (64)",
    source: "V62, order statistics",
    checks: jitter,
};

const DELAY_NS: u64 = 100;

/// Time of one step of a collective over one switch without headers, and the time that its latency leaves to software.
fn step(hosts: u64, kind: &str, size: u64, chunk: u64, mtu: u64, alpha_ns: u64) -> f64 {
    let store = wire_time(chunk.min(mtu), 400);
    let software = alpha_ns * 1000 - 2 * DELAY_NS * 1000 - store;
    let outcome = run(&format!(
        "name: collective
topology: {topology}
fabric:
  preset: ib-ndr
  link: {{rate: 400Gbps, delay: {DELAY_NS}ns, mtu: {mtu}B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  credit: {{buffer: 1MB, window: none}}
  transport: {{kind: rc, ack_every: message}}
host: {{software_latency: {software}ps}}
workload: {{kind: {kind}, size: {size}B}}
",
        topology = Custom::star(hosts as usize).yaml()
    ));
    seconds(&outcome.steps[0])
}

fn seconds(step: &Step) -> f64 {
    (step.end - step.start).as_secs_f64()
}

fn ring() -> Vec<Check> {
    let mut checks = Vec::new();
    for (hosts, size, mtu) in [
        (8, 1_000_000, 4096),
        (8, 1 << 20, 1024),
        (8, 16_000_000, 4096),
        (8, 64_000_000, 4096),
        (8, 256_000_000, 4096),
        (64, 1_000_000, 4096),
        (64, 4_000_000, 4096),
        (64, 16_000_000, 4096),
        (64, 64_000_000, 16_384),
        (64, 256_000_000, 32_768),
        (512, 1_000_000, 4096),
        (5, 12_345_678, 2048),
        (2, 1_000_000, 4096),
    ] {
        for alpha_ns in [5_000, 20_000] {
            if alpha_ns > 5_000 && size > 20_000_000 {
                continue;
            }
            let chunk = size as f64 / hosts as f64;
            let expected = 2.0 * (hosts - 1) as f64 * (alpha_ns as f64 * 1e-9 + chunk * 8.0 / 400e9);
            let measured = step(hosts, "all-reduce, algorithm: ring", size, size / hosts, mtu, alpha_ns);
            let case = format!("N {hosts}, {size} B, MTU {mtu}, alpha {} us: ms", alpha_ns / 1000);
            checks.push(Check::near(case, expected * 1e3, measured * 1e3, 0.01));
        }
    }
    checks
}

fn halves() -> Vec<Check> {
    let mut checks = Vec::new();
    for kind in ["reduce-scatter", "all-gather"] {
        for (hosts, size) in [(8, 1_000_000), (8, 64_000_000), (64, 16_000_000), (3, 999_999)] {
            let chunk = size as f64 / hosts as f64;
            let expected = (hosts - 1) as f64 * (5e-6 + chunk * 8.0 / 400e9);
            let measured = step(hosts, kind, size, size / hosts, 4096, 5_000);
            checks.push(Check::near(format!("{kind}, N {hosts}, {size} B: ms"), expected * 1e3, measured * 1e3, 0.01));
        }
    }
    checks
}

fn exchange() -> Vec<Check> {
    let mut checks = Vec::new();
    for (hosts, size) in [(8, 1_000_000), (8, 64_000_000), (16, 16_000_000), (32, 64_000_000)] {
        let chunk = size as f64 / hosts as f64;
        let expected = (hosts - 1) as f64 * (5e-6 + chunk * 8.0 / 400e9);
        let measured = step(hosts, "all-to-all", size, size / hosts, 4096, 5_000);
        checks.push(Check::near(format!("N {hosts}, {size} B: ms"), expected * 1e3, measured * 1e3, 0.02));
    }
    checks
}

fn half_rate() -> Vec<Check> {
    let time = |topology: &str, faults: &str| {
        seconds(
            &run(&format!(
                "name: slow
topology: {topology}
fabric: ib-ndr
workload: {{kind: all-reduce, algorithm: ring, size: 64MB}}
faults: [{faults}]
"
            ))
            .steps[0],
        )
    };
    let mut checks = Vec::new();
    let star = Custom::star(8).yaml();
    let one = "{kind: degrade, link: [h5, s], rate: 200Gbps}";
    checks.push(Check::within("8 hosts, one NIC", 0.47, 0.53, time(&star, "") / time(&star, one)));
    let rails = "{kind: rail-only, hosts: 4, gpus_per_host: 4}";
    let all: Vec<String> =
        (0..4).map(|rail| format!("{{kind: degrade, link: [h2, leaf{rail}], rate: 200Gbps}}")).collect();
    checks.push(Check::within("4 rails, one NIC", 0.47, 0.53, time(rails, "") / time(rails, &all[1])));
    checks.push(Check::within(
        "4 rails, all NICs of a host",
        0.47,
        0.53,
        time(rails, "") / time(rails, &all.join(", ")),
    ));
    checks
}

fn computing(host: &str, ranks: usize, compute: &str, size: &str, steps: u32) -> Outcome {
    run(&format!(
        "name: computing
topology: {topology}
fabric: ib-ndr
host: {{{host}}}
workload: {{kind: all-reduce, size: {size}, compute: {compute}}}
run: {{steps: {steps}}}
",
        topology = Custom::star(ranks).yaml()
    ))
}

fn straggler() -> Vec<Check> {
    let mut checks = Vec::new();
    for (ranks, rank, slowdown, size) in [(8, 3, 1.05, "1MB"), (8, 7, 1.5, "16MB"), (16, 0, 1.01, "4MB")] {
        let plain = computing("", ranks, "1ms", size, 4);
        let slow = computing(&format!("straggler: {{rank: {rank}, slowdown: {slowdown}}}"), ranks, "1ms", size, 4);
        let case = format!("{ranks} ranks, {size}, one slower by {slowdown}");
        for (before, after) in plain.steps.iter().zip(&slow.steps).skip(1) {
            let expected = seconds(before) + (slowdown - 1.0) * 1e-3;
            let number = before.number;
            checks.push(Check::near(format!("{case}, step {number}: ms"), expected * 1e3, seconds(after) * 1e3, 0.01));
            checks.push(Check::exact(format!("{case}, step {number}: slowest"), rank, after.slowest_rank));
        }
    }
    checks
}

/// Mean of the largest of `n` lognormal factors of mean 1, by the trapezoidal rule.
fn largest_of(n: u32, sigma: f64) -> f64 {
    let (steps, from, to) = (40_000, -8.0, 8.0 + sigma);
    let width = (to - from) / f64::from(steps);
    let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (mut below, mut mean) = (0.0, 0.0);
    for step in 0..steps {
        let z = from + width * (f64::from(step) + 0.5);
        let share = density(z) * width;
        below += share / 2.0;
        mean += f64::from(n) * f64::powi(below, n as i32 - 1) * share * (sigma * z - sigma * sigma / 2.0).exp();
        below += share / 2.0;
    }
    mean
}

fn jitter() -> Vec<Check> {
    let mut checks = Vec::new();
    for (ranks, sigma, steps) in [(2, 0.3, 20_000), (8, 0.1, 5_000), (64, 0.1, 400), (16, 0.05, 1_000)] {
        let host = format!("jitter: {{lognormal: {{sigma: {sigma}}}}}");
        let outcome = computing(&host, ranks, "1ms", "64B", steps);
        assert_eq!(outcome.steps.len(), steps as usize, "every step is reported");
        let mean = outcome.steps.iter().map(|step| step.compute.as_secs_f64()).sum::<f64>() / f64::from(steps) * 1e3;
        let case = format!("N {ranks}, sigma {sigma}, {steps} steps");
        checks.push(Check::near(case, largest_of(ranks as u32, sigma), mean, 0.01));
    }
    checks
}
