//! Packets that circle, flows that start at other times, and whether a deadlock passes.

use sim::{Ending, Outcome};

use crate::{Check, Custom, Law, goodput, run};

/// All of them.
pub const LAWS: &[&Law] = &[&LOOP_THRESHOLD, &LOOP_ONSET, &START_PHASES, &PERSISTENCE];

/// V24.
pub const LOOP_THRESHOLD: Law = Law {
    name: "routing loop, threshold",
    says: "a flow that circles among n switches until its TTL T is spent is lossless and free of deadlock below \
           B / ceil(T/n), and deadlocks above; T counts links between switches (in IP, the initial TTL less one)",
    source: "V24, U08, Hu et al., HotNets 2016; an independent program",
    checks: loop_threshold,
};

/// V25.
pub const LOOP_ONSET: Law = Law {
    name: "routing loop, time to deadlock",
    says: "at x times the threshold about xoff T / (2 B (x-1)): for n = 2, T = 16, 40 KB at 40G \
           3249, 1283, 700, 297 us at x = 1.02, 1.05, 1.10, 1.25",
    source: "V25, an independent program; derived",
    checks: loop_onset,
};

/// V28.
pub const START_PHASES: Law = Law {
    name: "ring of four, a slow third flow",
    says: "the third flow stops the ring later the slower it is, in about 4.1, 2.1, 1.0, 0.9 ms at 0.5, 1, 2, 4 Gb/s; \
           it does in most phases of starts, not in all; two flows survive in every phase",
    source: "V26, V28, U01, an independent program; median over phases, within a factor of two",
    checks: start_phases,
};

/// V32.
pub const PERSISTENCE: Law = Law {
    name: "a deadlock stays",
    says: "when all sources stop, a deadlock does not dissolve; PAUSE that expires without refresh dissolves it",
    source: "V32; derived",
    checks: persistence,
};

/// A flow of `rate` that circles among `n` switches; its path is longer than its TTL.
fn circling(n: usize, ttl: usize, rate: f64, until: &str) -> Outcome {
    let mut topology = Custom::default();
    (0..n).for_each(|switch| topology.switch(&format!("s{switch}")));
    (0..n).filter(|&switch| n > 2 || switch == 0).for_each(|switch| {
        topology.link(&format!("s{switch}"), &format!("s{}", (switch + 1) % n), "");
    });
    topology.host("a", "s0");
    topology.host("b", "s1");
    let rounds = ttl / n + 2;
    let path: Vec<String> = (0..rounds * n + 2).map(|hop| format!("s{}", hop % n)).collect();
    run(&format!(
        "name: loop
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  pfc: {{xoff: 40KB, xon: 37KB}}
  transport: {{kind: ud}}
workload:
  kind: flows
  flows: [{{name: f, src: a, dst: b, size: unlimited, rate: {rate:.0}bps, ttl: {ttl}, path: [a, {path}, b]}}]
run: {{until: {until}, stall_after: 1s}}
",
        topology = topology.yaml(),
        path = path.join(", "),
    ))
}

/// The rate at which a link is full: every packet crosses the fullest one ceil(T/n) times.
fn threshold(n: usize, ttl: usize) -> f64 {
    40e9 / ttl.div_ceil(n) as f64
}

fn loop_threshold() -> Vec<Check> {
    let mut checks = Vec::new();
    for (n, ttl) in [(2, 16), (2, 32), (2, 15), (3, 16), (3, 32), (3, 33), (4, 32)] {
        for (factor, ending) in [(0.98, Ending::TimeLimit), (1.02, Ending::Deadlocked)] {
            let outcome = circling(n, ttl, factor * threshold(n, ttl), "20ms");
            let case = format!("n {n}, T {ttl}, {factor} of {:.3} Gb/s", threshold(n, ttl) / 1e9);
            checks.push(Check::exact(format!("{case}: ended"), ending, outcome.ending));
            let full: u64 = outcome.ports.iter().flat_map(|port| &port.classes).map(|class| class.lossless_drops).sum();
            checks.push(Check::exact(format!("{case}: lossless drops"), 0, full));
        }
    }
    checks
}

fn loop_onset() -> Vec<Check> {
    let mut checks = Vec::new();
    for (n, ttl) in [(2, 16), (2, 32), (3, 33)] {
        for factor in [1.02, 1.05, 1.10, 1.25] {
            let outcome = circling(n, ttl, factor * threshold(n, ttl), "40ms");
            let expected = 40e3 * 8.0 * ttl as f64 / (2.0 * 40e9 * (factor - 1.0)) * 1e6;
            let case = format!("n {n}, T {ttl}, x {factor}: us");
            checks.push(Check::near(case, expected, onset_us(&outcome), 0.25));
        }
    }
    checks
}

/// Time at which the first cycle closed; 0 without one.
fn onset_us(outcome: &Outcome) -> f64 {
    outcome.deadlock.as_ref().map_or(0.0, |report| report.onset.as_secs_f64() * 1e6)
}

/// The four-switch ring with a third flow of some rate; `more` are further keys of every flow.
fn ring4(seed: u64, third: Option<&str>, pfc: &str, more: &str, workload: &str, run_keys: &str) -> Outcome {
    let mut flows = format!(
        "{{name: f1, src: h0, dst: h3, path: [h0, s0, s1, s2, s3, h3], size: unlimited{more}}},
          {{name: f2, src: h2, dst: h1, path: [h2, s2, s3, s0, s1, h1], size: unlimited{more}}}"
    );
    if let Some(rate) = third {
        flows += &format!(", {{name: f3, src: h1, dst: h2, path: [h1, s1, s2, h2], size: unlimited{rate}{more}}}");
    }
    run(&format!(
        "name: ring4
seed: {seed}
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  pfc: {{xoff: 40KB, xon: 37KB{pfc}}}
workload: {{kind: flows{workload}, flows: [{flows}]}}
run: {{{run_keys}}}
",
        topology = Custom::ring(4).yaml()
    ))
}

/// Median; of none, 0.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn start_phases() -> Vec<Check> {
    let mut checks = Vec::new();
    let seeds = 20;
    let phases = ", start_jitter: 10us";
    for (rate, expected) in [("0.5Gbps", 4100.0), ("1Gbps", 2100.0), ("2Gbps", 1000.0), ("4Gbps", 900.0)] {
        let third = format!(", rate: {rate}");
        let onsets: Vec<f64> = (1..=seeds)
            .map(|seed| onset_us(&ring4(seed, Some(&third), "", "", phases, "until: 20ms")))
            .filter(|onset| *onset > 0.0)
            .collect();
        let share = onsets.len() as f64 / seeds as f64;
        checks.push(Check::within(format!("{rate}, {seeds} phases: probability"), 0.5, 1.0, share));
        checks.push(Check::factor(format!("{rate}: median onset, us"), expected, median(onsets), 2.0));
    }
    let full: Vec<f64> =
        (1..=seeds).map(|seed| onset_us(&ring4(seed, Some(""), "", "", phases, "until: 20ms"))).collect();
    let stopped = full.iter().filter(|onset| **onset > 0.0).count();
    checks.push(Check::exact("greedy third flow: deadlocks", seeds as usize, stopped));
    let mut slowest = f64::INFINITY;
    let mut survived = 0;
    for seed in 1..=seeds {
        let outcome = ring4(seed, None, "", "", phases, "until: 10ms, measure_from: 9ms");
        survived += u32::from(outcome.ending == Ending::TimeLimit);
        slowest = outcome.flows.iter().map(|flow| goodput(flow) * 1.082e-9).fold(slowest, f64::min);
    }
    checks.push(Check::exact("two flows: phases that survive", seeds as u32, survived));
    checks.push(Check::near("two flows, slowest at the end: Gb/s", 20.0, slowest, 0.02));
    checks
}

fn persistence() -> Vec<Check> {
    let mut checks = Vec::new();
    let run_keys = "until: 60ms, on_deadlock: continue, stall_after: 1s";
    let stays = ring4(1, Some(""), "", ", stop: 2ms", "", run_keys);
    let end = stays.simulated.as_secs_f64() * 1e3;
    checks.push(Check::near("sources stop at 2 ms; looked at until: ms", 60.0, end, 0.01));
    let last = |outcome: &Outcome| outcome.last_progress.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    checks.push(Check::exact("ended", Ending::Deadlocked, stays.ending));
    checks.push(Check::within("last delivery: ms", 0.0, 1.0, last(&stays)));
    let expires = ring4(1, Some(""), ", refresh: none", ", stop: 2ms", "", run_keys);
    checks.push(Check::exact("without refresh: ended", Ending::Finished, expires.ending));
    checks.push(Check::within("without refresh, last delivery: ms", 2.0, 60.0, last(&expires)));
    checks
}
