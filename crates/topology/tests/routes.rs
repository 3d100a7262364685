//! Up*/down* is legal and free of cycles, D-mod-K free of contention, and the published cycles are found.

use topology::{
    Attachment, Cables, Custom, CustomHost, CustomLink, DependencyGraph, FatTree, Leaf, LinkDefaults, Ratio, Ring,
    Routes, RoutingKind, Size, Spec, SpineLeaf, Topology, Torus, build, dependencies,
};
use units::{NodeId, PortId, Rate, Time};

const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(40), delay: Time::from_us(1), loss: 0 };

fn made(spec: Spec) -> Topology {
    build(&spec, &DEFAULTS).expect("builds").topology
}

fn torus(dims: &[u64]) -> Topology {
    let (dims, size, cables) = (dims.to_vec(), Size::default(), Cables::default());
    made(Spec::Torus(Torus { dims, hosts_per_switch: 1, size, cables }))
}

fn custom(switches: &[&str], hosts: &[&str], links: &[(&str, &str)]) -> Topology {
    let host = |name: &&str| CustomHost { name: (*name).to_owned(), nics: None, gpus: 1 };
    let link = |(a, b): &(&str, &str)| CustomLink {
        a: (*a).to_owned(),
        b: (*b).to_owned(),
        rate: None,
        delay: None,
        loss: None,
        count: 1,
    };
    made(Spec::Custom(Custom {
        switches: switches.iter().map(|s| (*s).to_owned()).collect(),
        hosts: hosts.iter().map(host).collect(),
        links: links.iter().map(link).collect(),
    }))
}

fn path(t: &Topology, nodes: &[&str]) -> Vec<PortId> {
    nodes.windows(2).map(|w| t.port(&format!("{}->{}", w[0], w[1])).expect("a link")).collect()
}

fn all_ways(t: &Topology, kind: RoutingKind) -> DependencyGraph {
    let routes = Routes::new(t, kind).expect("tables");
    let mut graph = DependencyGraph::default();
    let nics = t.nics.len() as u32;
    for dst in 0..nics {
        graph.add_ways(t, &routes, 1, 0..nics, dst);
    }
    graph
}

const UP_DOWN: RoutingKind = RoutingKind::UpDown { roots: Vec::new() };

#[test]
fn two_flows_round_a_ring_of_four_make_one_cycle() {
    let t = custom(
        &["A", "B", "C", "D"],
        &["hA", "hB", "hC", "hD"],
        &[("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("hA", "A"), ("hB", "B"), ("hC", "C"), ("hD", "D")],
    );
    let f1 = path(&t, &["hA", "A", "B", "C", "D", "hD"]);
    let f2 = path(&t, &["hC", "C", "D", "A", "B", "hB"]);
    let cycles = dependencies(&t, 3, [f1.clone(), f2]).cycles();
    assert_eq!(cycles.len(), 1);
    let names: Vec<String> = cycles[0].shortest.iter().map(|c| t.port_name(c.port)).collect();
    assert_eq!(names, ["A->B", "B->C", "C->D", "D->A"]);
    assert_eq!(cycles[0].channels.len(), 4);
    assert!(dependencies(&t, 3, [f1]).cycles().is_empty());
}

/// The trap of toy simulators with one buffer a switch: by ports there is no cycle.
#[test]
fn the_toy_of_two_leaves_and_a_bounce_has_no_cycle() {
    let t = custom(
        &["L0", "L1", "L2", "S0", "S1"],
        &["h0", "h1", "h2"],
        &[
            ("L0", "S0"),
            ("L0", "S1"),
            ("L1", "S0"),
            ("L1", "S1"),
            ("L2", "S0"),
            ("L2", "S1"),
            ("h0", "L0"),
            ("h1", "L1"),
            ("h2", "L2"),
        ],
    );
    let flows = [
        path(&t, &["h0", "L0", "S0", "L2", "h2"]),
        path(&t, &["h2", "L2", "S1", "L0", "h0"]),
        path(&t, &["h1", "L1", "S0", "L2", "h2"]),
    ];
    let graph = dependencies(&t, 3, flows);
    assert!(graph.cycles().is_empty());
    assert!(!graph.dot(&t).contains("red"));
}

#[test]
fn shortest_ways_on_a_torus_have_cycles_and_up_down_has_none() {
    for dims in [&[4, 4][..], &[5], &[3, 4, 3]] {
        let t = torus(dims);
        let cycles = all_ways(&t, RoutingKind::MinHop).cycles();
        assert!(!cycles.is_empty(), "{dims:?}");
        for cycle in &cycles {
            let ends = cycle.shortest.iter().zip(cycle.shortest.iter().cycle().skip(1));
            assert!(cycle.shortest.len() >= 4 || dims.contains(&3) && cycle.shortest.len() == 3);
            for (from, to) in ends {
                assert_eq!(t.neighbour(from.port), t.ports[to.port.index()].node, "each channel feeds the next");
            }
        }
        assert!(all_ways(&t, UP_DOWN).cycles().is_empty(), "{dims:?}");
    }
}

/// From every switch every NIC is reached, and no way that goes down goes up again: checked against an order of the
/// switches that the test works out for itself.
#[test]
fn up_down_reaches_everything_without_turning_up_again() {
    let ring =
        made(Spec::Ring(Ring { switches: 7, hosts_per_switch: 2, size: Size::default(), cables: Cables::default() }));
    for t in [ring, torus(&[4, 3]), torus(&[3, 3, 3])] {
        let first = t.switch_ids().next().unwrap();
        for root in [first, NodeId(first.0 + 3)] {
            let routes = Routes::new(&t, RoutingKind::UpDown { roots: vec![root] }).unwrap();
            let depth =
                petgraph::algo::dijkstra(&t.graph(), petgraph::graph::NodeIndex::new(root.index()), None, |_| 1);
            let rank = |n: NodeId| (depth[&petgraph::graph::NodeIndex::new(n.index())], n);
            for (src, dst) in (0..t.nics.len() as u32).flat_map(|s| (0..t.nics.len() as u32).map(move |d| (s, d))) {
                for pick in 0..if src == dst { 0 } else { 3 } {
                    let way = routes.path(&t, src, dst, |_, ways| ways[pick % ways.len()]).expect("reachable");
                    let mut down = false;
                    for port in &way[1..way.len() - 1] {
                        let up = rank(t.neighbour(*port)) < rank(t.ports[port.index()].node);
                        assert!(!(down && up));
                        down |= !up;
                    }
                }
            }
        }
    }
}

#[test]
fn in_a_clos_up_down_and_min_hop_are_the_same_and_have_no_cycle() {
    for spec in [fat_tree(4, 3, None), fat_tree(8, 2, None), fat_tree(6, 3, Some(40))] {
        let t = made(spec);
        let (min, legal) = (Routes::new(&t, RoutingKind::MinHop).unwrap(), Routes::new(&t, UP_DOWN).unwrap());
        for switch in t.switch_ids().filter(|s| t.tier(*s) == Some(0)) {
            for dst in 0..t.nics.len() as u32 {
                assert_eq!(min.next_hops(switch, dst), legal.next_hops(switch, dst));
            }
        }
        assert!(all_ways(&t, RoutingKind::MinHop).cycles().is_empty());
    }
}

fn fat_tree(radix: u64, tiers: u64, hosts: Option<u64>) -> Spec {
    let size = Size { hosts, gpus_per_host: Some(1), ..Size::default() };
    Spec::FatTree(FatTree { size, tiers, radix: Some(radix), ..FatTree::default() })
}

/// The most flows on one link when every source sends to `dst(source)` by D-mod-K.
fn busiest(t: &Topology, routes: &Routes, dst: impl Fn(u32) -> u32) -> u32 {
    let mut flows = vec![0; t.ports.len()];
    for src in 0..t.nics.len() as u32 {
        let dst = dst(src);
        let choose = |at: NodeId, ways: &[u16]| ways[(dst / routes.d_mod_k_divisor(at)) as usize % ways.len()];
        if src == dst {
            continue;
        }
        for port in routes.path(t, src, dst, choose).expect("reachable") {
            flows[port.index()] += 1;
        }
    }
    flows.into_iter().max().unwrap_or(0)
}

/// Zahavi: on k-ary fat-trees every shift is free of contention; parallel links of pruned trees do not change that.
#[test]
fn d_mod_k_puts_at_most_one_flow_of_any_shift_on_a_link() {
    let trees = [
        (4, 2, None),
        (8, 2, None),
        (4, 3, None),
        (8, 3, None),
        (8, 2, Some(16)),
        (8, 2, Some(8)),
        (8, 3, Some(64)),
        (8, 3, Some(32)),
        (8, 3, Some(16)),
    ];
    for (radix, tiers, hosts) in trees {
        let t = made(fat_tree(radix, tiers, hosts));
        let nics = t.nics.len() as u32;
        let full = if tiers == 2 { radix * radix / 2 } else { radix * radix * radix / 4 };
        assert_eq!(u64::from(nics), hosts.unwrap_or(full));
        let routes = Routes::new(&t, RoutingKind::DModK).unwrap();
        for shift in 1..nics {
            let most = busiest(&t, &routes, |src| (src + shift) % nics);
            assert_eq!(most, 1, "radix {radix}, {tiers} tiers, {hosts:?} hosts, shift {shift}");
        }
    }
}

#[test]
fn d_mod_k_knows_that_the_nics_of_a_rail_are_numbered_apart() {
    for attachment in [Attachment::Rail, Attachment::Packed] {
        let t = made(Spec::SpineLeaf(SpineLeaf {
            size: Size { hosts: Some(16), gpus_per_host: Some(4), ..Size::default() },
            attachment,
            leaf: Leaf { hosts: Some(if attachment == Attachment::Rail { 8 } else { 4 }), ..Leaf::default() },
            oversubscription: Ratio::new(1, 1),
            ..SpineLeaf::default()
        }));
        let routes = Routes::new(&t, RoutingKind::DModK).unwrap();
        for shift in 1..16 {
            assert_eq!(busiest(&t, &routes, |src| (src + 4 * shift) % 64), 1, "{attachment:?} {shift}");
        }
    }
}

#[test]
fn d_mod_k_is_free_of_contention_on_three_tiers_of_rails_that_fill_their_pods() {
    let size = Size { hosts: Some(8), gpus_per_host: Some(2), ..Size::default() };
    let t = made(Spec::FatTree(FatTree { size, tiers: 3, radix: Some(4), ..FatTree::default() }));
    let routes = Routes::new(&t, RoutingKind::DModK).unwrap();
    for shift in 1..8 {
        assert_eq!(busiest(&t, &routes, |src| (src + 2 * shift) % 16), 1, "{shift}");
    }
}

#[test]
fn a_root_must_be_a_switch() {
    let t = torus(&[3]);
    assert!(Routes::new(&t, RoutingKind::UpDown { roots: vec![NodeId(0)] }).is_err());
    assert!(Routes::new(&t, RoutingKind::UpDown { roots: vec![NodeId(99)] }).is_err());
}
