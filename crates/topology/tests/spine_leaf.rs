//! Spine-leaf fabrics: sizes, ratios, what is stated and what is refused.

use topology::{
    Attachment, Built, Leaf, LinkDefaults, Ratio, Routes, RoutingKind, Size, Spec, Spine, SpineLeaf, build,
};
use units::{Rate, Time};

const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(400), delay: Time::from_ns(25), loss: 0 };

fn built(spec: SpineLeaf) -> Built {
    build(&Spec::SpineLeaf(spec), &DEFAULTS).expect("builds")
}

fn quickstart() -> SpineLeaf {
    SpineLeaf {
        size: Size { gpus: Some(64), ..Size::default() },
        attachment: Attachment::Packed,
        oversubscription: Ratio::new(2, 1),
        ..SpineLeaf::default()
    }
}

#[test]
fn quickstart_has_two_hosts_a_leaf() {
    let built = built(quickstart());
    let t = &built.topology;
    assert_eq!((t.hosts(), t.gpus(), t.switches(), t.cables()), (8, 64, 4 + 4, 64 + 4 * 8));
    assert_eq!(built.built.unwrap().ratio(), 2.0);
    assert!(built.notes.is_empty(), "{:?}", built.notes);
    let leaf = |host: &str, nic| t.neighbour(t.nics[t.host_nic(t.node(host).unwrap(), nic).unwrap() as usize]);
    assert_eq!(leaf("h0", 0), leaf("h1", 7));
    assert_ne!(leaf("h1", 0), leaf("h2", 0));
    assert_eq!(t.port_name(t.port("leaf0->spine1").unwrap()), "leaf0->spine1");
    assert_eq!(t.port_name(t.port("leaf0->spine1#2").unwrap()), "leaf0->spine1#2");
    assert_eq!(t.port("leaf0->spine1#3"), None);
    let routes = Routes::new(t, RoutingKind::MinHop).unwrap();
    let leaf0 = t.node("leaf0").unwrap();
    assert_eq!(routes.next_hops(leaf0, 63).len(), 8);
    assert_eq!(routes.next_hops(leaf0, 9), &[9]);
    let path = routes.path(t, 0, 63, |_, ways| ways[ways.len() - 1]).unwrap();
    let names: Vec<_> = path.iter().map(|p| t.port_name(*p)).collect();
    assert_eq!(names, ["h0->leaf0", "leaf0->spine3#2", "spine3->leaf3#2", "leaf3->h7#8"]);
}

/// The table of ratios that 64-port leaves give: down links, up links.
#[test]
fn ports_are_divided_as_near_to_the_ratio_as_they_allow() {
    let table =
        [((1, 1), 32, 32, 32), ((3, 2), 38, 25, 27), ((2, 1), 42, 21, 25), ((3, 1), 48, 16, 22), ((4, 1), 51, 12, 21)];
    for ((left, right), down, up, leaves) in table {
        let built = built(SpineLeaf {
            size: Size { hosts: Some(1024), gpus_per_host: Some(1), ..Size::default() },
            leaf: Leaf { ports: Some(64), ..Leaf::default() },
            spine: Spine { ports: Some(64), ..Spine::default() },
            oversubscription: Ratio::new(left, right),
            ..SpineLeaf::default()
        });
        let ratio = built.built.unwrap();
        assert_eq!((ratio.down, ratio.up), (down, up), "{left}:{right}");
        let t = &built.topology;
        assert_eq!(t.switch_ids().filter(|s| t.tier(*s) == Some(0)).count(), leaves, "{left}:{right}");
        assert_eq!(u64::from(t.cables()), 1024 + leaves as u64 * up);
        println!("{left}:{right} {} spines {:?}", t.switches() as usize - leaves, built.notes);
    }
}
