//! Pause times, headroom, fairness under PAUSE.

use sim::{Ending, Outcome};

use crate::{Check, Custom, DATA, Law, flow, goodput, port, run, wire_time};

/// All of them.
pub const LAWS: &[&Law] =
    &[&EXPIRY, &RESUME, &REFRESH, &OVERSHOOT, &HEADROOM, &AUTO_HEADROOM, &NO_HEADROOM, &VICTIM, &INCAST];

/// V17.
pub const EXPIRY: Law = Law {
    name: "pause expiry",
    says: "one PAUSE stops a line for quanta x 512 bit times from its arrival, after the frame in progress: \
           65535 quanta are 83.9 us at 400G, 335.5 at 100G, 838.9 at 40G",
    source: "V17; 802.3 annex 31B, 802.1Qbb",
    checks: expiry,
};

/// V17, a frame with time zero.
pub const RESUME: Law = Law {
    name: "resume",
    says: "a frame with time zero lets the sender go on at once",
    source: "V17; 802.3 annex 31B",
    checks: resume,
};

/// Refreshed pauses.
pub const REFRESH: Law = Law {
    name: "refresh",
    says: "a PAUSE that is refreshed at half of its time holds for as long as the pressure lasts",
    source: "802.1Qbb; the timer is overwritten, never accumulated",
    checks: refresh,
};

/// V18.
pub const OVERSHOOT: Law = Law {
    name: "overshoot",
    says: "beyond xoff arrive more than (2d + t_r) B and at most \
           (2d + t_r) B + m_in + m_out + m_rev + 84 B",
    source: "V18, derived",
    checks: overshoot,
};

/// V18, losses.
pub const HEADROOM: Law = Law {
    name: "headroom",
    says: "no loss with (2d + t_r) B + m_in + m_out + m_rev + 84 B; loss below (2d + t_r) B",
    source: "V18, U05, derived",
    checks: headroom,
};

/// `headroom: auto`.
pub const AUTO_HEADROOM: Law = Law {
    name: "automatic headroom",
    says: "no loss in either forwarding mode, with switch latency, reaction time and traffic both ways",
    source: "V18; U05: 200 KB at 400G and 500 m lose, auto does not",
    checks: auto_headroom,
};

/// Headroom of zero.
pub const NO_HEADROOM: Law = Law {
    name: "no headroom",
    says: "packets are lost and PAUSE is sent all the same, also where a packet larger than what is left never \
           brings the count to xoff",
    source: "U05, sonic-net/SONiC#480",
    checks: no_headroom,
};

/// V21.
pub const VICTIM: Law = Law {
    name: "victim flow",
    says: "a flow to an idle host that shares a link with one to a hot host gets its share of the hot host: \
           8 of 40 Gb/s with round-robin service, about 7.2 in order of arrival",
    source: "V21, U12, an independent program",
    checks: victim,
};

/// X2.
pub const INCAST: Law = Law {
    name: "incast 16:1",
    says: "16 flows of 2 MB end together when 16 x 2000 packets have passed the last link: \
           mean 2656, first 2649, last 2660 us; not before 2652 us for the last",
    source: "X2, ns-3 RDMA line; derived",
    checks: incast,
};

/// Two hosts on one cable; `b` pauses `a`.
fn paused(gbps: u64, packet: u64, pfc: &str, fault: &str, size: &str, run_keys: &str) -> Outcome {
    run(&format!(
        "name: paused
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: {gbps}Gbps, delay: 500ns, mtu: {packet}B, overhead: 0B}}
  pfc: {{{pfc}}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{{name: f, src: a, dst: b, size: {size}}}]}}
faults: [{{kind: nic-pause, node: b, {fault}}}]
run: {{{run_keys}}}
",
        topology = Custom::chain(0).yaml()
    ))
}

fn expiry() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, quanta, packet, response_ns) in [
        (400, 65_535, 4096, 0),
        (100, 65_535, 4096, 0),
        (40, 65_535, 1000, 0),
        (10, 65_535, 1500, 0),
        (800, 65_535, 4096, 100),
        (400, 1000, 1024, 333),
        (100, 20, 256, 0),
    ] {
        let (t, packets) = (wire_time(packet, gbps), 2_000);
        let at = 10_123_457;
        let outcome = paused(
            gbps,
            packet,
            &format!("quanta: {quanta}, refresh: none, response: {response_ns}ns"),
            &format!("at: {at}ps"),
            &format!("{}B", packet * packets),
            "",
        );
        let span = wire_time(quanta * 64, gbps);
        let taken = at + wire_time(84, gbps) + 500_000;
        let stopped = (taken + response_ns * 1000).div_ceil(t) * t;
        let expected = packets * t + 500_000 + (taken + span - stopped);
        let case = format!("{gbps}G, {quanta} quanta, response {response_ns} ns: ps");
        let delivered = flow(&outcome, "f").delivered.map(|time| time.ps());
        checks.push(Check::exact(format!("{case} to completion"), Some(expected), delivered));
        let counters = &port(&outcome, "a->b").classes[DATA];
        checks.push(Check::exact(format!("{case} paused"), span - response_ns * 1000, counters.paused.ps()));
        checks.push(Check::exact(format!("{case}: frames"), 1, counters.pause_received));
    }
    checks
}

fn resume() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, at, until) in [(400, 10_000, 12_345), (100, 10_000, 300_001), (40, 1, 700_000)] {
        let fault = format!("at: {at}ns, until: {until}ns");
        let outcome = paused(gbps, 1000, "refresh: none", &fault, "4MB", "");
        let counters = &port(&outcome, "a->b").classes[DATA];
        let case = format!("{gbps}G, PAUSE at {at} ns, resume at {until} ns");
        checks.push(Check::exact(format!("{case}: ps paused"), (until - at) * 1000, counters.paused.ps()));
        checks.push(Check::exact(format!("{case}: ended"), Ending::Finished, outcome.ending));
    }
    checks
}

fn refresh() -> Vec<Check> {
    let mut checks = Vec::new();
    for (gbps, quanta, us) in [(400, 65_535, 1000), (100, 65_535, 2000), (40, 100, 77)] {
        let fault = format!("at: 10us, until: {}us", 10 + us);
        let outcome = paused(gbps, 1000, &format!("quanta: {quanta}"), &fault, "4MB", "");
        let counters = &port(&outcome, "a->b").classes[DATA];
        let half = wire_time(quanta * 64, gbps) / 2;
        let case = format!("{gbps}G, {quanta} quanta, {us} us");
        checks.push(Check::exact(format!("{case}: ps paused"), us * 1_000_000, counters.paused.ps()));
        let frames = 1 + us * 1_000_000 / half;
        checks.push(Check::exact(format!("{case}: frames"), frames, counters.pause_received));
    }
    checks
}

/// One line-rate sender into a switch whose output is frozen, with or without traffic the other way.
struct Frozen {
    gbps: u64,
    delay_ns: u64,
    packet: u64,
    response_ns: u64,
    reverse: bool,
}

const FROZEN: &[Frozen] = &[
    Frozen { gbps: 40, delay_ns: 50, packet: 1000, response_ns: 0, reverse: false },
    Frozen { gbps: 40, delay_ns: 1000, packet: 1000, response_ns: 1510, reverse: false },
    Frozen { gbps: 100, delay_ns: 500, packet: 1500, response_ns: 0, reverse: true },
    Frozen { gbps: 100, delay_ns: 5000, packet: 9000, response_ns: 2020, reverse: false },
    Frozen { gbps: 100, delay_ns: 50, packet: 9000, response_ns: 0, reverse: true },
    Frozen { gbps: 400, delay_ns: 50, packet: 4096, response_ns: 0, reverse: false },
    Frozen { gbps: 400, delay_ns: 500, packet: 4096, response_ns: 1160, reverse: true },
    Frozen { gbps: 400, delay_ns: 2500, packet: 1000, response_ns: 0, reverse: true },
    Frozen { gbps: 400, delay_ns: 5000, packet: 9000, response_ns: 700, reverse: true },
];

/// Start phases of the sender, in nanoseconds.
const PHASES: &[u64] = &[0, 7, 33, 81, 119, 250];

impl Frozen {
    fn necessary(&self) -> u64 {
        self.gbps * (2 * self.delay_ns + self.response_ns) / 8
    }

    fn sufficient(&self) -> u64 {
        self.necessary() + (2 + u64::from(self.reverse)) * self.packet + 84
    }

    fn case(&self) -> String {
        let Frozen { gbps, delay_ns, packet, response_ns, reverse } = self;
        let reverse = if *reverse { ", reverse traffic" } else { "" };
        format!("{gbps}G, d {delay_ns} ns, {packet} B, t_r {response_ns} ns{reverse}")
    }

    /// Most bytes at the input beyond xoff, and packets lost.
    fn run(&self, headroom: u64, phase: u64) -> (u64, u64) {
        let Frozen { gbps, delay_ns, packet, response_ns, reverse } = *self;
        let xoff = 50_000;
        let mut flows = format!("{{name: f, src: h0, dst: h1, size: unlimited, start: {}ns}}", 100 + phase);
        if reverse {
            flows += ", {name: r, src: h1, dst: h0, size: unlimited}";
        }
        let outcome = run(&format!(
            "name: frozen
topology: {topology}
fabric:
  preset: roce-400g
  link: {{rate: {gbps}Gbps, delay: {delay_ns}ns, mtu: {packet}B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  pfc: {{xoff: {xoff}B, headroom: {headroom}B, response: {response_ns}ns}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{flows}]}}
faults: [{{kind: degrade, link: \"s->h1\", rate: 0bps}}]
run: {{until: {until}ns}}
",
            topology = Custom::star(2).yaml(),
            until = 100 + phase + xoff * 8 / gbps + 4 * delay_ns + response_ns + 10_000,
        ));
        let counters = &port(&outcome, "s->h0").classes[DATA];
        (counters.max_input.saturating_sub(xoff), counters.lossless_drops)
    }
}

fn overshoot() -> Vec<Check> {
    let mut checks = Vec::new();
    for case in FROZEN {
        let (low, high) = (case.necessary(), case.sufficient());
        for &phase in PHASES {
            let (over, _) = case.run(10_000_000, phase);
            let name = format!("{}, phase {phase} ns: B", case.case());
            checks.push(Check::within(name, low as f64 + 1.0, high as f64, over as f64));
        }
    }
    checks
}

fn headroom() -> Vec<Check> {
    let mut checks = Vec::new();
    for case in FROZEN {
        for &phase in PHASES {
            let lost = |headroom: u64| case.run(headroom, phase).1;
            let (name, enough) = (case.case(), case.sufficient());
            let tight = case.run(10_000_000, phase).0;
            checks.push(Check::exact(format!("{name}, phase {phase} ns: lost with {enough} B"), 0, lost(enough)));
            checks.push(Check::exact(format!("{name}, phase {phase} ns: lost with {tight} B"), 0, lost(tight)));
            let short = case.necessary() - 1;
            let loses = lost(short) > 0 && lost(tight - 1) > 0;
            checks.push(Check::exact(format!("{name}, phase {phase} ns: loses with {short} B"), true, loses));
        }
    }
    checks
}

fn auto_headroom() -> Vec<Check> {
    let mut checks = Vec::new();
    for forwarding in ["store-and-forward", "cut-through"] {
        for (gbps, delay_ns, packet, latency_ns, response_ns) in
            [(400, 2500, 4096, 600, 0), (400, 25, 4096, 600, 1160), (100, 500, 1024, 0, 0), (40, 50, 1000, 300, 1510)]
        {
            for seed in 1..=4 {
                let outcome = run(&format!(
                    "name: auto
seed: {seed}
topology: {{kind: spine-leaf, hosts: 12, gpus_per_host: 1, leaf: {{hosts: 4, uplinks: 2}}}}
fabric:
  preset: roce-400g
  link: {{rate: {gbps}Gbps, delay: {delay_ns}ns, mtu: {packet}B}}
  switch: {{forwarding: {forwarding}, latency: {latency_ns}ns}}
  pfc: {{xoff: 20KB, xon: 10KB, headroom: auto, response: {response_ns}ns}}
workload: {{kind: flows, pattern: all-to-all, size: 100KB}}
"
                ));
                let sum = |pick: fn(&_) -> u64| outcome.ports.iter().map(|port| pick(&port.classes[DATA])).sum::<u64>();
                let case = format!(
                    "{forwarding}, {gbps}G, {delay_ns} ns, {packet} B, {latency_ns} ns, t_r {response_ns} ns, seed {seed}"
                );
                assert!(sum(|c| c.pause_sent) > 0, "{case}: nothing was paused");
                checks.push(Check::exact(case, 0, sum(|c| c.lossless_drops)));
            }
        }
    }
    for (senders, headroom, loses) in [(8, "200KB", true), (8, "auto", false), (2, "200KB", false)] {
        let mut topology = Custom::star(1);
        (1..=senders).for_each(|host| topology.far_host(&format!("h{host}"), "s", "length: 500m"));
        let outcome = run(&format!(
            "name: far
topology: {topology}
fabric: {{preset: roce-400g, pfc: {{headroom: {headroom}}}, transport: {{kind: ud}}}}
workload: {{kind: flows, pattern: incast, dst: h0, size: 4MB}}
",
            topology = topology.yaml()
        ));
        let drops: u64 = outcome.ports.iter().map(|port| port.classes[DATA].lossless_drops).sum();
        // What arrives beyond xoff while the output drains is less by what leaves.
        let case = format!("{senders}:1 over 500 m at 400G, headroom {headroom}: loses");
        checks.push(Check::exact(case, loses, drops > 0));
    }
    checks
}

fn no_headroom() -> Vec<Check> {
    let mut checks = Vec::new();
    for (packet, xoff, headroom) in [(1000, 50_000, 0), (4096, 50_000, 0), (9000, 50_000, 1249), (1500, 40_001, 10)] {
        let outcome = run(&format!(
            "name: none
topology: {topology}
fabric:
  preset: roce-100g
  link: {{mtu: {packet}B, overhead: 0B}}
  pfc: {{xoff: {xoff}B, headroom: {headroom}B}}
  transport: {{kind: ud}}
workload: {{kind: flows, pattern: incast, dst: h0, size: 2MB}}
",
            topology = Custom::star(4).yaml()
        ));
        let sum = |pick: fn(&_) -> u64| outcome.ports.iter().map(|port| pick(&port.classes[DATA])).sum::<u64>();
        let case = format!("3:1, {packet} B, xoff {xoff} B, headroom {headroom} B");
        checks.push(Check::exact(format!("{case}: loses"), true, sum(|c| c.lossless_drops) > 0));
        checks.push(Check::exact(format!("{case}: pauses"), true, sum(|c| c.pause_sent) > 0));
        checks.push(Check::exact(format!("{case}: all let go on"), sum(|c| c.pause_sent), sum(|c| c.resume_sent)));
    }
    checks
}

fn victim() -> Vec<Check> {
    let mut checks = Vec::new();
    for (service, expected) in [("round-robin", 8.0), ("fifo", 7.2)] {
        let mut topology = Custom::default();
        topology.switch("s0");
        topology.switch("s1");
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
  link: {{rate: 40Gbps, delay: 1us, mtu: 1000B, overhead: 0B}}
  switch: {{forwarding: store-and-forward, latency: 0ns, service: {service}}}
  pfc: {{xoff: 40KB, xon: 37KB}}
  transport: {{kind: ud}}
workload: {{kind: flows, flows: [{flows}]}}
run: {{measure_from: 1ms, until: 6ms}}
",
            topology = topology.yaml()
        ));
        let measured = goodput(flow(&outcome, "v")) / 1e9;
        checks.push(Check::near(format!("{service}: Gb/s"), expected, measured, 0.1));
    }
    checks
}

fn incast() -> Vec<Check> {
    let outcome = run(&format!(
        "name: incast
topology: {topology}
fabric:
  preset: roce-100g
  link: {{delay: 1us, mtu: 1000B, overhead: 36B}}
  switch: {{forwarding: store-and-forward, latency: 0ns}}
  buffer: {{size: 12MB, alpha: 1/8, reserve: 4KiB, resume_offset: 3KiB}}
  pfc: {{xoff: dynamic, headroom: 37500B}}
workload: {{kind: flows, pattern: incast, dst: h16, size: 2MB}}
",
        topology = Custom::star(17).yaml()
    ));
    let mut ends: Vec<f64> = outcome.flows.iter().filter_map(|f| f.acked).map(|t| t.as_secs_f64() * 1e6).collect();
    ends.sort_by(f64::total_cmp);
    let mean = ends.iter().sum::<f64>() / 16.0;
    let drops: u64 = outcome.ports.iter().map(|port| port.classes[DATA].drops).sum();
    let bound = 16.0 * 2000.0 * 1036.0 * 8.0 / 100e3;
    vec![
        Check::exact("flows that ended", 16, ends.len()),
        Check::exact("lost", 0, drops),
        Check::near("mean: us", 2656.0, mean, 0.005),
        Check::near("first: us", 2649.0, ends[0], 0.005),
        Check::near("last: us", 2660.0, ends[15], 0.005),
        Check::within("last over the bound", bound, bound * 1.005, ends[15]),
    ]
}
