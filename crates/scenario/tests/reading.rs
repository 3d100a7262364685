//! Whole files in, settings or messages out.

use std::collections::BTreeSet;

use proptest::prelude::*;
use scenario::spec::{AckEvery, Arrival, Distance, FlowControl, FlowSize, Topology, Transport, Work, Xoff};
use scenario::{Code, Document, PRESETS, Scenario};
use units::text::Length;
use units::{Bytes, Rate, Time};

const FIRST: &str = r#"
name: first-run
topology: {kind: spine-leaf, gpus: 64, oversubscription: "2:1"}
fabric: ib-ndr
workload: {kind: all-reduce, algorithm: ring, size: 256MiB}
"#;

const RING4: &str = r#"
name: ring4-third-flow
topology: {kind: custom, switches: [A, B, C, D], hosts: [hA, hB, hC, hD],
  links: [[A, B], [B, C], [C, D], [D, A], [hA, A], [hB, B], [hC, C], [hD, D]]}
fabric:
  preset: roce-400g
  link: {rate: 40Gbps, delay: 1us, mtu: 1000B}
  switch: {forwarding: store-and-forward, latency: 0ns, service: fifo}     # round-robin survives
  pfc: {xoff: 40KB, xon: 37KB, headroom: auto, response: 0ns}
  congestion_control: none
workload:
  kind: flows
  flows:
    - {name: f1, src: hA, dst: hD, path: [hA, A, B, C, D, hD], size: unlimited}
    - {name: f2, src: hC, dst: hB, path: [hC, C, D, A, B, hB], size: unlimited}
    - {name: f3, src: hB, dst: hC, path: [hB, B, C, hC], size: unlimited}
run: {until: 5ms}
expect:
  - {metric: deadlock.detected, equals: true, source: "Hu et al., HotNets 2016"}
"#;

fn good(text: &str) -> Scenario {
    Scenario::parse("test.yaml", text).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn the_shortest_useful_scenario_has_defaults_for_everything_else() {
    let spec = good(FIRST).spec;
    assert_eq!((spec.name.as_str(), spec.seed, spec.streams.loss), ("first-run", 1, 1));
    let Topology::SpineLeaf(topology) = &spec.topology else { panic!() };
    assert_eq!(topology.hosts.gpus, Some(64));
    assert_eq!(topology.oversubscription.unwrap().to_string(), "2:1");
    assert_eq!(spec.fabric.link.rate, Rate::from_gbps(400));
    assert!(matches!(spec.fabric.flow_control, FlowControl::Credit(credit) if credit.window == Some(2048)));
    assert_eq!(spec.host.software_latency, Time::ZERO);
    assert_eq!(spec.host.nvlink_rate.to_string(), "3.6Tbps");
    assert_eq!((spec.run.steps, spec.run.warmup, spec.run.until), (1, 0, None));
    let Work::Collective(collective) = &spec.workload.work else { panic!() };
    assert_eq!((collective.size, collective.slice), (Bytes::new(256 << 20), None));
}

#[test]
fn the_hand_built_ring_is_read_with_its_overrides_and_warned_about_its_mtu() {
    let scenario = good(RING4);
    let fabric = &scenario.spec.fabric;
    assert_eq!(fabric.link.distance, Distance::Delay(Time::from_us(1)));
    let FlowControl::Pfc(pfc) = &fabric.flow_control else { panic!() };
    assert_eq!(pfc.xoff, Xoff::Static { xoff: Bytes::new(40_000), xon: Some(Bytes::new(37_000)) });
    let Work::Flows(flows) = &scenario.spec.workload.work else { panic!() };
    assert_eq!(flows[2].path, ["hB", "B", "C", "hC"]);
    assert_eq!(flows[0].size, FlowSize::Unlimited);
    let codes: Vec<Code> = scenario.warnings.iter().map(|w| w.code).collect();
    assert_eq!(codes, [Code::OddMtu]);
}

#[test]
fn every_kind_of_everything_is_read() {
    let topologies = [
        "{kind: spine-leaf, gpus: 1024, gpus_per_host: 8, nics_per_host: 8, attachment: rail, leaf: {ports: 64, rate: 400Gbps, hosts: 32}, spine: {ports: 64, count: 16, rate: 400Gbps}, oversubscription: \"2:1\", cables: {host: 5m, uplink: 40m}}",
        "{kind: fat-tree, hosts: 16, gpus_per_host: 1, tiers: 3, radix: 4}",
        "{kind: rail-only, gpus: 64}",
        "{kind: torus, dims: [4, 4]}",
        "{kind: ring, switches: 4, hosts_per_switch: 2}",
        "{kind: custom, switches: [s], hosts: [h0, {name: h1, nics: 1, gpus: 2}], links: [[h0, s], {a: h1, b: s, rate: 100Gbps, length: 3m, loss: 0.1%, count: 2}]}",
    ];
    let fabrics = [
        "ib-hdr",
        "{preset: roce-100g, link: {ip_mtu: 1500B, length: 30m, loss: 0}}",
        "{preset: roce-400g, pfc: {xoff: dynamic}, buffer: {size: 32MB, alpha: 1/8, reserve: 4KiB, egress_limit: 1MB}, ecn: {kmin: 400KB, kmax: 1600KB, pmax: 20%, mark_at: dequeue}}",
        "{preset: ib-ndr, flow_control: none, credit: {buffer: 64KiB, vls: 1, window: none}, routing: up-down}",
        "{preset: roce-400g, pfc: {xoff: 40KB, quanta: 65535, refresh: auto, priorities: 8}, transport: {kind: rc, retransmit: go-back-n, ack_every: message, window: 64, timeout: 4ms}, routing: min-hop}",
        "{technology: roce, link: {rate: 40Gbps, ppm: 100}, flow_control: none}",
        "{preset: roce-100g, routing: {kind: ecmp, seeds: one}, ecn: {kmin: 5KB, kmax: 200KB, pmax: 1%}, congestion_control: {kind: dcqcn, preset: ns3-rdma, byte_counter: none, gain: 1/16, alpha_order: cut-first}, transport: {ack_class: same}}",
        "{preset: roce-400g, routing: spray, congestion_control: {kind: window, packets: 64}}",
        "{preset: ib-ndr, credit: {vls: 4}, routing: adaptive, ecn: {kmin: 5KB, kmax: 5KB}, congestion_control: dctcp}",
    ];
    let workloads = [
        "{kind: all-reduce, algorithm: auto, size: 1GiB, channels: 8, compute: 1ms}",
        "{kind: reduce-scatter, size: 1B}",
        "{kind: all-gather, size: 4KiB, slice: 64KiB}",
        "{kind: broadcast, size: 1MB, root: 1}",
        "{kind: reduce, size: 1MB}",
        "{kind: all-to-all, size: 1MB, algorithm: pairwise}",
        "{kind: send-recv, size: 1MB}",
        "{kind: barrier, start: 1us, start_jitter: 2us}",
        "{kind: all-to-all, size: 1MB, algorithm: direct, placement: random, class: 2}",
        "{kind: all-reduce, algorithm: double-binary-tree, size: 1GiB, channels: 2, slice: 64KiB}",
        "{kind: moe, tokens: 64, top_k: 2, experts: 8, hidden: 7168, skew: {zipf: 0.5}}",
        "{kind: moe, tokens: 64, top_k: 2, experts: 8, hidden: 7168, skew: balanced, dispatch: bf16, combine: fp32, exchange: staggered, once_per_rank: true, expert_compute: 10us}",
        "{kind: flows, flows: [{src: h0, dst: h1, size: 4MiB, start: 0us, stop: 1ms, rate: 2Gbps, class: 3, arrival: poisson, qps: 4, ttl: 16}]}",
        "{kind: flows, pattern: permutation, size: 4MiB, qps: 2, start_jitter: 1us, class: 1}",
        "{kind: flows, pattern: incast, fan_in: 1, dst: h1, size: 1MB}",
        "{kind: flows, pattern: shift, shift: 1, size: 1MB}",
        "{kind: flows, pattern: all-to-all, size: unlimited, stop: 1ms, rate: 10Gbps}",
    ];
    let faults = "[{kind: loss, link: \"A->B\", rate: 1%}, {kind: drop, link: [A, B], every: 256, at: 1us, until: 2us},
      {kind: nic-pause, node: h0, nic: 0, class: 3, at: 1ms, until: 2ms, duty: 50%, period: 10us}, {kind: degrade, link: \"A->B#1\", rate: 0bps},
      {kind: slow-receiver, node: h1, rate: 1Gbps}, {kind: straggler, rank: 1, slowdown: 1.05}]";
    let host = "{preset: dgx-h100, gpus: 1, nvlink: {rate: 450GB/s}, jitter: {lognormal: {sigma: 5%}}, straggler: {rank: 1, slowdown: 1.5}}";
    for (index, topology) in topologies.iter().enumerate() {
        // Every pair of settings, with every third of the rest.
        for (f, fabric) in fabrics.into_iter().enumerate() {
            for workload in workloads.iter().enumerate().filter(|(w, _)| (index + f + w) % 3 == 0).map(|(_, w)| w) {
                let is_custom = index == topologies.len() - 1;
                let head = format!("name: t\ntopology: {topology}\nfabric: {fabric}\nworkload: {workload}\n");
                let mut texts = vec![head.clone()];
                if !is_custom {
                    texts.push(format!("{head}faults: {faults}\n"));
                }
                if index == 3 {
                    texts.push(format!("{head}host: {host}\n"));
                }
                for text in texts {
                    let scenario = good(&text);
                    let written = scenario.effective();
                    let again = Scenario::parse("again.yaml", &written).unwrap_or_else(|r| panic!("{r}\n{written}"));
                    assert_eq!(again.spec, scenario.spec, "{written}");
                    let said = |scenario: &Scenario| -> BTreeSet<String> {
                        scenario.warnings.iter().map(|warning| warning.text.clone()).collect()
                    };
                    assert_eq!(said(&again), said(&scenario), "{text}");
                    assert_eq!(again.effective(), written);
                }
            }
        }
    }
}

#[test]
fn the_effective_scenario_has_every_default_and_quotes_quantities() {
    let written = good(FIRST).effective();
    for line in [
        "version: 1",
        "seed: 1",
        "  oversubscription: \"2:1\"",
        "    rate: \"400Gbps\"",
        "    window: \"2048 blocks\"",
        "  stall_after: \"10ms\"",
        "  algorithm: ring",
        "  preset: ib-ndr",
    ] {
        assert!(written.lines().any(|l| l == line), "{line} is not in\n{written}");
    }
}

#[test]
fn presets_are_read_alone_and_hold_nothing_without_effect() {
    for preset in PRESETS {
        let dcqcn = preset.name.replace("dcqcn-", "");
        let dcqcn = format!(
            "{{preset: roce-100g, ecn: {{kmin: 5KB, kmax: 200KB}}, congestion_control: {{kind: dcqcn, preset: {dcqcn}}}}}"
        );
        let (fabric, host) = match preset.of {
            "fabric" => (preset.name, "{}"),
            "host" => ("ib-ndr", preset.name),
            _ => (dcqcn.as_str(), "{}"),
        };
        let text = format!(
            "name: p\ntopology: {{kind: spine-leaf, gpus: 64}}\nfabric: {fabric}\nhost: {host}\nworkload: {{kind: all-reduce, size: 1MiB}}\n"
        );
        assert_eq!(good(&text).warnings, [], "{}", preset.name);
        // Each value has its source beside it or in the lines below.
        for line in preset.text.lines().filter(|l| l.contains(": ") && !l.trim_start().starts_with('#')) {
            let is_plain = ["technology", "kind: rc", "kind: dcqcn", "vls", "congestion_control"]
                .iter()
                .any(|key| line.contains(key));
            assert!(line.contains('#') || is_plain, "{}: {line}", preset.name);
        }
    }
}

#[test]
fn numbers_keep_what_was_written() {
    let scenario = good(&FIRST.replace("first-run", "0755").replace("256MiB", "\"1 GiB\""));
    assert_eq!(scenario.spec.name, "0755");
    assert!(scenario.effective().starts_with("version: 1\nname: \"0755\"\n"));
    let Work::Collective(collective) = &scenario.spec.workload.work else { panic!() };
    assert_eq!(collective.size, Bytes::new(1 << 30));
}

#[test]
fn a_transport_of_another_kind_does_not_inherit_settings() {
    let text = "name: u\ntopology: {kind: custom, switches: [s], hosts: [a, b], links: [[a, s], [b, s]]}\nfabric: {preset: roce-100g, transport: ud}\nworkload: {kind: flows, flows: [{src: a, dst: b, size: 1MB, rate: 1Gbps, arrival: poisson}]}\n";
    let spec = good(text).spec;
    assert_eq!(spec.fabric.transport, Transport::Ud);
    let Work::Flows(flows) = &spec.workload.work else { panic!() };
    assert_eq!((flows[0].arrival, flows[0].name.as_str()), (Arrival::Poisson, "f0"));
}

#[test]
fn overrides_follow_paths_names_and_kinds() {
    let mut document = Document::parse("ring.yaml", RING4).unwrap();
    for set in [
        "workload.flows.f3.rate=2Gbps",
        "workload.flows.0.size=1MB",
        "fabric.switch.service=round-robin",
        "fabric.link.length=10 m",
        "seed=7",
        "run.record=[queue, pause]",
        "fabric.transport.ack_every=message",
    ] {
        document.set(set).unwrap_or_else(|report| panic!("{report}"));
    }
    let spec = document.check().unwrap_or_else(|report| panic!("{report}")).spec;
    let Work::Flows(flows) = &spec.workload.work else { panic!() };
    assert_eq!(flows[2].rate, Some(Rate::from_gbps(2)));
    assert_eq!(flows[0].size, FlowSize::Finite(Bytes::new(1_000_000)));
    assert_eq!(spec.fabric.link.distance, Distance::Length(Length::from_metres(10)));
    assert_eq!((spec.seed, spec.run.record.len()), (7, 2));
    assert!(matches!(spec.fabric.transport, Transport::Rc(rc) if rc.ack_every == AckEvery::Message));
    document.set("fabric.preset=roce-100g").unwrap();
    let spec = document.check().unwrap_or_else(|report| panic!("{report}")).spec;
    assert_eq!(spec.fabric.link.rate, Rate::from_gbps(40), "other overrides are kept");
    document.set("fabric=ib-hdr").unwrap();
    let spec = document.check().unwrap_or_else(|report| panic!("{report}")).spec;
    assert_eq!(spec.fabric.link.rate, Rate::from_gbps(200), "the whole map is replaced");

    let mut document = Document::parse("first.yaml", FIRST).unwrap();
    document.set("workload.kind=all-gather").unwrap();
    document.set("topology.oversubscription=1.5:1").unwrap();
    document.set("topology.leaf.ports=64").unwrap();
    document.set("host=dgx-h100").unwrap();
    let spec = document.check().unwrap_or_else(|report| panic!("{report}")).spec;
    assert!(matches!(spec.workload.work, Work::Collective(c) if c.size == Bytes::new(256 << 20)));
    assert_eq!(spec.host.software_latency, Time::from_us(2));
}

#[test]
fn sweeps_multiply_variants_axes_and_seeds_and_share_seeds() {
    let text = format!(
        "{FIRST}
sweep:
  baseline: ib-1to1
  variants:
    ib-1to1: {{fabric.preset: ib-ndr, topology.oversubscription: \"1:1\"}}
    roce-2to1: {{fabric: roce-400g, topology.leaf.ports: 128, topology.oversubscription: \"2:1\"}}
  axes:
    workload.size: [64MiB, 1GiB]
    faults: {{none: [], slow: [{{kind: degrade, link: \"leaf0->spine0\", rate: 1Gbps}}]}}
  zip: {{run.steps: [1, 2, 3], run.warmup: [0, 1, 2]}}
  seeds: 4
expect:
  - {{metric: steps.p50_s, at_most: 12ms}}
  - {{metric: steps.p50_s, of: roce-2to1, at_most: 13ms}}
  - {{metric: steps.p50_s, when: {{workload.size: 1GiB}}, at_least: 1ms}}
  - {{metric: steps.p50_s, of: roce-2to1, relative_to: ib-1to1, at_most: 1.027}}
"
    );
    let document = Document::parse("sweep.yaml", &text).unwrap();
    let base = document.check().unwrap_or_else(|report| panic!("{report}"));
    assert!(base.spec.has_sweep);
    assert_eq!(base.spec.expect.len(), 4);
    let sweep = document.sweep().unwrap();
    assert_eq!(sweep.len(), 2 * 2 * 2 * 3 * 4);
    let points: Vec<_> = sweep.points().collect();
    assert_eq!(points.len() as u64, sweep.len());
    let last = points.last().unwrap();
    let labels: Vec<(&str, &str)> = last.labels.iter().map(|(a, l)| (a.as_str(), l.as_str())).collect();
    let expected =
        [("variant", "roce-2to1"), ("workload.size", "1GiB"), ("faults", "slow"), ("run.steps+run.warmup", "3+2")];
    assert_eq!(labels, expected);
    let point = document.check_point(last).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!((point.spec.seed, point.spec.run.steps, point.spec.faults.len()), (4, 3, 1));
    assert_eq!(point.spec.fabric.preset.as_deref(), Some("roce-400g"));
    assert_eq!(point.spec.expect.len(), 3);
    assert!(!point.spec.has_sweep && point.spec.expect.iter().all(|e| e.is_absolute()));
    let first = document.check_point(&points[0]).unwrap();
    assert_eq!((first.spec.seed, first.spec.expect.len()), (1, 1));
    let again =
        Scenario::parse("again.yaml", &base.effective()).unwrap_or_else(|r| panic!("{r}\n{}", base.effective()));
    assert_eq!(again.spec, base.spec);
}

#[test]
fn single_purposes_can_vary_while_others_keep_their_seed() {
    let text = format!("{FIRST}sweep: {{seeds: {{count: 3, vary: [routing, loss]}}}}\n");
    let document = Document::parse("s.yaml", &text).unwrap();
    let sweep = document.sweep().unwrap();
    let spec = document.check_point(&sweep.point(2).unwrap()).unwrap().spec;
    assert_eq!((spec.seed, spec.streams.routing, spec.streams.loss, spec.streams.jitter), (1, 3, 3, 1));
}

#[test]
fn a_topology_of_thirty_thousand_links_is_read_in_seconds() {
    let mut text = String::from(
        "name: wide\nfabric: roce-400g\nworkload: {kind: flows, flows: [{src: h0, dst: h1, size: 1MB}]}\ntopology:\n  kind: custom\n  switches: [s0]\n  hosts:\n",
    );
    let hosts = 15_000;
    (0..hosts).for_each(|i| text.push_str(&format!("    - h{i}\n")));
    text.push_str("  links:\n");
    (0..hosts).for_each(|i| {
        text.push_str(&format!("    - {{a: h{i}, b: s0, rate: 400Gbps, length: 5m}}\n    - [h{i}, s0]\n"))
    });
    let begin = std::time::Instant::now();
    let scenario = good(&text);
    let Topology::Custom { links, .. } = &scenario.spec.topology else { panic!() };
    assert_eq!(links.len(), 30_000);
    assert_eq!(good(&scenario.effective()).spec, scenario.spec);
    assert!(begin.elapsed().as_secs_f64() < 20.0, "{:?}", begin.elapsed());
    let broken = text.replace("b: s0", "b: s1");
    let begin = std::time::Instant::now();
    let report = Scenario::parse("broken.yaml", &broken).unwrap_err();
    assert_eq!(report.diagnostics.iter().filter(|d| !d.is_warning()).count(), hosts);
    assert!(report.render(false).contains("messages more"));
    assert!(begin.elapsed().as_secs_f64() < 20.0, "{:?}", begin.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_back_is_the_same_scenario(
        name in "[a-zA-Z0-9_@+=()][-a-zA-Z0-9_.:+@()=,]{0,20}",
        description in any::<String>(),
        (size, delay, rate) in (1u64..1 << 50, 1u64..1 << 60, 1u64..1 << 50),
        (above, below) in (0u64..1000, 1000u64..100_000),
        node in "[a-z\u{e9}][a-z0-9_.-]{0,8}",
        seed in any::<u64>(),
    ) {
        let quoted = serde_json::to_string(&description).unwrap();
        let text = format!(
            "name: {}\ndescription: {quoted}\nseed: {seed}\n\
             topology: {{kind: custom, switches: [S], hosts: [{}, H], links: [[{}, S], {{a: S, b: H, delay: {delay} ps, loss: {above}/{below}}}]}}\n\
             fabric: {{preset: roce-100g, link: {{rate: {rate} bps}}, pfc: {{xoff: {size} B}}}}\n\
             workload: {{kind: flows, flows: [{{name: {}, src: H, dst: {}, size: {size}B}}]}}\n",
            serde_json::to_string(&name).unwrap(), serde_json::to_string(&node).unwrap(),
            serde_json::to_string(&node).unwrap(), serde_json::to_string(&name).unwrap(), serde_json::to_string(&node).unwrap(),
        );
        let scenario = good(&text);
        prop_assert_eq!(&scenario.spec.name, &name);
        let written = scenario.effective();
        let again = Scenario::parse("again.yaml", &written).unwrap_or_else(|r| panic!("{r}\n{written}"));
        prop_assert_eq!(&again.spec, &scenario.spec, "{}", written);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z0-9:{}, \\[\\]\"'&*|>#\n\t-]{0,80}", part in 0usize..5) {
        let _ = Scenario::parse("noise.yaml", &text).map_err(|report| report.render(true));
        let parts = ["topology: ", "fabric: ", "workload: ", "run: ", "expect: "];
        let _ = Scenario::parse("noise.yaml", &format!("{FIRST}x: 1\n{}{text}", parts[part])).map_err(|report| report.render(false));
    }
}
