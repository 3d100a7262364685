//! Absurd sizes are refused before anything is allocated; large ones are built in bounded memory.

use topology::{
    Attachment, Cables, FatTree, Leaf, LinkDefaults, RailOnly, Ratio, Ring, Routes, RoutingKind, Size, Spec, Spine,
    SpineLeaf, Torus, build,
};
use units::{Rate, Time};

const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(400), delay: Time::from_ns(25), loss: 0 };

fn field(spec: Spec) -> String {
    let errors = build(&spec, &DEFAULTS).expect_err("is refused");
    assert!(errors.iter().all(|e| !e.reason.is_empty() && !e.to_string().is_empty()));
    errors[0].field.clone()
}

fn hosts(hosts: u64) -> Size {
    Size { hosts: Some(hosts), ..Size::default() }
}

fn spine_leaf(size: Size) -> SpineLeaf {
    SpineLeaf { size, ..SpineLeaf::default() }
}

#[test]
fn a_million_hosts_and_more_are_refused_by_arithmetic() {
    for count in [40_000, 1_000_000, 1 << 40, u64::MAX] {
        let size = hosts(count);
        assert_eq!(field(Spec::SpineLeaf(spine_leaf(size))), "hosts");
        assert_eq!(field(Spec::FatTree(FatTree { size, ..FatTree::default() })), "hosts");
        assert_eq!(field(Spec::RailOnly(RailOnly { size, ..RailOnly::default() })), "hosts");
        let ring = Ring {
            switches: 4,
            hosts_per_switch: count.saturating_mul(8),
            size: Size::default(),
            cables: Cables::default(),
        };
        assert_eq!(field(Spec::Ring(ring)), "hosts_per_switch");
    }
    for count in [70_000, 1_000_000, u64::MAX] {
        let (size, cables) = (Size::default(), Cables::default());
        assert_eq!(field(Spec::Ring(Ring { switches: count, hosts_per_switch: 1, size, cables })), "switches");
        assert_eq!(
            field(Spec::Torus(Torus { dims: vec![count, count, 2], hosts_per_switch: 1, size, cables })),
            "dims"
        );
    }
}

#[test]
fn what_makes_no_fabric_is_refused_with_the_key_at_fault() {
    let base = || spine_leaf(Size { gpus_per_host: Some(1), ..hosts(16) });
    let leaf = |leaf: Leaf| Spec::SpineLeaf(SpineLeaf { leaf, ..base() });
    let spine = |spine: Spine| Spec::SpineLeaf(SpineLeaf { spine, ..base() });
    let sized = |size: Size| field(Spec::SpineLeaf(spine_leaf(size)));
    assert_eq!(sized(Size::default()), "gpus");
    assert_eq!(sized(hosts(0)), "hosts");
    assert_eq!(sized(hosts(1)), "hosts");
    assert_eq!(sized(Size { gpus: Some(8), ..Size::default() }), "gpus");
    assert_eq!(sized(Size { gpus: Some(20), ..Size::default() }), "gpus");
    assert_eq!(sized(Size { gpus: Some(20), ..hosts(3) }), "gpus");
    assert_eq!(sized(Size { gpus: Some(32), gpus_per_host: Some(4), ..hosts(4) }), "gpus");
    assert_eq!(sized(Size { nics_per_host: Some(0), ..hosts(4) }), "nics_per_host");
    assert_eq!(sized(Size { gpus_per_host: Some(1 << 20), ..hosts(4) }), "gpus_per_host");
    assert_eq!(sized(Size { nics_per_host: Some(u64::MAX), ..hosts(4) }), "hosts");
    assert_eq!(field(leaf(Leaf { ports: Some(0), ..Leaf::default() })), "leaf.ports");
    assert_eq!(field(leaf(Leaf { ports: Some(1), ..Leaf::default() })), "leaf.ports");
    assert_eq!(field(leaf(Leaf { hosts: Some(8), ports: Some(8), ..Leaf::default() })), "leaf.ports");
    assert_eq!(field(leaf(Leaf { count: Some(17), ..Leaf::default() })), "leaf.count");
    assert_eq!(field(leaf(Leaf { count: Some(3), hosts: Some(8), ..Leaf::default() })), "leaf.count");
    assert_eq!(field(leaf(Leaf { rate: Some(Rate::ZERO), ..Leaf::default() })), "leaf.rate");
    assert_eq!(field(leaf(Leaf { uplinks: Some(u64::MAX), ..Leaf::default() })), "oversubscription");
    assert_eq!(field(spine(Spine { count: Some(9), ..Spine::default() })), "spine.count");
    assert_eq!(field(spine(Spine { ports: Some(1), ..Spine::default() })), "spine.ports");
    let contradiction = SpineLeaf { oversubscription: Ratio::new(2, 1), ..base() };
    let leaf = Leaf { hosts: Some(8), uplinks: Some(8), ..Leaf::default() };
    assert_eq!(field(Spec::SpineLeaf(SpineLeaf { leaf, ..contradiction.clone() })), "leaf.uplinks");
    let spine = Spine { count: Some(2), ports: Some(4), ..Spine::default() };
    let leaf = Leaf { hosts: Some(4), ..Leaf::default() };
    let ratio = Ratio::new(1, 1);
    assert_eq!(field(Spec::SpineLeaf(SpineLeaf { leaf, spine, oversubscription: ratio, ..base() })), "spine.count");
    for ratio in [Ratio::new(100, 1), Ratio::new(u64::MAX, 1), Ratio::new(1, u64::MAX), Ratio::new(1, 100_000)] {
        assert_eq!(field(Spec::SpineLeaf(SpineLeaf { oversubscription: ratio, ..base() })), "oversubscription");
    }
    let rails = Leaf { ports: Some(3), ..Leaf::default() };
    assert_eq!(field(Spec::RailOnly(RailOnly { size: hosts(4), leaf: rails, ..RailOnly::default() })), "leaf.ports");
}

#[test]
fn what_makes_no_tree_torus_or_ring_is_refused_with_the_key_at_fault() {
    let tree = |tiers, radix, size| field(Spec::FatTree(FatTree { tiers, radix, size, ..FatTree::default() }));
    let one = Size { gpus_per_host: Some(1), ..Size::default() };
    assert_eq!(tree(4, Some(4), one), "tiers");
    assert_eq!(tree(2, Some(5), one), "radix");
    assert_eq!(tree(2, Some(0), one), "radix");
    assert_eq!(tree(2, Some(u64::MAX - 1), one), "radix");
    assert_eq!(tree(2, None, one), "gpus");
    assert_eq!(tree(2, Some(4), Size { hosts: Some(9), ..one }), "radix");
    assert_eq!(tree(2, Some(4), Size::default()), "radix");
    assert_eq!(tree(3, Some(128), one), "hosts");
    let torus = |dims: &[u64]| {
        let (dims, size, cables) = (dims.to_vec(), Size::default(), Cables::default());
        field(Spec::Torus(Torus { dims, hosts_per_switch: 1, size, cables }))
    };
    assert_eq!(torus(&[]), "dims");
    assert_eq!(torus(&[2, 2, 2, 2]), "dims");
    assert_eq!(torus(&[4, 0]), "dims[1]");
    assert_eq!(torus(&[4, 1]), "dims[1]");
    let ring = |switches, hosts_per_switch, size| {
        field(Spec::Ring(Ring { switches, hosts_per_switch, size, cables: Cables::default() }))
    };
    assert_eq!(ring(1, 1, Size::default()), "switches");
    assert_eq!(ring(4, 0, Size::default()), "hosts_per_switch");
    assert_eq!(ring(4, 2, hosts(4)), "hosts");
}

/// 65,536 NICs on three tiers of 64-port switches.
#[test]
fn eight_thousand_hosts_are_built_and_routed_in_sixty_megabytes() {
    let tree =
        FatTree { size: hosts(8192), attachment: Attachment::Rail, tiers: 3, radix: Some(64), ..FatTree::default() };
    let torus = Torus { dims: vec![16, 16, 32], hosts_per_switch: 1, size: Size::default(), cables: Cables::default() };
    let ring = Ring { switches: 2048, hosts_per_switch: 4, size: Size::default(), cables: Cables::default() };
    for spec in [Spec::FatTree(tree), Spec::Torus(torus), Spec::Ring(ring)] {
        let t = build(&spec, &DEFAULTS).unwrap().topology;
        let names: usize = t.nodes.iter().map(|n| n.name.capacity() + size_of_val(n)).sum();
        let graph = names + size_of_val(&t.ports[..]) + size_of_val(&t.nics[..]);
        let routes = Routes::new(&t, RoutingKind::MinHop).unwrap();
        assert!(graph + routes.memory() < 60_000_000, "{graph} + {} bytes", routes.memory());
        assert!(routes.path(&t, 0, 4096, |_, ways| ways[0]).is_some());
    }
}

#[test]
fn more_switches_than_tables_are_made_for_are_refused() {
    let ring = Ring { switches: 60_000, hosts_per_switch: 1, size: Size::default(), cables: Cables::default() };
    let t = build(&Spec::Ring(ring), &DEFAULTS).unwrap().topology;
    assert!(Routes::new(&t, RoutingKind::MinHop).is_err());
}
