//! Credits: throughput, and what tells InfiniBand from RoCE.

use units::Time;

use crate::{Check, Custom, Law, flow, goodput, run, wire_time};

/// All of them.
pub const LAWS: &[&Law] = &[&CREDITS, &CREDIT_RATE, &WINDOW, &LONG_CABLE, &LOSSLESS_IS_LOSSLESS, &OVERHEAD_ONLY];

/// V9, to the picosecond.
pub const CREDITS: Law = Law {
    name: "credit loop",
    says: "a buffer of k packets gives k packets each max(k t, 2d + 2t), so m k packets are delivered after \
           (m-1) max(k t, 2d + 2t) + (k+1) t + 2d",
    source: "V9, derived",
    checks: credits,
};

/// V9 as a rate.
pub const CREDIT_RATE: Law = Law {
    name: "credit-limited throughput",
    says: "min(B, k t / (2d + 2t) B)",
    source: "V9: 56.3, 112.6, 225.2 Gb/s for k = 2, 4, 8 at 0.5 us; 6.45 to 206.3 for k = 2 to 64 at 5 us",
    checks: credit_rate,
};

/// V9 with the window of the 12-bit fields.
pub const WINDOW: Law = Law {
    name: "credit window",
    says: "however large the buffer, at most 2048 blocks are outstanding: floor(2048 / ceil(L/64)) packets a loop",
    source: "V9; IBTA volume 1, 7.9.4",
    checks: window,
};

/// U18.
pub const LONG_CABLE: Law = Law {
    name: "long cables",
    says: "min(line, buffer / loop): only the flow over the long cable slows",
    source: "U18, US 7952998",
    checks: long_cable,
};

/// V47.
pub const LOSSLESS_IS_LOSSLESS: Law = Law {
    name: "lossless and lossy",
    says: "where buffers never fill, PFC, credits and no flow control give the same completion times to the picosecond",
    source: "V47, derived",
    checks: lossless_is_lossless,
};

/// The overhead of RoCE over InfiniBand.
pub const OVERHEAD_ONLY: Law = Law {
    name: "InfiniBand and RoCE",
    says: "with equal rate and latency they differ by wire overhead only: 4178/4122 = 1.0136 with an ack a message, \
           (4178+86)/(4122+30) = 1.0270 with an ack a packet where data and acks share a line",
    source: "derived; IBTA volume 1 chapters 5 and 9, annex A17",
    checks: overhead_only,
};

/// Two hosts on a switch, an open-loop source, credits.
fn credit_case(gbps: u64, delay: &str, packet: u64, credit: &str, size: &str, run: &str) -> String {
    format!(
        "name: credits
topology: {topology}
fabric:
  preset: ib-ndr
  link: {{rate: {gbps}Gbps, delay: {delay}, mtu: {packet}B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  credit: {{{credit}}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{{name: f, src: h0, dst: h1, size: {size}}}]}}
run: {{{run}}}
",
        topology = Custom::star(2).yaml()
    )
}

fn credits() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, delay_ns, packet) in
        [(400, 500, 4096), (400, 5000, 4096), (100, 300, 1024), (40, 1000, 1000), (200, 25, 256)]
    {
        for k in [1, 2, 3, 4, 8, 13, 15, 16, 64, 128] {
            let (t, d, m) = (wire_time(packet, gbps), delay_ns * 1000, 20);
            let credit = format!("buffer: {}B, window: none", k * packet.div_ceil(64) * 64);
            let yaml =
                credit_case(gbps, &format!("{delay_ns}ns"), packet, &credit, &format!("{}B", m * k * packet), "");
            let measured = flow(&run(&yaml), "f").delivered.map(Time::ps);
            let expected = (m - 1) * (k * t).max(2 * d + 2 * t) + (k + 1) * t + 2 * d;
            let case = format!("{gbps}G, {delay_ns} ns, {m} x {k} packets of {packet} B: ps");
            checks.push(Check::exact(case, Some(expected), measured));
        }
    }
    checks
}

/// Measured rate of an unlimited flow, over a whole number of loops.
fn rate(gbps: u64, delay_ns: u64, packet: u64, credit: &str) -> f64 {
    let loops = 2 * (delay_ns * 1000 + wire_time(packet, gbps));
    let (from, until) = (5 * loops, 105 * loops);
    let span = format!("measure_from: {from}ps, until: {until}ps");
    let yaml = credit_case(gbps, &format!("{delay_ns}ns"), packet, credit, "unlimited", &span);
    goodput(flow(&run(&yaml), "f")) / 1e9
}

fn credit_rate() -> Vec<Check> {
    let mut checks = Vec::new();
    for (delay_ns, ks) in [(500, &[2u64, 4, 8, 14, 15, 20][..]), (5000, &[2, 4, 8, 16, 32, 64, 128])] {
        for &k in ks {
            let (t, d) = (wire_time(4096, 400) as f64, delay_ns as f64 * 1000.0);
            let expected = 400.0 * (k as f64 * t / (2.0 * d + 2.0 * t)).min(1.0);
            let measured = rate(400, delay_ns, 4096, &format!("buffer: {}B, window: none", k * 4096));
            checks.push(Check::near(format!("d {delay_ns} ns, k {k}: Gb/s"), expected, measured, 0.001));
        }
    }
    checks
}

fn window() -> Vec<Check> {
    let mut checks = Vec::new();
    for (delay_ns, packet) in [(5000, 4096u64), (5000, 4122), (2000, 1050), (10_000, 2074)] {
        let k = 2048 / packet.div_ceil(64);
        let (t, d) = (wire_time(packet, 400) as f64, delay_ns as f64 * 1000.0);
        let expected = 400.0 * (k as f64 * t / (2.0 * d + 2.0 * t)).min(1.0);
        let measured = rate(400, delay_ns, packet, "buffer: 1MiB, window: 2048 blocks");
        checks.push(Check::near(format!("d {delay_ns} ns, {packet} B, {k} packets: Gb/s"), expected, measured, 0.001));
    }
    checks
}

/// One switch with four hosts, the cable of `h0` being long. The loop: the cable both ways, a packet in, a packet out.
fn long_cable() -> Vec<Check> {
    let mut checks = Vec::new();
    for metres in [3, 100, 300, 500, 2000] {
        for buffer in [64 * 1024, 128 * 1024] {
            let mut topology = Custom::star(0);
            topology.far_host("h0", "s", &format!("length: {metres}m"));
            (1..4).for_each(|host| topology.host(&format!("h{host}"), "s"));
            let yaml = format!(
                "name: far
topology: {topology}
fabric:
  preset: ib-ndr
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  credit: {{buffer: {buffer}B}}
  transport: {{kind: ud}}
workload:
  kind: flows
  flows: [{{name: far, src: h0, dst: h1, size: unlimited}}, {{name: near, src: h2, dst: h3, size: unlimited}}]
run: {{measure_from: 100us, until: 1100us}}
",
                topology = topology.yaml()
            );
            let outcome = run(&yaml);
            let packet = 4096 + 26 + 8;
            let k = (buffer / 64 / 65) as f64;
            let (t, d) = (packet as f64 * 8.0 / 400e9, f64::from(metres) * 5e-9);
            let line = 400e9 * 4096.0 / packet as f64;
            let expected = line * (k * t / (2.0 * d + 2.0 * t)).min(1.0);
            let case = format!("{metres} m, {} KiB", buffer / 1024);
            let of = |name: &str| goodput(flow(&outcome, name)) / 1e9;
            checks.push(Check::near(format!("{case}: Gb/s"), expected / 1e9, of("far"), 0.005));
            checks.push(Check::near(
                format!("{case}, short cable on the same switch: Gb/s"),
                line / 1e9,
                of("near"),
                0.001,
            ));
        }
    }
    checks
}

fn lossless_is_lossless() -> Vec<Check> {
    let mut checks = Vec::new();
    let kinds = [
        ("pfc", "flow_control: pfc, pfc: {xoff: 10MB}"),
        ("pfc, dynamic", "flow_control: pfc, pfc: {xoff: dynamic}, buffer: {size: 1GB, alpha: 1}"),
        ("credit", "flow_control: credit, credit: {buffer: 64MiB, window: none}"),
        ("none", "flow_control: none"),
    ];
    let patterns = [
        ("permutation", "pattern: permutation, size: 100KB"),
        ("shift", "pattern: shift, shift: 5, size: 1MiB"),
        ("incast", "pattern: incast, fan_in: 5, size: 20KB"),
        ("all-to-all", "pattern: all-to-all, size: 10KB"),
    ];
    for (name, pattern) in patterns {
        for forwarding in ["store-and-forward", "cut-through"] {
            let times = kinds.map(|(_, fabric)| {
                let outcome = run(&format!(
                    "name: same
topology: {{kind: spine-leaf, hosts: 16, gpus_per_host: 1, leaf: {{hosts: 4, uplinks: 4}}}}
fabric: {{preset: roce-400g, switch: {{forwarding: {forwarding}}}, {fabric}}}
workload: {{kind: flows, {pattern}}}
"
                ));
                let pauses: u64 = outcome.ports.iter().flat_map(|p| &p.classes).map(|c| c.pause_sent + c.drops).sum();
                assert_eq!(pauses, 0, "buffers never fill");
                let times = |pick: fn(&sim::Flow) -> Option<Time>| outcome.flows.iter().map(pick).collect::<Vec<_>>();
                (times(|flow| flow.delivered), times(|flow| flow.acked))
            });
            for ((kind, _), found) in kinds.iter().zip(&times).take(3) {
                let case = format!("{name}, {forwarding}: {kind} and none");
                checks.push(Check::exact(case, true, found == &times[3]));
            }
        }
    }
    checks
}

fn overhead_only() -> Vec<Check> {
    let time = |preset: &str, workload: &str, ack: &str, forwarding: &str| {
        let outcome = run(&format!(
            "name: overhead
topology: {topology}
fabric:
  preset: {preset}
  link: {{rate: 400Gbps, delay: 25ns, mtu: 4096B}}
  switch: {{forwarding: {forwarding}, latency: 300ns}}
  transport: {{kind: rc, ack_every: {ack}}}
workload: {{{workload}}}
",
            topology = Custom::star(8).yaml()
        ));
        outcome.simulated.as_secs_f64()
    };
    let mut checks = Vec::new();
    let workloads = [
        ("ring all-reduce, 64 MiB", "kind: all-reduce, algorithm: ring, size: 64MiB"),
        ("ring all-gather, 128 MB", "kind: all-gather, algorithm: ring, size: 128MB"),
        ("shift by 3, 16 MiB", "kind: flows, pattern: shift, shift: 3, size: 16MiB"),
    ];
    for (name, workload) in workloads {
        for forwarding in ["store-and-forward", "cut-through"] {
            for (ack, expected) in [("message", 4178.0 / 4122.0), ("1", 4264.0 / 4152.0)] {
                let measured = time("roce-400g", workload, ack, forwarding) / time("ib-ndr", workload, ack, forwarding);
                checks.push(Check::near(format!("{name}, {forwarding}, ack every {ack}"), expected, measured, 0.001));
            }
        }
    }
    checks
}
