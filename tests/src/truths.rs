//! What holds on any network: latency of an idle path, waiting in a queue, what headers cost.

use units::text::Fraction;

use crate::{Check, Custom, DATA, Law, flow, goodput, port, run, wire_time};

/// All of them.
pub const LAWS: &[&Law] = &[&IDLE_PATH, &MIXED_RATES, &NIC_LATENCY, &WAITING, &EFFICIENCY, &IP_MTU];

/// V4.
pub const IDLE_PATH: Law = Law {
    name: "idle path",
    says: "store-and-forward h 8L/B + sum(prop + switch); cut-through 8L/B + sum(prop + switch + 64 B); \
           m packets add (m-1) 8L/B once",
    source: "V4, derived",
    checks: idle_path,
};

/// V4 where rates differ.
pub const MIXED_RATES: Law = Law {
    name: "idle path, mixed rates",
    says: "packet i starts on link j when it may be forwarded and packet i-1 has left; \
           from the head only onto a line no faster than the one it comes by",
    source: "V4, derived: the recursion over packets and links",
    checks: mixed_rates,
};

/// Latency of the NIC.
pub const NIC_LATENCY: Law = Law {
    name: "NIC latency",
    says: "from post to last byte at the receiver, the NIC latency counts once on the way out and once on the way in",
    source: "derived; model of the host",
    checks: nic_latency,
};

/// V2.
pub const WAITING: Law = Law {
    name: "M/D/1",
    says: "mean wait over service time is rho / (2 (1 - rho))",
    source: "V2, Pollaczek and Khinchine",
    checks: waiting,
};

/// V8.
pub const EFFICIENCY: Law = Law {
    name: "wire efficiency",
    says: "goodput over line rate of one saturated flow is payload / (payload + headers)",
    source: "V8; IBTA volume 1, chapters 5 and 9, annex A17",
    checks: efficiency,
};

/// U24.
pub const IP_MTU: Law = Law {
    name: "IP MTU",
    says: "RoCE takes the largest InfiniBand MTU that fits into the IP MTU: 1500 gives 1024, 2200 gives 2048, \
           4200 and 9000 give 4096",
    source: "U24, NVIDIA/dgx-spark-playbooks#103",
    checks: ip_mtu,
};

/// A chain of `switches` switches with one flow of `size` bytes and no headers.
fn chain(switches: usize, forwarding: &str, latency_ns: u64, link: &str, mtu: u64, size: u64) -> String {
    format!(
        "name: chain
topology: {topology}
fabric:
  preset: roce-400g
  link: {{{link}, mtu: {mtu}B, overhead: 0B}}
  switch: {{forwarding: {forwarding}, latency: {latency_ns}ns}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: {size}B}}]}}
",
        topology = Custom::chain(switches).yaml()
    )
}

/// When the flow was delivered; the ideal time must say the same of an idle network.
fn delivered(yaml: &str) -> (u64, u64) {
    let outcome = run(yaml);
    let flow = flow(&outcome, "f");
    (flow.delivered.expect("the flow is complete").ps(), flow.ideal.expect("it has a size").ps())
}

fn idle_path() -> Vec<Check> {
    let mut checks = Vec::new();
    for forwarding in ["store-and-forward", "cut-through"] {
        for (switches, gbps, prop_ns, latency_ns, bytes, packets) in [
            (0, 400, 25, 0, 4096, 1),
            (1, 400, 25, 600, 4096, 1),
            (1, 100, 1000, 0, 1000, 7),
            (2, 40, 500, 330, 1500, 40),
            (3, 400, 25, 230, 1024, 1),
            (3, 200, 5, 400, 256, 100),
            (5, 25, 1, 1, 64, 3),
            (7, 800, 100, 700, 9000, 50),
            (4, 400, 1, 0, 65, 1000),
            (2, 10, 2000, 0, 33, 2),
        ] {
            let yaml = chain(
                switches,
                forwarding,
                latency_ns,
                &format!("rate: {gbps}Gbps, delay: {prop_ns}ns"),
                bytes,
                bytes * packets,
            );
            let (hops, packet) = (switches as u64, wire_time(bytes, gbps));
            let seen = match forwarding {
                "cut-through" => wire_time(bytes.min(64), gbps),
                _ => packet,
            };
            let fixed = 1000 * (prop_ns * (hops + 1) + latency_ns * hops);
            let expected = fixed + packet + hops * seen + (packets - 1) * packet;
            let case = format!(
                "{forwarding}, {switches} switches of {latency_ns} ns, {gbps}G, {prop_ns} ns, {packets} x {bytes} B: ps, and as ideal"
            );
            checks.push(Check::exact(case, (expected, expected), delivered(&yaml)));
        }
    }
    checks
}

/// Delivery by the recursion over packets and links, for links of the given rates.
fn recursion(rates: &[u64], prop: u64, latency: u64, cut: bool, mtu: u64, size: u64) -> u64 {
    let mut free = vec![0u64; rates.len()];
    let mut delivered = 0;
    let mut left = size;
    while left > 0 {
        let bytes = left.min(mtu);
        left -= bytes;
        let mut ready = 0;
        for (link, &rate) in rates.iter().enumerate() {
            let start = ready.max(free[link]);
            free[link] = start + wire_time(bytes, rate);
            let arrived = free[link] + prop;
            delivered = arrived;
            let next = rates.get(link + 1);
            let from_head = cut && next.is_some_and(|&next| next <= rate);
            let head = if from_head { start + wire_time(bytes.min(64), rate) + prop } else { arrived };
            ready = head + latency;
        }
    }
    delivered
}

fn mixed_rates() -> Vec<Check> {
    let mut checks = Vec::new();
    for forwarding in ["store-and-forward", "cut-through"] {
        for (rates, prop_ns, latency_ns, mtu, size) in [
            (&[400, 100][..], 25, 600, 4096, 40_960),
            (&[100, 400], 25, 600, 4096, 40_960),
            (&[100, 400, 100], 500, 0, 1000, 10_001),
            (&[400, 200, 100, 40], 5, 230, 2048, 100_000),
            (&[40, 100, 200, 400], 5, 230, 2048, 100_000),
            (&[200, 40, 200, 40], 100, 1, 256, 50_000),
            (&[100, 100, 25, 100], 10, 300, 1024, 12_345),
            (&[400, 400, 400, 400], 25, 600, 4096, 4_097),
        ] {
            let topology = Custom::chain_of(rates).yaml();
            let yaml = format!(
                "name: chain
topology: {topology}
fabric:
  preset: roce-400g
  link: {{delay: {prop_ns}ns, mtu: {mtu}B, overhead: 0B}}
  switch: {{forwarding: {forwarding}, latency: {latency_ns}ns}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: {size}B}}]}}
"
            );
            let cut = forwarding == "cut-through";
            let expected = recursion(rates, prop_ns * 1000, latency_ns * 1000, cut, mtu, size);
            let case = format!(
                "{forwarding}, {rates:?} Gb/s, {prop_ns} ns, {latency_ns} ns, {size} B by {mtu}: ps, and as ideal"
            );
            checks.push(Check::exact(case, (expected, expected), delivered(&yaml)));
        }
    }
    checks
}

fn nic_latency() -> Vec<Check> {
    let mut checks = Vec::new();
    for nic_ns in [0, 400, 1234] {
        let yaml = chain(1, "store-and-forward", 100, "rate: 400Gbps, delay: 25ns", 4096, 4096);
        let yaml = format!("{yaml}host: {{nic: {{latency: {nic_ns}ns}}}}\n");
        let expected = 2 * wire_time(4096, 400) + 1000 * (2 * 25 + 100 + 2 * nic_ns);
        checks.push(Check::exact(
            format!("{nic_ns} ns, one switch: ps, and as ideal"),
            (expected, expected),
            delivered(&yaml),
        ));
    }
    checks
}

fn waiting() -> Vec<Check> {
    let mut checks = Vec::new();
    let cases = [
        ("30%", 40, 1000, 0.03),
        ("50%", 40, 1000, 0.03),
        ("70%", 100, 4096, 0.03),
        ("80%", 400, 256, 0.03),
        ("90%", 40, 1000, 0.03),
        ("95%", 400, 4096, 0.08),
    ];
    for (load, gbps, bytes, tolerance) in cases {
        let rho = load.parse::<Fraction>().expect("a load is a fraction").as_f64();
        let packets = 1_000_000;
        let yaml = format!(
            "name: queue
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: {gbps}Gbps, delay: 1us, mtu: {bytes}B, overhead: 0B}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: {size}B, rate: {rate}bps, arrival: poisson}}]}}
",
            topology = Custom::chain(0).yaml(),
            size = bytes * packets,
            rate = (gbps as f64 * 1e9 * rho).round() as u64,
        );
        let outcome = run(&yaml);
        let counters = &port(&outcome, "a->b").classes[DATA];
        assert_eq!(counters.served, packets, "every packet waited once");
        let mean = counters.waited as f64 / counters.served as f64;
        let measured = mean / wire_time(bytes, gbps) as f64;
        let case = format!("rho {rho}, {packets} packets of {bytes} B, {gbps}G");
        checks.push(Check::near(case, rho / (2.0 * (1.0 - rho)), measured, tolerance));
    }
    checks
}

/// Goodput over line rate of a saturated flow through one switch.
fn saturated(preset: &str, rate_gbps: u64, link: &str, packet: u64) -> f64 {
    let span = wire_time(packet, rate_gbps) * 20_000;
    let yaml = format!(
        "name: saturated
topology: {topology}
fabric: {{preset: {preset}, link: {{rate: {rate_gbps}Gbps, {link}}}}}
workload: {{kind: flows, flows: [{{name: f, src: h0, dst: h1, size: unlimited}}]}}
run: {{measure_from: 20us, until: {until}ps}}
",
        topology = Custom::star(2).yaml(),
        until = span + 20_000_000,
    );
    goodput(flow(&run(&yaml), "f")) / (rate_gbps as f64 * 1e9)
}

fn efficiency() -> Vec<Check> {
    let mut checks = Vec::new();
    for (preset, header, gbps) in
        [("ib-ndr", 26, 400), ("roce-400g", 82, 400), ("ib-hdr", 26, 200), ("roce-100g", 82, 100)]
    {
        for mtu in [256, 512, 1024, 2048, 4096] {
            let expected = mtu as f64 / (mtu + header) as f64;
            let measured = saturated(preset, gbps, &format!("mtu: {mtu}B"), mtu + header);
            checks.push(Check::near(format!("{preset}, MTU {mtu}"), expected, measured, 0.001));
        }
    }
    checks
}

fn ip_mtu() -> Vec<Check> {
    let goodputs: Vec<f64> = [1500, 2200, 4200, 9000]
        .iter()
        .map(|mtu| saturated("roce-400g", 400, &format!("ip_mtu: {mtu}B"), 4178))
        .collect();
    let ratio = (4096.0 / 4178.0) / (1024.0 / 1106.0);
    vec![
        Check::near("1500: efficiency", 1024.0 / 1106.0, goodputs[0], 0.001),
        Check::near("2200: efficiency", 2048.0 / 2130.0, goodputs[1], 0.001),
        Check::near("4200: efficiency", 4096.0 / 4178.0, goodputs[2], 0.001),
        Check::near("4200 over 1500", ratio, goodputs[2] / goodputs[0], 0.005 / 1.059),
        Check::exact("9000 and 4200", goodputs[2], goodputs[3]),
    ]
}
