//! Marking, and senders that slow down.

use sim::{Outcome, Quantity};

use crate::{Check, Custom, DATA, Law, flow, goodput, port, run};

/// All of them.
pub const LAWS: &[&Law] = &[&FIXED_POINT, &MARKING_GROWS, &VICTIM, &THRESHOLDS_IN_ORDER, &WHERE_TO_MARK];

/// V35.
pub const FIXED_POINT: Law = Law {
    name: "DCQCN, fixed point",
    says: "N greedy flows on one bottleneck fill it (> .998), share it (Jain > .99) and hold a queue of 20, 42 KB at \
           40G (N = 2, 4) and 9.7, 16, 33, 42, 72 KB at 100G (N = 2, 4, 8, 10, 16), less 30 % or more by 60 %; \
           Kmin 5 KB, Kmax 200 KB, Pmax 1 %, R_AI 40 Mb/s",
    source: "V35, the fluid model of Zhu et al., SIGCOMM 2015, solved; an independent packet model is 20 to 35 % higher",
    checks: fixed_point,
};

/// V35, the marking probability.
pub const MARKING_GROWS: Law = Law {
    name: "DCQCN, marking",
    says: "the marked share at the fixed point grows between N^(2/3) and N^(4/3)",
    source: "V35",
    checks: marking_grows,
};

/// V21 with congestion control.
pub const VICTIM: Law = Law {
    name: "victim under DCQCN",
    says: "the victim of a pause has more than 25 of 40 Gb/s when the senders slow down, 8 or less when they do not",
    source: "V21, U12; Zhu et al., SIGCOMM 2015",
    checks: victim,
};

/// V37.
pub const THRESHOLDS_IN_ORDER: Law = Law {
    name: "marks before pauses",
    says: "an 8:1 incast with marks before pauses pauses in the first millisecond only; with pauses before marks it \
           pauses for ever and no sender is told to slow down",
    source: "V37; Zhu et al., SIGCOMM 2015, section 4",
    checks: thresholds_in_order,
};

/// U20.
pub const WHERE_TO_MARK: Law = Law {
    name: "marks at enqueue and dequeue",
    says: "5000 packets of 1024 B wait for a paused port: marked at enqueue, packets from Kmin on ramp up to Kmax and \
           all later ones are; at dequeue all until Kmax before the last, then down to Kmin (+- 2 packets)",
    source: "U20, sonic-net/sonic-buildimage#20146, sonic-net/sonic-mgmt#2137; derived",
    checks: where_to_mark,
};

/// N senders to one receiver under DCQCN; packets of 1024 B on the wire.
fn incast(senders: usize, gbps: u64, pfc: &str, ecn: &str, control: &str, run_keys: &str) -> Outcome {
    let flows: Vec<String> = (1..=senders).map(|host| format!("{{src: h{host}, dst: h0, size: unlimited}}")).collect();
    run(&format!(
        "name: incast
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: {gbps}Gbps, delay: 1us, mtu: 1000B, overhead: 24B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  pfc: {{{pfc}}}
  ecn: {{{ecn}}}
  transport: {{kind: rc, ack_every: 16}}
  congestion_control: {control}
workload: {{kind: flows, flows: [{flows}]}}
run: {{{run_keys}}}
",
        topology = Custom::star(senders + 1).yaml(),
        flows = flows.join(", "),
    ))
}

const DCQCN: &str = "{kind: dcqcn, preset: paper}";

/// Mean of the queue before the receiver over what was measured.
fn mean_queue(outcome: &Outcome) -> f64 {
    let hot = outcome.ports.iter().position(|port| port.name == "s->h0").expect("the port exists") as u32;
    let values: Vec<u64> = outcome
        .series
        .iter()
        .filter(|sample| sample.port == hot && sample.quantity == Quantity::Queue)
        .filter(|sample| usize::from(sample.class) == DATA && sample.time >= outcome.measured_from)
        .map(|sample| sample.value)
        .collect();
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

fn fixed_point() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, senders, kilobytes) in
        [(40, 2, 20.0), (40, 4, 42.0), (100, 2, 9.7), (100, 4, 16.0), (100, 8, 33.0), (100, 10, 42.0), (100, 16, 72.0)]
    {
        let keys = "measure_from: 60ms, until: 110ms, record: [queue], sample: 20us";
        let outcome = incast(senders, gbps, "xoff: 10MB", "kmin: 5KB, kmax: 200KB, pmax: 1%", DCQCN, keys);
        let rates: Vec<f64> = outcome.flows.iter().map(goodput).collect();
        let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|rate| rate * rate).sum::<f64>());
        let case = format!("{gbps}G, N {senders}");
        let used = sum * 1.024 / (gbps as f64 * 1e9);
        checks.push(Check::within(format!("{case}: utilisation"), 0.998, 1.0001, used));
        checks.push(Check::within(format!("{case}: Jain"), 0.99, 1.0, sum * sum / (senders as f64 * squares)));
        let queue = mean_queue(&outcome) / 1e3;
        checks.push(Check::within(format!("{case}: queue, KB"), 0.7 * kilobytes, 1.6 * kilobytes, queue));
    }
    checks
}

fn marking_grows() -> Vec<Check> {
    let marked = |senders: usize, until: &str| {
        let keys = format!("until: {until}");
        let outcome = incast(senders, 100, "xoff: 10MB", "kmin: 5KB, kmax: 200KB, pmax: 1%", DCQCN, &keys);
        let counters = &port(&outcome, "s->h0").classes[DATA];
        (counters.marks as f64, counters.packets as f64)
    };
    // The rates of the first tens of milliseconds are those of the start.
    let share = |senders: usize| {
        let ((early, before), (all, packets)) = (marked(senders, "60ms"), marked(senders, "110ms"));
        (all - early) / (packets - before)
    };
    let two = share(2);
    let grown = |senders: usize| {
        let times = senders as f64 / 2.0;
        let case = format!("N {senders} over N 2");
        Check::within(case, times.powf(2.0 / 3.0), times.powf(4.0 / 3.0), share(senders) / two)
    };
    [4, 8, 16].map(grown).into()
}

fn victim() -> Vec<Check> {
    let mut checks = Vec::new();
    for service in ["round-robin", "fifo"] {
        for (control, low, high) in [("none", 0.0, 8.0), (DCQCN, 25.0, 40.0)] {
            let mut topology = Custom::default();
            ["s0", "s1"].iter().for_each(|switch| topology.switch(switch));
            topology.link("s0", "s1", "");
            ["a", "v"].iter().for_each(|host| topology.host(host, "s0"));
            ["hot", "idle", "b0", "b1", "b2", "b3"].iter().for_each(|host| topology.host(host, "s1"));
            let mut flows = String::from("{name: v, src: v, dst: idle, size: unlimited}");
            for (index, src) in ["a", "b0", "b1", "b2", "b3"].iter().enumerate() {
                flows += &format!(", {{src: {src}, dst: hot, size: unlimited, start: {}ns}}", 150 * index);
            }
            let outcome = run(&format!(
                "name: victim
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B, overhead: 24B}}
  switch: {{forwarding: store-and-forward, latency: 0ns, service: {service}}}
  pfc: {{xoff: 40KB, xon: 37KB}}
  ecn: {{kmin: 5KB, kmax: 200KB, pmax: 1%}}
  transport: {{kind: rc, ack_every: 16}}
  congestion_control: {control}
workload: {{kind: flows, flows: [{flows}]}}
run: {{measure_from: 5ms, until: 25ms}}
",
                topology = topology.yaml()
            ));
            let name = if control == "none" { "none" } else { "DCQCN" };
            let measured = goodput(flow(&outcome, "v")) / 1e9;
            checks.push(Check::within(format!("{service}, {name}: Gb/s"), low, high, measured));
        }
    }
    checks
}

fn thresholds_in_order() -> Vec<Check> {
    let mut checks = Vec::new();
    let after = |ecn: &str, until: &str| {
        let outcome = incast(8, 100, "xoff: 40KB", ecn, DCQCN, &format!("until: {until}"));
        let pauses: u64 = outcome.ports.iter().map(|port| port.classes[DATA].pause_sent).sum();
        (pauses, outcome.totals.cnps)
    };
    let right = "kmin: 5KB, kmax: 200KB, pmax: 1%";
    let ((first, _), (all, told)) = (after(right, "1ms"), after(right, "10ms"));
    checks.push(Check::within("marks first: pauses in the first ms", 1.0, f64::INFINITY, first as f64));
    checks.push(Check::exact("marks first: pauses from then to 10 ms", 0, all - first));
    checks.push(Check::within("marks first: notifications", 1.0, f64::INFINITY, told as f64));
    let reversed = "kmin: 800KB, kmax: 1200KB, pmax: 1%";
    let ((first, _), (all, told)) = (after(reversed, "1ms"), after(reversed, "10ms"));
    checks.push(Check::near(
        "pauses first: pauses in 10 ms over those in the first",
        10.0,
        all as f64 / first as f64,
        0.1,
    ));
    checks.push(Check::exact("pauses first: notifications", 0, told));
    checks
}

/// Marks of the packets of each run of numbers `cuts[i]..cuts[i + 1]`, with 5000 packets waiting in all.
fn marks(mark_at: &str, kmin: u64, kmax: u64, cuts: &[u64]) -> Vec<u64> {
    let flows: Vec<String> = cuts
        .windows(2)
        .map(|cut| {
            let (start, size) = (10_000_000 + 20_480 * cut[0], 1024 * (cut[1] - cut[0]));
            format!("{{src: h0, dst: h1, size: {size}B, start: {start}ps}}")
        })
        .collect();
    let outcome = run(&format!(
        "name: marks
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: 400Gbps, delay: 25ns, mtu: 1024B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  pfc: {{xoff: 100MB}}
  ecn: {{kmin: {kmin}B, kmax: {kmax}B, pmax: 100%, mark_at: {mark_at}}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{flows}]}}
faults: [{{kind: nic-pause, node: h1, until: 1ms}}]
",
        topology = Custom::star(2).yaml(),
        flows = flows.join(", "),
    ));
    outcome.flows.iter().map(|flow| flow.marks).collect()
}

fn where_to_mark() -> Vec<Check> {
    let mut checks = Vec::new();
    let packets = 5000;
    for (kmin, kmax) in [(800_000, 1_200_000), (500_000, 2_000_000), (1_000_000, 1_000_001)] {
        // The packet that makes the queue exceed a threshold.
        let (low, high) = (kmin / 1024, kmax / 1024);
        for mark_at in ["enqueue", "dequeue"] {
            let (a, b) = if mark_at == "enqueue" { (low, high) } else { (packets - high, packets - low) };
            let cuts: Vec<u64> =
                if b > a + 6 { vec![0, a - 2, a + 3, b - 2, b + 3, packets] } else { vec![0, a - 2, b + 3, packets] };
            let found = marks(mark_at, kmin, kmax, &cuts);
            let (first, last) = (found[0], found[found.len() - 1]);
            let case = format!("{mark_at}, {kmin} and {kmax} B");
            let (before, after) = if mark_at == "enqueue" { (0, packets - b - 3) } else { (a - 2, 0) };
            checks.push(Check::exact(format!("{case}: marks of packets before {}", a - 2), before, first));
            checks.push(Check::exact(format!("{case}: marks of packets from {}", b + 3), after, last));
            if b > a + 6 {
                let half = (b - a - 5) as f64 / 2.0;
                // Binomial with a probability that runs from 0 to 1: variance n/6.
                let four = 4.0 * (half / 3.0).sqrt();
                let between = found[2] as f64;
                checks.push(Check::within(format!("{case}: marks between"), half - four, half + four, between));
            }
        }
    }
    checks
}
