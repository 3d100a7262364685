//! Graphs written down by hand, and what is wrong with them.

use topology::{Custom, CustomHost, CustomLink, LinkDefaults, NodeKind, Routes, RoutingKind, Spec, build};
use units::{Rate, Time};

const DEFAULTS: LinkDefaults = LinkDefaults { rate: Rate::from_gbps(40), delay: Time::from_us(1), loss: 5 };

fn host(name: &str) -> CustomHost {
    CustomHost { name: name.to_owned(), nics: None, gpus: 1 }
}

fn link(a: &str, b: &str) -> CustomLink {
    CustomLink { a: a.to_owned(), b: b.to_owned(), rate: None, delay: None, loss: None, count: 1 }
}

fn errors(spec: Custom) -> Vec<(String, String)> {
    let errors = build(&Spec::Custom(spec), &DEFAULTS).expect_err("is refused");
    errors.into_iter().map(|e| (e.field, e.unknown.unwrap_or_default())).collect()
}

#[test]
fn nics_are_a_hosts_links_in_order_of_appearance() {
    let spec = Custom {
        switches: vec!["S".into(), "T".into(), "U".into()],
        hosts: vec![host("x"), host("y")],
        links: vec![
            link("S", "T"),
            link("y", "T"),
            CustomLink {
                count: 2,
                rate: Some(Rate::from_gbps(100)),
                delay: Some(Time::from_ns(5)),
                loss: Some(0),
                ..link("S", "x")
            },
            link("x", "y"),
            link("T", "U"),
        ],
    };
    let built = build(&Spec::Custom(spec), &DEFAULTS).unwrap();
    let t = &built.topology;
    let ends: Vec<String> = t.nics.iter().map(|n| t.port_name(*n)).collect();
    assert_eq!(ends, ["x->S", "x->S#2", "x->y", "y->T", "y->x"]);
    assert_eq!(t.port("x.nic1->S"), t.port("x->S#2"));
    assert_eq!(t.port("S->x.nic1"), t.port("S->x#2"));
    assert_eq!(t.port("x->S#1"), t.port("x->S"));
    assert_eq!((t.port("x->S#0"), t.port("x->Q"), t.port("x.nic7->S"), t.port("S->S")), (None, None, None, None));
    let fast = &t.ports[t.nics[1].index()];
    assert_eq!((fast.rate, fast.delay, fast.loss), (Rate::from_gbps(100), Time::from_ns(5), 0));
    let plain = &t.ports[t.nics[2].index()];
    assert_eq!((plain.rate, plain.delay, plain.loss), (DEFAULTS.rate, DEFAULTS.delay, 5));
    let tier = |name: &str| t.nodes[t.node(name).unwrap().index()].kind;
    assert_eq!(tier("T"), NodeKind::Switch { tier: 0 });
    assert_eq!(tier("U"), NodeKind::Switch { tier: 1 });
    // x's third NIC is cabled straight to y's second: reached from there and from nowhere else.
    let routes = Routes::new(t, RoutingKind::MinHop).unwrap();
    assert_eq!(routes.path(t, 2, 4, |_, ways| ways[0]).unwrap(), [t.nics[2]]);
    assert_eq!(routes.path(t, 0, 4, |_, ways| ways[0]), None);
    assert_eq!(routes.path(t, 2, 3, |_, ways| ways[0]), None);
    assert_eq!(routes.path(t, 0, 3, |_, ways| ways[0]).unwrap().len(), 3);
    assert_eq!(routes.path(t, 0, 3, |_, _| 9), None);
    assert!(built.notes.is_empty());
}

#[test]
fn everything_wrong_is_said_at_once() {
    let spec = Custom {
        switches: vec!["A".into(), "A".into(), "B->C".into()],
        hosts: vec![host("h"), CustomHost { nics: Some(3), ..host("i") }, host("lonely")],
        links: vec![
            link("h", "A"),
            link("i", "a"),
            link("A", "A"),
            CustomLink { count: 0, ..link("i", "A") },
            link("i", "A"),
        ],
    };
    let expected = [
        ("switches[1]", ""),
        ("switches[2]", ""),
        ("links[1].b", "a"),
        ("links[2]", ""),
        ("links[3].count", ""),
        ("hosts[1].nics", ""),
        ("hosts[2]", ""),
    ];
    let expected: Vec<(String, String)> = expected.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    assert_eq!(errors(spec), expected);
}

#[test]
fn too_few_hosts_and_too_many_cables_are_refused() {
    assert_eq!(errors(Custom::default())[0].0, "hosts");
    let one = Custom { switches: vec!["S".into()], hosts: vec![host("h")], links: vec![link("h", "S")] };
    assert_eq!(errors(one)[0].0, "hosts");
    for count in [70_000, 2_000_000, u64::MAX] {
        let links =
            vec![link("h", "i"), CustomLink { count, ..link("S", "T") }, CustomLink { count, ..link("S", "T") }];
        let spec = Custom { switches: vec!["S".into(), "T".into()], hosts: vec![host("h"), host("i")], links };
        assert_eq!(errors(spec).len(), 1);
    }
    let still = Custom {
        hosts: vec![host("h"), host("i")],
        links: vec![CustomLink { delay: Some(Time::ZERO), rate: Some(Rate::ZERO), ..link("h", "i") }],
        ..Custom::default()
    };
    assert_eq!(errors(still), [("links[0].rate".to_owned(), String::new())]);
}

#[test]
fn parts_that_cannot_reach_each_other_are_noted() {
    let spec = Custom {
        switches: vec!["S".into(), "T".into()],
        hosts: vec![host("h"), host("i")],
        links: vec![link("h", "S"), link("i", "T")],
    };
    let built = build(&Spec::Custom(spec), &DEFAULTS).unwrap();
    assert_eq!(built.notes.len(), 1);
    let routes = Routes::new(&built.topology, RoutingKind::UpDown { roots: Vec::new() }).unwrap();
    assert!(routes.next_hops(built.topology.node("S").unwrap(), 1).is_empty());
    assert_eq!(routes.path(&built.topology, 0, 1, |_, ways| ways[0]), None);
}
