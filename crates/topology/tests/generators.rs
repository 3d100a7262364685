//! What holds for every topology that can be built, on random specifications.

use proptest::prelude::*;
use topology::{
    Attachment, Built, Cables, FatTree, Leaf, LinkDefaults, NodeKind, RailOnly, Ratio, Ring, Routes, RoutingKind,
    Shape, Size, Spec, Spine, SpineLeaf, Topology, Torus, build,
};
use units::{NodeId, PortId, Rate, Time};

const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(400), delay: Time::from_ns(25), loss: 7 };

fn option(range: std::ops::Range<u64>) -> impl Strategy<Value = Option<u64>> {
    proptest::option::of(range)
}

fn size() -> impl Strategy<Value = Size> {
    (2u64..40, 1u64..9).prop_map(|(hosts, gpus)| Size {
        hosts: Some(hosts),
        gpus_per_host: Some(gpus),
        ..Size::default()
    })
}

fn attachment() -> impl Strategy<Value = Attachment> {
    prop_oneof![Just(Attachment::Rail), Just(Attachment::Packed)]
}

fn ratio() -> impl Strategy<Value = Option<Ratio>> {
    proptest::option::of((1u64..5, 1u64..4).prop_map(|(l, r)| Ratio::new(l, r).expect("positive")))
}

prop_compose! {
    fn spine_leaf()(
        size in size(),
        attachment in attachment(),
        ports in option(4..70),
        hosts in option(1..20),
        uplinks in option(1..20),
        spine_ports in option(4..70),
        count in option(1..8),
        fast in proptest::bool::ANY,
        oversubscription in ratio(),
    ) -> Spec {
        let leaf = Leaf { ports, hosts, uplinks: uplinks.filter(|_| oversubscription.is_none()), ..Leaf::default() };
        let rate = fast.then_some(Rate::from_gbps(800));
        let spine = Spine { ports: spine_ports, count, rate };
        Spec::SpineLeaf(SpineLeaf { size, attachment, leaf, spine, oversubscription, cables: Cables::default() })
    }
}

fn any_spec() -> impl Strategy<Value = Spec> {
    let fat_tree = (size(), attachment(), 2u64..4, option(1..12), ratio()).prop_map(
        |(size, attachment, tiers, half, oversubscription)| {
            let radix = half.map(|h| 2 * h);
            Spec::FatTree(FatTree { size, attachment, tiers, radix, oversubscription, cables: Cables::default() })
        },
    );
    let torus = (proptest::collection::vec(2u64..6, 1..4), 1u64..3).prop_map(|(dims, hosts_per_switch)| {
        Spec::Torus(Torus { dims, hosts_per_switch, size: Size::default(), cables: Cables::default() })
    });
    let ring = (2u64..20, 1u64..3).prop_map(|(switches, hosts_per_switch)| {
        Spec::Ring(Ring { switches, hosts_per_switch, size: Size::default(), cables: Cables::default() })
    });
    let rails = size().prop_map(|size| Spec::RailOnly(RailOnly { size, ..RailOnly::default() }));
    prop_oneof![6 => spine_leaf(), 4 => fat_tree, 2 => torus, 1 => ring, 1 => rails]
}

/// Numbering: hosts first, ports node by node, peers symmetric, NICs host by host.
fn well_formed(t: &Topology) {
    let mut next = 0;
    for (n, node) in t.nodes.iter().enumerate() {
        assert_eq!(node.first_port, next);
        next += u32::from(node.ports);
        assert_eq!(matches!(node.kind, NodeKind::Host { .. }), n < t.hosts() as usize);
        assert_eq!(t.node(&node.name), Some(NodeId(n as u32)));
        assert!(node.ports > 0, "{} has no cable", node.name);
    }
    assert_eq!(next as usize, t.ports.len());
    for (p, port) in t.ports.iter().enumerate() {
        let (id, peer) = (PortId(p as u32), &t.ports[port.peer.index()]);
        assert_eq!(peer.peer, id);
        assert_ne!(peer.node, port.node);
        assert_eq!((port.rate, port.delay, port.loss), (peer.rate, peer.delay, peer.loss));
        assert!(t.ports_of(port.node).any(|own| own == id));
        assert_eq!(t.port(&t.port_name(id)), Some(id));
        let there = t.port_name(id);
        let back = t.port_name(port.peer);
        assert_eq!(there.split_once('#').map(|x| x.1), back.split_once('#').map(|x| x.1), "{there} {back}");
    }
    for (n, nic) in t.nics.iter().enumerate() {
        assert_eq!(t.ports[nic.index()].nic, Some(n as u32));
        let host = t.ports[nic.index()].node;
        assert_eq!(t.host_nic(host, t.local(*nic)), Some(n as u32));
    }
    assert_eq!(t.ports.iter().filter(|p| p.nic.is_some()).count(), t.nics.len());
    assert!(t.nics.windows(2).all(|w| w[0] < w[1]));
}

fn parallel(t: &Topology, a: NodeId, b: NodeId) -> usize {
    t.ports_of(a).filter(|p| t.neighbour(*p) == b).count()
}

/// Equally many links from a switch to each above it, or it is stated.
fn evenly_joined(built: &Built) {
    let t = &built.topology;
    let Shape::Clos { even, .. } = *t.shape() else { return };
    let mut uneven = false;
    for switch in t.switch_ids() {
        let above: Vec<NodeId> =
            t.ports_of(switch).map(|p| t.neighbour(p)).filter(|n| t.tier(*n) > t.tier(switch)).collect();
        let counts: Vec<usize> = above.iter().map(|n| parallel(t, switch, *n)).collect();
        if let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) {
            uneven |= least != most;
            assert!(most - least <= 1);
        }
        let own: usize = t.ports_of(switch).filter(|p| t.tier(t.neighbour(*p)) > t.tier(switch)).count();
        if let (Some(0), Some(ratio), Shape::Clos { leaves_per_pod: 1.., .. }) =
            (t.tier(switch), built.built, t.shape())
        {
            assert_eq!(own as u64, ratio.up, "every leaf has the stated uplinks");
        }
    }
    assert_eq!(uneven, !even);
    assert_eq!(uneven, built.notes.iter().any(|n| n.contains("do not divide evenly")));
}

/// All links of NIC k of every host lead to rail k; packed, all NICs of a host to one leaf; no leaf over its ports.
fn attached_as_asked(spec: &Spec, t: &Topology) {
    let (attachment, ports, spine_ports) = match spec {
        Spec::SpineLeaf(s) => (s.attachment, s.leaf.ports, s.spine.ports),
        Spec::FatTree(s) => (s.attachment, s.radix, s.radix),
        _ => return,
    };
    for switch in t.switch_ids() {
        let limit = if t.tier(switch) == Some(0) { ports } else { spine_ports };
        assert!(limit.is_none_or(|l| u64::from(t.nodes[switch.index()].ports) <= l));
        let nics: Vec<PortId> =
            t.ports_of(switch).map(|p| t.ports[p.index()].peer).filter(|p| t.ports[p.index()].nic.is_some()).collect();
        if attachment == Attachment::Rail {
            assert!(nics.windows(2).all(|w| t.local(w[0]) == t.local(w[1])));
        } else {
            for nic in &nics {
                let host = t.ports[nic.index()].node;
                assert_eq!(parallel(t, host, switch), usize::from(t.nodes[host.index()].ports));
            }
        }
    }
}

/// Distances by petgraph between switches, hosts left out.
fn distances(t: &Topology, from: NodeId) -> Vec<Option<u32>> {
    let mut graph = t.graph();
    graph.retain_edges(|g, e| {
        let (a, b) = g.edge_endpoints(e).expect("an edge has ends");
        t.is_switch(g[a]) && t.is_switch(g[b])
    });
    let found = petgraph::algo::dijkstra(&graph, petgraph::graph::NodeIndex::new(from.index()), None, |_| 1u32);
    (0..t.nodes.len()).map(|n| found.get(&petgraph::graph::NodeIndex::new(n)).copied()).collect()
}

/// Next hops are exactly the ports that lead one hop nearer.
fn shortest_ways(t: &Topology, routes: &Routes) {
    for (dst, nic) in t.nics.iter().enumerate() {
        let target = t.neighbour(*nic);
        if !t.is_switch(target) || dst % 5 != 0 {
            continue;
        }
        let away = distances(t, target);
        for switch in t.switch_ids() {
            let expected: Vec<u16> = if switch == target {
                vec![t.local(t.ports[nic.index()].peer)]
            } else {
                let nearer = |p: &PortId| {
                    let to = away[t.neighbour(*p).index()];
                    to.is_some_and(|to| Some(to + 1) == away[switch.index()])
                };
                t.ports_of(switch).filter(nearer).map(|p| t.local(p)).collect()
            };
            assert_eq!(routes.next_hops(switch, dst as u32), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_built_is_well_formed_and_routed(spec in any_spec()) {
        let Ok(built) = build(&spec, &DEFAULTS) else { return Ok(()) };
        let t = &built.topology;
        well_formed(t);
        evenly_joined(&built);
        attached_as_asked(&spec, t);
        let routes = Routes::new(t, RoutingKind::MinHop).unwrap();
        shortest_ways(t, &routes);
        let rail_only = matches!(spec, Spec::RailOnly(_));
        for src in 0..t.nics.len() as u32 {
            let dst = (src * 7 + 3) % t.nics.len() as u32;
            if src == dst {
                continue;
            }
            let path = routes.path(t, src, dst, |_, ways| ways[src as usize % ways.len()]);
            let same_rail = t.local(PortId(src)) == t.local(PortId(dst));
            prop_assert_eq!(path.is_some(), !rail_only || same_rail);
            let Some(path) = path else { continue };
            prop_assert_eq!(t.ports[path[path.len() - 1].index()].peer, PortId(dst));
            for step in path.windows(2) {
                prop_assert_eq!(t.neighbour(step[0]), t.ports[step[1].index()].node);
            }
        }
    }

    /// A ratio is built as near as the links of a full leaf allow: one uplink more or fewer is not nearer.
    #[test]
    fn no_other_number_of_uplinks_is_nearer_to_the_ratio(hosts in 2u64..60, full in 1u64..30, left in 1u64..9, right in 1u64..9) {
        let spec = SpineLeaf {
            size: Size { hosts: Some(hosts), gpus_per_host: Some(1), ..Size::default() },
            leaf: Leaf { hosts: Some(full), ..Leaf::default() },
            oversubscription: Ratio::new(left, right),
            ..SpineLeaf::default()
        };
        let asked = left as f64 / right as f64;
        match build(&Spec::SpineLeaf(spec), &DEFAULTS) {
            Ok(built) => {
                let ratio = built.built.unwrap();
                let off = |up: u64| (ratio.down as f64 / up as f64 - asked).abs();
                prop_assert!(off(ratio.up) <= off(ratio.up + 1) + 1e-12);
                prop_assert!(ratio.up == 1 || off(ratio.up) <= off(ratio.up - 1) + 1e-12);
                prop_assert_eq!(off(ratio.up) > 1e-12, built.notes.iter().any(|n| n.starts_with("asked")));
            }
            Err(errors) => {
                prop_assert_eq!(errors[0].field.as_str(), "oversubscription");
                prop_assert!(full.min(hosts) as f64 * 2.0 < asked, "{:?}", errors);
            }
        }
    }
}
