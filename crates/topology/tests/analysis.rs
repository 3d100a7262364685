//! What is said about a topology, and which ratios are near the one that was asked.

use topology::{
    Analysis, Attachment, Buildable, FatTree, Leaf, LinkDefaults, Ratio, Size, Spec, Spine, SpineLeaf, build,
    neighbours,
};
use units::{Rate, Time};

const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(400), delay: Time::from_ns(25), loss: 0 };

fn contract() -> SpineLeaf {
    SpineLeaf {
        size: Size { gpus: Some(1024), gpus_per_host: Some(8), nics_per_host: Some(8), ..Size::default() },
        attachment: Attachment::Rail,
        leaf: Leaf { ports: Some(64), rate: Some(Rate::from_gbps(400)), hosts: Some(32), ..Leaf::default() },
        spine: Spine { ports: Some(64), count: Some(16), rate: Some(Rate::from_gbps(400)) },
        oversubscription: Ratio::new(2, 1),
        ..SpineLeaf::default()
    }
}

#[test]
fn a_thousand_gpus_on_rails() {
    let built = build(&Spec::SpineLeaf(contract()), &DEFAULTS).unwrap();
    assert!(built.notes.is_empty(), "{:?}", built.notes);
    let analysis = Analysis::new(&built.topology);
    assert_eq!((analysis.hosts, analysis.gpus, analysis.nics), (128, 1024, 1024));
    assert_eq!((analysis.switches, analysis.cables, analysis.cable_ends), (32 + 16, 1024 + 512, 3072));
    let [leaves, spines] = &analysis.tiers[..] else { panic!("two tiers") };
    assert_eq!((leaves.switches, leaves.ports, leaves.down.count, leaves.up.count), (32, (48, 48), 1024, 512));
    assert_eq!((leaves.worst, leaves.mean, analysis.oversubscription), (Some(2.0), Some(2.0), Some(2.0)));
    assert_eq!((spines.switches, spines.down.count, spines.worst), (16, 512, None));
    assert_eq!(spines.down.rates, [Rate::from_gbps(400)]);
    // Each half has two leaves in each of eight rails, each with 16 uplinks.
    assert_eq!(analysis.bisection.bps, 2 * 8 * 16 * 400_000_000_000);
    assert_eq!(analysis.bisection.injection_bps, 512 * 400_000_000_000);
}

#[test]
fn uplinks_of_another_rate_count_by_bandwidth() {
    let mut spec = contract();
    spec.spine = Spine { rate: Some(Rate::from_gbps(800)), ..Spine::default() };
    let built = build(&Spec::SpineLeaf(spec), &DEFAULTS).unwrap();
    let ratio = built.built.unwrap();
    assert_eq!((ratio.down, ratio.up, ratio.ratio()), (32, 8, 2.0));
    let analysis = Analysis::new(&built.topology);
    assert_eq!(analysis.oversubscription, Some(2.0));
    assert_eq!(analysis.tiers[0].up.rates, [Rate::from_gbps(800)]);
}

#[test]
fn a_last_leaf_with_fewer_hosts_is_stated_and_counted() {
    let mut spec = contract();
    spec.size.gpus = Some(800);
    let built = build(&Spec::SpineLeaf(spec), &DEFAULTS).unwrap();
    assert_eq!(built.notes, ["the last leaf of each rail has 4 of 32 hosts"]);
    let analysis = Analysis::new(&built.topology);
    assert_eq!(analysis.tiers[0].ports, (20, 48));
    assert_eq!(analysis.tiers[0].worst, Some(2.0));
    assert_eq!(analysis.tiers[0].mean, Some(800.0 / 512.0));
}

#[test]
fn nearby_ratios_come_with_what_they_take() {
    let mut spec = contract();
    spec.leaf.hosts = None;
    spec.spine.count = None;
    spec.oversubscription = "1.5:1".parse().ok();
    let near = neighbours(&spec, &DEFAULTS).unwrap();
    let chosen: Vec<&Buildable> = near.iter().filter(|b| b.chosen).collect();
    assert_eq!((chosen.len(), chosen[0].down, chosen[0].up, chosen[0].leaves), (1, 38, 25, 32));
    assert!(near.windows(2).all(|w| w[0].ratio < w[1].ratio));
    assert!(near[0].ratio < 1.5 && near[near.len() - 1].ratio > 1.52);
    assert_eq!(near.len(), 9);
    for other in near.iter().filter(|b| !b.chosen) {
        assert!(other.down + other.up <= 64);
        let mut again = spec.clone();
        again.oversubscription = None;
        again.leaf.hosts = Some(other.down);
        again.leaf.uplinks = Some(other.up);
        let t = build(&Spec::SpineLeaf(again), &DEFAULTS).unwrap().topology;
        assert_eq!(u64::from(t.switches()), other.leaves + other.spines);
        assert_eq!(u64::from(t.cables()), other.cables);
    }
}

#[test]
fn a_pruned_tree_says_what_was_left_out() {
    let size = Size { hosts: Some(20), gpus_per_host: Some(1), ..Size::default() };
    let tree = |radix| FatTree { size, tiers: 3, radix, ..FatTree::default() };
    let built = build(&Spec::FatTree(tree(Some(4))), &DEFAULTS);
    assert_eq!(built.unwrap_err()[0].field, "radix");
    let built = build(&Spec::FatTree(tree(Some(6))), &DEFAULTS).unwrap();
    let analysis = Analysis::new(&built.topology);
    let switches: Vec<u64> = analysis.tiers.iter().map(|t| t.switches).collect();
    // Seven leaves of three hosts in three pods of three middle switches; three links from each pod to a core would
    // take nine of its six ports, so each has one.
    assert_eq!(switches, [7, 9, 9]);
    assert_eq!(
        built.notes,
        [
            "pruned to 7 of the 18 leaves of a full tree of radix 6",
            "the last of 3 pods has 1 of 3 leaves",
            "the last leaf has 2 of 3 hosts"
        ]
    );
    let built = build(&Spec::FatTree(tree(None)), &DEFAULTS).unwrap();
    assert_eq!(built.notes[0], "radix 6: the smallest that carries the hosts");
}

#[test]
fn text_for_graphviz_has_every_node_and_parallel_links_as_one() {
    let spec = SpineLeaf {
        size: Size { hosts: Some(4), gpus_per_host: Some(2), ..Size::default() },
        attachment: Attachment::Packed,
        leaf: Leaf { hosts: Some(2), ..Leaf::default() },
        spine: Spine { count: Some(2), ..Spine::default() },
        ..SpineLeaf::default()
    };
    let dot = build(&Spec::SpineLeaf(spec), &DEFAULTS).unwrap().topology.dot();
    assert_eq!(dot.matches(" -- ").count(), 4 + 4);
    assert!(dot.contains("\"h0\" -- \"leaf0\" [label=\"2 x 400G\"];"), "{dot}");
    assert!(dot.contains("\"leaf1\" -- \"spine1\" [label=\"2 x 400G\"];"), "{dot}");
    assert!(dot.contains("{ rank=source; \"spine0\"; \"spine1\" }"), "{dot}");
}
