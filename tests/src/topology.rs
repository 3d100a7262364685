//! Routes that share no link, and routes that do.

use sim::LogQueue;

use crate::{Check, Law, plan, run, run_plan};

/// All of them.
pub const LAWS: &[&Law] = &[&SHIFTS, &ECMP];

/// V7.
pub const SHIFTS: Law = Law {
    name: "shift permutations",
    says: "D-mod-K routing on a fat-tree carries every shift at line rate: each flow takes the time of an idle network",
    source: "V7, Zahavi; opensm",
    checks: shifts,
};

/// V54.
pub const ECMP: Law = Law {
    name: "ECMP collisions",
    says: "n flows over n uplinks: the fullest has 1.5, 2.125, 2.597 flows (n = 2, 4, 8); \
           without collision n!/n^n of the time; 1 - (1 - 1/n)^n of the uplinks are used",
    source: "V54, balls in bins",
    checks: ecmp,
};

fn shifts() -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, topology, hosts) in [
        ("2 tiers, radix 4", "kind: fat-tree, tiers: 2, radix: 4, hosts: 8", 8),
        ("2 tiers, radix 8", "kind: fat-tree, tiers: 2, radix: 8, hosts: 32", 32),
        ("3 tiers, radix 4", "kind: fat-tree, tiers: 3, radix: 4, hosts: 16", 16),
        ("4 leaves, 4 spines", "kind: spine-leaf, leaf: {hosts: 4, uplinks: 4}, hosts: 16", 16),
    ] {
        for forwarding in ["store-and-forward", "cut-through"] {
            let mut late = Vec::new();
            for shift in 1..hosts {
                let outcome = run(&format!(
                    "name: shift
topology: {{{topology}, gpus_per_host: 1}}
fabric:
  preset: ib-ndr
  switch: {{forwarding: {forwarding}}}
  routing: d-mod-k
  transport: {{kind: ud}}
workload: {{kind: flows, pattern: shift, shift: {shift}, size: 200KB}}
"
                ));
                let took = |flow: &sim::Flow| Some(flow.delivered? - flow.start?);
                late.extend(outcome.flows.iter().filter(|flow| took(flow) != flow.ideal).map(|flow| flow.name.clone()));
            }
            checks.push(Check::exact(format!("{name}, {forwarding}, all shifts: late flows"), Vec::new(), late));
        }
    }
    checks
}

fn ecmp() -> Vec<Check> {
    let mut checks = Vec::new();
    let runs = 4000;
    for (n, fullest) in [(2u32, 1.5), (4, 2.125), (8, 2.597)] {
        let mut plan = plan(&format!(
            "name: bins
topology: {{kind: spine-leaf, hosts: {hosts}, gpus_per_host: 1, leaf: {{hosts: {n}, uplinks: {n}}}, spine: {{count: {n}}}}}
fabric: {{preset: roce-400g, routing: ecmp, transport: {{kind: ud}}}}
workload: {{kind: flows, pattern: shift, shift: {n}, size: 1KB}}
",
            hosts = 2 * n
        ));
        let (mut most, mut apart, mut used) = (0, 0, 0);
        for seed in 0..runs {
            plan.seeds.routing = seed;
            let outcome = run_plan::<LogQueue>(&plan);
            let uplinks = outcome.ports.iter().filter(|port| port.name.starts_with("leaf0->spine"));
            let loads: Vec<u64> = uplinks.map(|port| port.all.packets).collect();
            assert_eq!((loads.len(), loads.iter().sum()), (n as usize, u64::from(n)), "a packet a flow");
            let top = loads.iter().max().copied().unwrap_or(0);
            most += top;
            apart += u64::from(top == 1);
            used += loads.iter().filter(|load| **load > 0).count() as u64;
        }
        let mean = |sum: u64| sum as f64 / runs as f64;
        let none = (1..=n).fold(1.0, |product, k| product * f64::from(k) / f64::from(n));
        let share = 1.0 - (1.0 - 1.0 / f64::from(n)).powi(n as i32);
        let deviation = (none * (1.0 - none) / runs as f64).sqrt();
        let case = format!("n {n}, {runs} seeds");
        checks.push(Check::near(format!("{case}: fullest uplink"), fullest, mean(most), 0.015));
        let bounds = (none - 4.0 * deviation, none + 4.0 * deviation);
        checks.push(Check::within(format!("{case}: without collision"), bounds.0, bounds.1, mean(apart)));
        checks.push(Check::near(format!("{case}: uplinks used"), share, mean(used) / f64::from(n), 0.015));
    }
    checks
}
