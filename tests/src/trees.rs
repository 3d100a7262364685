//! Trees against rings.

use crate::{Check, Custom, Law, run};

/// All of them.
pub const LAWS: &[&Law] = &[&BANDWIDTH, &LATENCY, &CROSSOVER, &TWO_NODES];

/// V50, large sizes.
pub const BANDWIDTH: Law = Law {
    name: "trees, bandwidth",
    says: "an all-reduce of S takes 3 S/B in a pipelined binary tree, whose inner nodes serve two children and a parent, \
           2 S/B in the double binary tree, whose nodes are inner in one tree and leaves in the other: \
           within 10 % of the limit of a ring; no tree is faster than the ring",
    source: "V50, U13, derived; NVIDIA/nccl#457, #1368",
    checks: bandwidth,
};

/// V50, small sizes.
pub const LATENCY: Law = Law {
    name: "trees, latency",
    says: "a small all-reduce takes 2 (N-1) alpha in a ring and 2 log2(N) alpha in a tree of N = 2^k",
    source: "V50, U13, derived",
    checks: latency,
};

/// U13.
pub const CROSSOVER: Law = Law {
    name: "trees or ring",
    says: "there is one size at which the ring overtakes the double binary tree, and it grows with N",
    source: "U13, NVIDIA/nccl#1712",
    checks: crossover,
};

/// U13, two nodes.
pub const TWO_NODES: Law = Law {
    name: "two nodes with NVLink",
    says: "between two nodes a tree sends half of what a ring does: 1.3 to 2.05 times its bandwidth",
    source: "U13, NVIDIA/nccl#946",
    checks: two_nodes,
};

const RING: &str = "ring";
const TREE: &str = "tree, slice: 128KiB";
const DOUBLE: &str = "double-binary-tree, slice: 128KiB";

/// Microseconds of an all-reduce where no queue stops a sender.
fn all_reduce(topology: &str, algorithm: &str, size: u64) -> f64 {
    let outcome = run(&format!(
        "name: tree
topology: {topology}
fabric:
  preset: ib-ndr
  link: {{rate: 400Gbps, delay: 100ns, mtu: 4096B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  flow_control: none
  transport: {{kind: rc, ack_every: message}}
host: {{software_latency: 2us}}
workload: {{kind: all-reduce, algorithm: {algorithm}, size: {size}B}}
"
    ));
    (outcome.steps[0].end - outcome.steps[0].start).as_secs_f64() * 1e6
}

fn star(hosts: usize) -> String {
    Custom::star(hosts).yaml()
}

fn bandwidth() -> Vec<Check> {
    let mut checks = Vec::new();
    let size = 64 << 20;
    let once = size as f64 * 8.0 / 400e3;
    for hosts in [5, 8, 13, 16] {
        let [ring, tree, double] = [RING, TREE, DOUBLE].map(|algorithm| all_reduce(&star(hosts), algorithm, size));
        checks.push(Check::near(format!("N {hosts}, tree: us"), 3.0 * once, tree, 0.1));
        checks.push(Check::near(format!("N {hosts}, double binary tree: us"), 2.0 * once, double, 0.1));
        checks.push(Check::within(format!("N {hosts}, ring: us"), 0.0, double.min(tree), ring));
    }
    checks
}

fn latency() -> Vec<Check> {
    let mut checks = Vec::new();
    let size = 1024;
    // Software, two cables, one store of a whole or of a part of the data.
    let alpha = |bytes: f64| 2.0 + 0.2 + 2.0 * bytes * 8.0 / 400e3;
    for (hosts, depth) in [(2, 1), (4, 2), (8, 3), (16, 4), (32, 5), (64, 6)] {
        let rounds = 2.0 * (hosts - 1) as f64;
        let ring = rounds * alpha(size as f64 / hosts as f64);
        checks.push(Check::near(format!("N {hosts}, ring: us"), ring, all_reduce(&star(hosts), RING, size), 0.02));
        let tree = 2.0 * f64::from(depth) * alpha(size as f64);
        for (name, algorithm, part) in [("tree", TREE, 1.0), ("double binary tree", DOUBLE, 0.5)] {
            let tree = tree - 2.0 * f64::from(depth) * (alpha(size as f64) - alpha(size as f64 * part));
            let measured = all_reduce(&star(hosts), algorithm, size);
            checks.push(Check::near(format!("N {hosts}, {name}: us"), tree, measured, 0.1));
        }
    }
    checks
}

fn crossover() -> Vec<Check> {
    let mut checks = Vec::new();
    let mut before = 0.0;
    for hosts in [4, 8, 16] {
        let sizes: Vec<u64> = (10..=25).map(|power| 1 << power).collect();
        let ring_wins: Vec<bool> = sizes
            .iter()
            .map(|&size| all_reduce(&star(hosts), RING, size) < all_reduce(&star(hosts), DOUBLE, size))
            .collect();
        let changes = ring_wins.windows(2).filter(|pair| pair[0] != pair[1]).count();
        checks.push(Check::exact(format!("N {hosts}: changes of the winner"), 1, changes));
        let first = ring_wins.iter().position(|&wins| wins).map_or(0.0, |index| sizes[index] as f64 / 1024.0);
        checks.push(Check::within(format!("N {hosts}: ring wins from, KiB"), before + 1.0, f64::INFINITY, first));
        before = first;
    }
    checks
}

fn two_nodes() -> Vec<Check> {
    let topology = "{kind: spine-leaf, hosts: 2, gpus_per_host: 8, nics_per_host: 1, leaf: {hosts: 2, uplinks: 2}}";
    [64 << 20, 256 << 20]
        .iter()
        .flat_map(|&size| {
            let ring = all_reduce(topology, RING, size);
            ["tree", "double-binary-tree"].map(|algorithm| {
                let faster = ring / all_reduce(topology, algorithm, size);
                Check::within(format!("{algorithm}, {} MiB", size >> 20), 1.3, 2.05, faster)
            })
        })
        .collect()
}
