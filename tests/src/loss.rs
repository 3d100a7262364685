//! Damaged packets and their repair.

use sim::Ending;

use crate::{Check, Custom, DATA, Law, flow, port, run, wire_time};

/// All of them.
pub const LAWS: &[&Law] = &[&GO_BACK_N, &EVERY_NTH, &ALL_END, &DAMAGE_IS_COUNTED];

/// V42.
pub const GO_BACK_N: Law = Law {
    name: "go-back-N",
    says: "efficiency 1 / (1 + p W (1 + p RTO/RTT) / (1-p)), W = unloaded RTT / packet time + 1, RTO 4 RTT",
    source: "V42, U14, derived and reproduced independently",
    checks: go_back_n,
};

/// V39 for go-back-N.
pub const EVERY_NTH: Law = Law {
    name: "every n-th packet lost",
    says: "efficiency (n - 1 - W) / n",
    source: "V39, Guo et al., SIGCOMM 2016; derived",
    checks: every_nth,
};

/// X4.
pub const ALL_END: Law = Law {
    name: "all flows end",
    says: "32 flows of 10 kB over links that lose 2 % all end, by the retransmission timer where need be",
    source: "X4: without that timer 7 of 32 never end",
    checks: all_end,
};

/// Rate of damage.
pub const DAMAGE_IS_COUNTED: Law = Law {
    name: "loss rate",
    says: "a link with loss p damages a share p of its data packets; a datagram flow delivers the others",
    source: "derived: binomial, within four standard deviations",
    checks: damage_is_counted,
};

/// Efficiency of one flow over a lossy cable, and its window of packets under way.
fn efficiency(gbps: u64, rtt_us: u64, packet: u64, packets: u64, fault: &str) -> (f64, f64) {
    let (t, ack) = (wire_time(packet, gbps), wire_time(30, gbps));
    let rtt = rtt_us * 1_000_000;
    let delay = (rtt - t - ack) / 2;
    let outcome = run(&format!(
        "name: lossy
topology: {topology}
fabric:
  preset: ib-ndr
  link: {{rate: {gbps}Gbps, delay: {delay}ps, mtu: {packet}B, overhead: 0B}}
  flow_control: none
  transport: {{kind: rc, ack_every: 1, timeout: {timeout}us, retries: 255}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: {size}B}}]}}
faults: [{{link: \"a->b\", {fault}}}]
",
        topology = Custom::chain(0).yaml(),
        timeout = 4 * rtt_us,
        size = packets * packet,
    ));
    let time = flow(&outcome, "f").delivered.expect("the flow is complete").ps();
    ((packets * t) as f64 / time as f64, rtt as f64 / t as f64 + 1.0)
}

fn go_back_n() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, rtt_us, packet, loss, packets) in [
        (400, 10, 4096, 1e-4, 250_000),
        (400, 10, 4096, 1e-3, 250_000),
        (400, 10, 4096, 1e-2, 350_000),
        (400, 10, 1024, 1e-4, 500_000),
        (400, 10, 1024, 1e-3, 2_000_000),
        (400, 10, 1024, 1e-2, 400_000),
        (400, 100, 4096, 1e-4, 1_000_000),
        (400, 100, 4096, 1e-3, 1_000_000),
        (100, 20, 1000, 2e-3, 400_000),
    ] {
        let (measured, window) = efficiency(gbps, rtt_us, packet, packets, &format!("kind: loss, rate: {loss}"));
        let expected = 1.0 / (1.0 + loss * window * (1.0 + loss * 4.0) / (1.0 - loss));
        let case = format!("{gbps}G, RTT {rtt_us} us, {packet} B, W {window:.0}, p {loss}");
        checks.push(Check::near(case, expected, measured, 0.03));
    }
    checks
}

fn every_nth() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, rtt_us, packet, every) in
        [(400, 10, 4096, 256), (400, 5, 4096, 256), (100, 10, 1000, 256), (400, 10, 4096, 1000)]
    {
        let (measured, window) = efficiency(gbps, rtt_us, packet, 100_000, &format!("kind: drop, every: {every}"));
        let expected = (every as f64 - 1.0 - window) / every as f64;
        let case = format!("{gbps}G, RTT {rtt_us} us, {packet} B, W {window:.0}, every {every}th");
        checks.push(Check::near(case, expected, measured, 0.05));
    }
    checks
}

fn all_end() -> Vec<Check> {
    let mut checks = Vec::new();
    for ack_every in ["1", "4", "message"] {
        for seed in 1..=5 {
            let outcome = run(&format!(
                "name: losing
seed: {seed}
topology: {{kind: spine-leaf, hosts: 32, gpus_per_host: 1, leaf: {{hosts: 8, uplinks: 4}}}}
fabric:
  preset: roce-100g
  link: {{mtu: 1000B, loss: 2%}}
  transport: {{kind: rc, ack_every: {ack_every}, timeout: 100us}}
workload: {{kind: flows, pattern: permutation, size: 10KB}}
"
            ));
            let ended = outcome.flows.iter().filter(|flow| flow.delivered.is_some() && flow.acked.is_some()).count();
            let case = format!("acks every {ack_every}, seed {seed}");
            checks.push(Check::exact(case, (32, Ending::Finished), (ended, outcome.ending)));
        }
    }
    checks
}

fn damage_is_counted() -> Vec<Check> {
    let mut checks = Vec::new();
    for loss in [0.5, 0.01, 0.0001] {
        let packets = 200_000u64;
        let outcome = run(&format!(
            "name: damage
topology: {topology}
fabric: {{preset: ib-ndr, link: {{mtu: 256B, loss: {loss}}}, transport: {{kind: ud}}}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: {size}B}}]}}
",
            topology = Custom::chain(0).yaml(),
            size = packets * 256
        ));
        let damaged = port(&outcome, "a->b").classes[DATA].corrupted;
        let (mean, deviation) = (packets as f64 * loss, (packets as f64 * loss * (1.0 - loss)).sqrt());
        let (low, high) = (mean - 4.0 * deviation, mean + 4.0 * deviation);
        checks.push(Check::within(format!("p {loss}, {packets} packets: damaged"), low, high, damaged as f64));
        let delivered = flow(&outcome, "f").bytes.get() / 256;
        checks.push(Check::exact(format!("p {loss}: delivered"), packets - damaged, delivered));
    }
    checks
}
