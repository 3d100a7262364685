//! From YAML to an outcome: every mechanism that has a word runs, and does what it is for.

use fabric::{Policy, Thresholds};
use scenario::Scenario;
use sim::{Control, Ending, LogQueue, Outcome, Plan, Workload};
use units::{Bytes, Time};

fn plan(text: &str) -> Plan {
    let scenario = Scenario::parse("run.yaml", text).unwrap_or_else(|report| panic!("{report}"));
    scenario.plan().unwrap_or_else(|report| panic!("{report}")).plan
}

fn run(text: &str) -> Outcome {
    sim::run::<LogQueue>(&plan(text), &mut |_| Control::Continue)
}

fn finished(text: &str) -> Outcome {
    let outcome = run(text);
    assert_eq!(outcome.ending, Ending::Finished, "{text}");
    outcome
}

fn refused(text: &str) -> String {
    let scenario = Scenario::parse("run.yaml", text).unwrap_or_else(|report| panic!("{report}"));
    match scenario.plan() {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(report) => report.render(false),
    }
}

/// Sum of delivered payload over the time of the slowest flow, as a share of the hosts' lines.
fn share_of_lines(outcome: &Outcome, hosts: f64, line: f64) -> f64 {
    let bytes: u64 = outcome.flows.iter().map(|flow| flow.bytes.get()).sum();
    bytes as f64 * 8.0 / outcome.simulated.as_secs_f64() / (hosts * line)
}

const PERMUTATION: &str = "name: p
topology: {kind: spine-leaf, hosts: 32, gpus_per_host: 1, nics_per_host: 1, attachment: packed, leaf: {hosts: 8}, oversubscription: \"1:1\"}
fabric: {preset: roce-100g, routing: ROUTING}
workload: {kind: flows, pattern: shift, shift: 8, size: 8MB, qps: QPS}
";

fn permutation(routing: &str, qps: u32) -> f64 {
    let text = PERMUTATION.replace("ROUTING", routing).replace("QPS", &qps.to_string());
    share_of_lines(&finished(&text), 32.0, 100e9)
}

#[test]
fn packets_spread_over_all_ways_fill_the_lines_where_hashes_collide() {
    let (ecmp, spread) = (permutation("ecmp", 1), permutation("ecmp", 16));
    let (spray, adaptive) = (permutation("spray", 1), permutation("adaptive", 1));
    assert!(ecmp < 0.7 && spread > ecmp, "ecmp {ecmp}, 16 connections {spread}");
    // Of the line: 4096 of 4178 bytes on the wire are payload.
    let on_wire = |goodput: f64| goodput * 4178.0 / 4096.0;
    assert!(on_wire(spray) > 0.95 && on_wire(adaptive) > 0.95, "spray {spray}, adaptive {adaptive}");
}

const INCAST: &str = "name: i
topology: {kind: spine-leaf, hosts: 16, gpus_per_host: 1, nics_per_host: 1, leaf: {hosts: 16}, attachment: packed}
fabric: {preset: roce-100g, ecn: {kmin: 20KB, kmax: 80KB, pmax: 10%}, congestion_control: CONTROL}
workload: {kind: flows, pattern: incast, fan_in: 8, size: unlimited}
run: {until: 20ms, measure_from: 5ms, record: [queue], sample: 100us}
";

/// Mean queue at the receiver's port after 5 ms, pauses, share of the line.
fn incast(control: &str) -> (f64, u64, f64) {
    let outcome = run(&INCAST.replace("CONTROL", control));
    let port = outcome.ports.iter().position(|port| port.name.ends_with("->h0")).expect("a port leads to the receiver");
    let queue: Vec<u64> = outcome
        .series
        .iter()
        .filter(|s| s.port as usize == port && s.quantity == sim::Quantity::Queue && s.time > Time::from_ms(5))
        .map(|s| s.value)
        .collect();
    let pauses = outcome.ports.iter().flat_map(|port| &port.classes).map(|class| class.pause_sent).sum();
    let goodput: f64 =
        outcome.flows.iter().map(|f| f.measured_bytes.get() as f64 * 8.0 / f.measured.as_secs_f64()).sum();
    (queue.iter().sum::<u64>() as f64 / queue.len() as f64, pauses, goodput / 100e9)
}

#[test]
fn senders_that_listen_to_marks_keep_the_queue_of_an_incast_short() {
    let (none, pauses, line) = incast("none");
    assert!(none > 400e3 && pauses > 100 && line > 0.97, "none: queue {none}, {pauses} pauses, {line}");
    for control in ["{kind: dcqcn, preset: paper}", "{kind: dcqcn, preset: ns3-rdma}"] {
        let (queue, _, line) = incast(control);
        assert!((5e3..150e3).contains(&queue) && line > 0.9, "{control}: queue {queue}, {line}");
    }
    let (queue, _, line) = incast("dctcp");
    assert!(queue < 100e3 && line > 0.95, "dctcp: queue {queue}, {line}");
    let (queue, pauses, line) = incast("{kind: window, packets: 2}");
    assert!(queue < 70e3 && pauses == 0 && line > 0.95, "window: queue {queue}, {pauses} pauses, {line}");
}

const COLLECTIVE: &str = "name: c
topology: {kind: spine-leaf, hosts: 8, gpus_per_host: 2, nics_per_host: 2, attachment: packed, leaf: {hosts: 2}}
fabric: {preset: ib-ndr, routing: adaptive}
host: {preset: dgx-h100, gpus: 2}
workload: WORK
";

fn collective(work: &str) -> (Outcome, String, Option<Time>) {
    let text = COLLECTIVE.replace("WORK", work);
    let Workload::Collective(spec) = plan(&text).workload else { panic!() };
    (finished(&text), spec.algorithm, spec.analytic)
}

#[test]
fn every_algorithm_of_every_collective_finishes_near_its_closed_form() {
    let cases = [
        ("{kind: all-reduce, algorithm: tree, size: 4MiB, slice: 64KiB}", "tree", 2.0),
        ("{kind: all-reduce, algorithm: double-binary-tree, size: 4MiB, slice: 64KiB}", "double-binary-tree", 2.0),
        ("{kind: all-reduce, algorithm: halving-doubling, size: 4MiB}", "halving-doubling", 2.0),
        ("{kind: all-reduce, algorithm: ring, size: 4MiB, channels: 4}", "ring", 1.6),
        ("{kind: broadcast, size: 4MiB, slice: 64KiB, root: 3}", "ring", 2.0),
        ("{kind: all-to-all, size: 4MiB, algorithm: direct}", "direct", 1.6),
        ("{kind: all-to-all, size: 4MiB, algorithm: pairwise, placement: random}", "pairwise", 2.0),
        ("{kind: send-recv, size: 4MiB, channels: 2}", "direct", 2.5),
        ("{kind: barrier}", "dissemination", 1.6),
        ("{kind: moe, tokens: 64, top_k: 2, experts: 32, hidden: 7168, skew: balanced}", "direct", 2.0),
        (
            "{kind: moe, tokens: 64, top_k: 2, experts: 32, hidden: 7168, skew: {zipf: 1}, exchange: staggered, expert_compute: 50us}",
            "pairwise",
            2.0,
        ),
    ];
    for (work, algorithm, factor) in cases {
        let (outcome, used, analytic) = collective(work);
        assert_eq!(used, algorithm, "{work}");
        let (time, form) = (outcome.steps[0].communication.as_secs_f64(), analytic.unwrap().as_secs_f64());
        let ratio = time / form;
        assert!(ratio > 0.4 && ratio < factor, "{work}: {time} s, closed form {form} s, ratio {ratio}");
    }
}

#[test]
fn auto_takes_the_tree_for_small_sizes_and_the_ring_for_large_ones() {
    assert_eq!(collective("{kind: all-reduce, size: 8KiB}").1, "double-binary-tree");
    assert_eq!(collective("{kind: all-reduce, size: 64MiB}").1, "ring");
}

#[test]
fn skewed_experts_take_longer_than_balanced_ones() {
    let time = |skew: &str| {
        let work = format!("{{kind: moe, tokens: 128, top_k: 2, experts: 32, hidden: 7168, skew: {skew}}}");
        collective(&work).0.steps[0].communication
    };
    let (balanced, zipf) = (time("balanced"), time("{zipf: 1}"));
    assert!(zipf.as_secs_f64() > 1.5 * balanced.as_secs_f64(), "{balanced:?} and {zipf:?}");
}

#[test]
fn random_placement_depends_on_its_seed_alone_and_keeps_the_ranks_of_a_host_together() {
    let hosts = |seed: u64| {
        let text = COLLECTIVE.replace("WORK", "{kind: all-reduce, size: 1MiB, placement: random}");
        let Workload::Collective(spec) = plan(&format!("{text}streams: {{placement: {seed}}}\n")).workload else {
            panic!()
        };
        spec.ranks.iter().map(|rank| rank.host).collect::<Vec<u32>>()
    };
    let (one, two) = (hosts(1), hosts(2));
    assert_eq!(one, hosts(1));
    assert_ne!(one, two);
    assert!(one.chunks(2).all(|pair| pair[0] == pair[1]));
    let mut sorted = one.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..16).map(|rank| rank / 2).collect::<Vec<u32>>());
}

const PAIR: &str = "name: f
topology: {kind: custom, switches: [A, B], hosts: [a, b, c, d], links: [[A, B], [a, A], [b, A], [c, B], [d, B]]}
fabric: FABRIC
workload: {kind: flows, flows: [FLOWS]}
";

fn pair(fabric: &str, flows: &str) -> String {
    PAIR.replace("FABRIC", fabric).replace("FLOWS", flows)
}

#[test]
fn classes_share_a_link_and_are_numbered_as_they_are_used() {
    let flows = "{name: x, src: a, dst: c, size: 4MB, class: 5}, {name: y, src: b, dst: d, size: 4MB, class: 1}";
    let text = pair("roce-100g", flows);
    let made = plan(&text);
    assert_eq!((made.classes.as_slice(), made.fabric.classes), ([6, 1, 5].as_slice(), 3));
    let Workload::Flows(specs) = &made.workload else { panic!() };
    assert_eq!((specs[0].class, specs[1].class), (2, 1));
    let outcome = finished(&text);
    let trunk = outcome.ports.iter().find(|port| port.name == "A->B").unwrap();
    assert!(trunk.classes[1].bytes > 4_000_000 && trunk.classes[2].bytes > 4_000_000);
    let lanes = plan(&pair("{preset: ib-ndr, credit: {vls: 4}}", flows));
    assert_eq!(lanes.classes, [15, 1], "lanes 5 and 1 modulo 4");
}

#[test]
fn a_paused_class_holds_only_itself() {
    let flows = "{name: x, src: a, dst: c, size: 1MB, class: 5}, {name: y, src: b, dst: c, size: 1MB, class: 1}";
    let text = pair("roce-100g", flows);
    let pause = "faults: [{kind: nic-pause, node: c, class: 5, at: 1us, until: 2ms}]\n";
    let outcome = finished(&format!("{text}{pause}"));
    assert!(outcome.flows[0].delivered.unwrap() > Time::from_ms(2));
    assert!(outcome.flows[1].delivered.unwrap() < Time::from_us(400));
}

#[test]
fn a_nic_that_pauses_half_the_time_halves_the_rate() {
    let text = pair("roce-100g", "{name: x, src: a, dst: c, size: 10MB}");
    let rate = |fault: &str| finished(&format!("{text}{fault}")).flows[0].delivered.unwrap().as_secs_f64();
    let (free, half) = (rate(""), rate("faults: [{kind: nic-pause, node: c, duty: 50%, period: 50us, until: 5ms}]\n"));
    let ratio = half / free;
    assert!((1.85..2.15).contains(&ratio), "{ratio}");
}

#[test]
fn packets_cross_as_many_links_between_switches_as_their_ttl_allows() {
    let flow = |ttl: u32| {
        let text = pair(
            "{preset: roce-100g, transport: ud}",
            &format!("{{src: a, dst: c, size: 100KB, rate: 1Gbps, ttl: {ttl}}}"),
        );
        finished(&text).flows[0].bytes
    };
    assert_eq!((flow(0), flow(1)), (Bytes::ZERO, Bytes::new(100_000)));
}

#[test]
fn a_flow_over_several_connections_is_several_flows_that_share_it() {
    let text = pair("roce-100g", "{name: x, src: a, dst: c, size: 10MB, qps: 3, rate: 30Gbps}");
    let outcome = finished(&text);
    let sizes: Vec<(&str, u64)> = outcome.flows.iter().map(|f| (f.name.as_str(), f.bytes.get())).collect();
    assert_eq!(sizes, [("x#0", 3_333_334), ("x#1", 3_333_333), ("x#2", 3_333_333)]);
}

#[test]
fn acknowledgements_go_in_the_class_of_their_data_when_asked() {
    let bytes = |class: &str| {
        let fabric = format!("{{preset: roce-100g, transport: {{ack_class: {class}}}}}");
        let outcome = finished(&pair(&fabric, "{src: a, dst: c, size: 1MB}"));
        let back = outcome.ports.iter().find(|port| port.name == "c->B").unwrap();
        (back.classes[0].packets > 0, back.classes[1].packets > 0)
    };
    assert_eq!((bytes("control"), bytes("same")), ((true, false), (false, true)));
}

#[test]
fn starts_are_exact_or_drawn_within_their_jitter() {
    let starts = |workload: &str| {
        let text = format!(
            "name: s\ntopology: {{kind: spine-leaf, hosts: 16, gpus_per_host: 1, nics_per_host: 1}}\nfabric: roce-100g\nworkload: {workload}\n"
        );
        let mut starts: Vec<Time> = finished(&text).flows.iter().map(|flow| flow.start.unwrap()).collect();
        starts.sort_unstable();
        starts
    };
    let exact = starts("{kind: flows, pattern: shift, size: 1KB, start: 3us}");
    assert!(exact.iter().all(|start| *start == Time::from_us(3)));
    let drawn = starts("{kind: flows, pattern: shift, size: 1KB, start: 3us, start_jitter: 10us}");
    assert!(drawn[0] >= Time::from_us(3) && drawn[15] < Time::from_us(13) && drawn[15] - drawn[0] > Time::from_us(4));
    let late = |start: &str| {
        let work = format!("{{kind: barrier, {start}}}");
        collective(&work).0.steps[0]
    };
    let (plain, shifted, jittered) = (late("start: 0us"), late("start: 5us"), late("start: 5us, start_jitter: 1ms"));
    assert_eq!((shifted.start, shifted.end), (Time::from_us(5), plain.end + Time::from_us(5)));
    assert!(jittered.end - jittered.start > Time::from_us(500));
}

#[test]
fn clocks_differ_by_the_tolerance_and_cut_through_does_not_mind() {
    let text = |ppm: u32| pair(&format!("{{preset: roce-100g, link: {{ppm: {ppm}}}}}"), "{src: a, dst: c, size: 4KB}");
    let rates: Vec<u64> = plan(&text(100)).topology.ports.iter().map(|port| port.rate.bps()).collect();
    assert!(rates.iter().all(|bps| (99_990_000_000..=100_010_000_000).contains(bps)));
    assert!(rates.iter().any(|bps| *bps != 100_000_000_000));
    let time = |ppm| finished(&text(ppm)).flows[0].delivered.unwrap().as_secs_f64();
    let (equal, unequal) = (time(0), time(100));
    assert!((unequal / equal - 1.0).abs() < 2e-4, "{equal} and {unequal}");
}

#[test]
fn thresholds_follow_the_pool_when_they_are_dynamic() {
    let text = pair(
        "{preset: roce-100g, pfc: {xoff: dynamic}, buffer: {size: 1MB, alpha: 1, reserve: 2KiB, resume_offset: 3KB}}",
        "{name: x, src: a, dst: c, size: 4MB}, {name: y, src: b, dst: c, size: 4MB}, {name: z, src: d, dst: c, size: 4MB}",
    );
    let Thresholds::Dynamic(pool) = (match plan(&text).fabric.flow_control {
        fabric::FlowControl::Pfc(pfc) => pfc.thresholds,
        other => panic!("{other:?}"),
    }) else {
        panic!()
    };
    assert_eq!((pool.alpha_num, pool.alpha_den, pool.reserve), (1, 1, Bytes::new(2048)));
    let outcome = finished(&text);
    let classes = || outcome.ports.iter().flat_map(|port| &port.classes);
    assert!(classes().map(|class| class.pause_sent).sum::<u64>() > 0);
    assert_eq!(classes().map(|class| class.lossless_drops).sum::<u64>(), 0);
    let over = pair("{preset: roce-100g, buffer: {size: 200KB}}", "{src: a, dst: c, size: 1MB}");
    assert!(refused(&over).contains("may hold"), "{}", refused(&over));
}

#[test]
fn equal_seeds_of_switches_are_asked_for_in_the_file() {
    let seeded = |routing: &str| plan(&PERMUTATION.replace("ROUTING", routing).replace("QPS", "1"));
    assert!(seeded("ecmp").seed_per_switch && !seeded("{kind: ecmp, seeds: one}").seed_per_switch);
    assert_eq!(seeded("spray").policy, Policy::Spray);
    assert!(seeded("adaptive").transport.any_order && !seeded("ecmp").transport.any_order);
}

#[test]
fn a_deadlocked_run_goes_on_when_asked() {
    let text = "name: d
topology: {kind: custom, switches: [A, B, C, D], hosts: [hA, hB, hC, hD],
  links: [[A, B], [B, C], [C, D], [D, A], [hA, A], [hB, B], [hC, C], [hD, D]]}
fabric:
  preset: roce-400g
  link: {rate: 40Gbps, delay: 1us, mtu: 1000B}
  switch: {forwarding: store-and-forward, latency: 0ns, service: fifo}
  pfc: {xoff: 40KB, xon: 37KB}
workload:
  kind: flows
  flows:
    - {name: f1, src: hA, dst: hD, path: [hA, A, B, C, D, hD], size: unlimited}
    - {name: f2, src: hC, dst: hB, path: [hC, C, D, A, B, hB], size: unlimited}
    - {name: f3, src: hB, dst: hC, path: [hB, B, C, hC], size: unlimited}
run: {until: 2ms, on_deadlock: WHAT}
";
    let (stopped, went_on) = (run(&text.replace("WHAT", "stop")), run(&text.replace("WHAT", "continue")));
    assert_eq!((stopped.ending, went_on.ending), (Ending::Deadlocked, Ending::Deadlocked));
    assert_eq!(stopped.deadlock.unwrap().onset, went_on.deadlock.unwrap().onset);
    assert!(
        went_on.simulated > stopped.simulated && went_on.events > stopped.events,
        "{:?} and {:?}",
        stopped.simulated,
        went_on.simulated
    );
}

#[test]
fn numbers_that_no_schedule_can_have_are_refused() {
    let refuse = |work: &str, words: &str| {
        let text = refused(&COLLECTIVE.replace("WORK", work));
        assert!(text.contains(words), "{work}:\n{text}");
    };
    refuse("{kind: all-to-all, size: 16000000TiB}", "more than can be counted");
    refuse("{kind: moe, tokens: 8, top_k: 9, experts: 8, hidden: 1}", "cannot go to 9 of 8");
    refuse("{kind: moe, tokens: 16M, top_k: 8, experts: 8, hidden: 1}", "choices of experts");
    let classes: Vec<String> = (0..8).map(|class| format!("{{src: a, dst: c, size: 1KB, class: {class}}}")).collect();
    assert!(refused(&pair("roce-100g", &classes.join(", "))).contains("7 can be in use"));
    assert!(refused(&pair("roce-100g", "{src: a, dst: c, size: 3B, qps: 4}")).contains("fewer bytes"));
}
