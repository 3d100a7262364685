//! Every generator, over many shapes, proven by the oracle under several timings.

use collective::oracle::{Proof, prove};
use collective::{
    AllToAll, Barrier, Chain, Collective, Exchange, Experts, HalvingDoubling, Layout, Moe, Pipeline, Ring, Routing,
    Schedule, SendRecv, Slicing, Tree,
};
use proptest::prelude::*;
use units::Time;

/// Proven with the first event first, with the last event first, and with `seed`'s timing; all do the same work.
fn proven(schedule: &dyn Schedule, seed: u64) -> Proof {
    let mut state = seed | 1;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let proof = prove(schedule, &mut random).expect("the schedule holds under a random timing");
    assert_eq!(prove(schedule, &mut |_| 0).as_ref(), Ok(&proof));
    assert_eq!(prove(schedule, &mut |n| n - 1).as_ref(), Ok(&proof));
    proof
}

fn total(proof: &Proof) -> u64 {
    proof.sent.iter().sum()
}

/// Any number of ranks up to 64, over hosts of any shape, the last one perhaps partly used.
fn layout() -> impl Strategy<Value = Layout> {
    (1u32..=64, 1u32..=8, 1u32..=4).prop_map(|(ranks, gpus, nics)| Layout::of_ranks(ranks, gpus, nics))
}

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..200, 1u64..100_000]
}

fn slicing() -> impl Strategy<Value = Option<Slicing>> {
    prop::option::of((1u64..2000, 1u32..4).prop_map(|(slice, per_chunk)| Slicing { slice, per_chunk }))
}

fn pipeline(size: u64) -> impl Strategy<Value = Pipeline> {
    (1u64..2000, 1u32..10).prop_map(move |(slice, depth)| Pipeline { slice: slice.max(size / 40), depth })
}

fn exchange() -> impl Strategy<Value = Exchange> {
    prop_oneof![Just(Exchange::Direct), (1u32..70).prop_map(|at_once| Exchange::Pairwise { at_once })]
}

/// Everything we have, for a layout and size.
fn all_schedules(layout: Layout, size: u64) -> Vec<Box<dyn Schedule>> {
    let pipeline = Pipeline { slice: 100, depth: 3 };
    let routing = Routing::balanced(layout.ranks(), 5, 3);
    vec![
        Box::new(Ring::all_reduce(layout, size).with_slicing(Slicing::of(17))),
        Box::new(Ring::reduce_scatter(layout, size)),
        Box::new(Ring::all_gather(layout, size)),
        Box::new(Chain::broadcast(layout, size, layout.ranks() - 1).with_pipeline(pipeline)),
        Box::new(Chain::reduce(layout, size, layout.ranks() / 2).with_pipeline(pipeline)),
        Box::new(Tree::single(layout, size).with_pipeline(pipeline)),
        Box::new(Tree::double(layout, size).with_pipeline(pipeline)),
        Box::new(HalvingDoubling::new(layout, size)),
        Box::new(AllToAll::uniform(layout, size)),
        Box::new(Moe::new(layout, &routing, 7, 14)),
        Box::new(SendRecv::new(layout, size)),
        Box::new(Barrier::new(layout.ranks())),
    ]
}

#[test]
fn every_number_of_ranks_up_to_64() {
    for ranks in 1..=64 {
        for layout in [Layout::flat(ranks), Layout::of_ranks(ranks, 8, 2)] {
            for schedule in all_schedules(layout, 1001) {
                let what = (schedule.collective(), schedule.algorithm());
                assert!(prove(&*schedule, &mut |_| 0).is_ok(), "{what:?} over {ranks} ranks");
            }
        }
    }
}

#[test]
fn a_ring_over_8192_ranks_is_only_arithmetic() {
    let ring = Ring::all_reduce(Layout::new(1024, 8, 8), 1 << 40);
    let last = 2 * 2 * 8191 - 1;
    assert!(ring.op(8191, 7, last).is_some() && ring.op(8191, 7, last + 1).is_none());
    assert_eq!(ring.channels(4711).len(), 8);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rings(layout in layout(), size in size(), channels in 1u32..4, slicing in slicing(), reduce: bool, seed: u64) {
        let slicing = slicing.map(|s| Slicing { slice: s.slice.max(size / 2000), ..s });
        let n = u64::from(layout.ranks());
        for make in [Ring::all_reduce, Ring::reduce_scatter, Ring::all_gather] {
            let mut ring = make(layout, size).with_channels(channels);
            ring = slicing.map_or(ring.clone(), |s| ring.with_slicing(s));
            ring = if reduce { ring.with_reduce() } else { ring };
            let rounds = if ring.collective() == Collective::AllReduce { 2 } else { 1 };
            prop_assert_eq!(total(&proven(&ring, seed)), rounds * (n - 1) * size);
        }
    }

    #[test]
    fn chains(
        layout in layout(), (size, pipeline) in size().prop_flat_map(|s| (Just(s), pipeline(s))),
        channels in 1u32..4, root in 0u32..64, reduce: bool, seed: u64,
    ) {
        let (root, n) = (root % layout.ranks(), u64::from(layout.ranks()));
        for make in [Chain::broadcast, Chain::reduce] {
            let chain = make(layout, size, root).with_channels(channels).with_pipeline(pipeline);
            let chain = if reduce { chain.with_reduce() } else { chain };
            prop_assert_eq!(total(&proven(&chain, seed)), (n - 1) * size);
        }
    }

    #[test]
    fn all_to_alls(layout in layout(), size in size(), exchange in exchange(), pxn: bool, seed: u64) {
        let uniform = AllToAll::uniform(layout, size).with_exchange(exchange);
        let uniform = if pxn { uniform.with_pxn() } else { uniform };
        let own: u64 = (0..layout.ranks()).map(|r| Collective::block(size, layout.ranks(), r)).map(|b| b.end - b.start).sum();
        prop_assert_eq!(total(&proven(&uniform, seed)), u64::from(layout.ranks()) * size - own);

        let amount = |src: u32, dst: u32| (u64::from(src) * 7 + u64::from(dst) * 13 + seed % 11) % 5 * size;
        let variable = AllToAll::variable(layout, amount).with_exchange(exchange);
        let pairs = (0..layout.ranks()).flat_map(|s| (0..layout.ranks()).map(move |d| (s, d)));
        let sent: u64 = pairs.filter(|(s, d)| s != d).map(|(s, d)| amount(s, d)).sum();
        prop_assert_eq!(total(&proven(&variable, seed)), sent);
    }

    #[test]
    fn shifts(layout in layout(), size in size(), shift in 0u32..130, channels in 1u32..4, seed: u64) {
        let schedule = SendRecv::new(layout, size).with_shift(shift).with_channels(channels);
        let n = u64::from(layout.ranks());
        let expected = if shift.is_multiple_of(layout.ranks()) { 0 } else { n * size };
        prop_assert_eq!(total(&proven(&schedule, seed)), expected);
    }

    #[test]
    fn barriers(ranks in 1u32..=130, seed: u64) {
        let rounds = u64::from(ranks.next_power_of_two().trailing_zeros());
        prop_assert_eq!(proven(&Barrier::new(ranks), seed).messages, rounds * u64::from(ranks));
    }

    #[test]
    fn trees(
        layout in layout(), (size, pipeline) in size().prop_flat_map(|s| (Just(s), pipeline(s))),
        channels in 1u32..4, reduce: bool, seed: u64,
    ) {
        for make in [Tree::single, Tree::double] {
            let tree = make(layout, size).with_channels_per_tree(channels).with_pipeline(pipeline);
            let tree = if reduce { tree.with_reduce() } else { tree };
            // Up and down every link of a tree once.
            prop_assert_eq!(total(&proven(&tree, seed)), 2 * (u64::from(layout.ranks()) - 1) * size);
        }
    }

    #[test]
    fn halving_doublings(layout in layout(), size in size(), channels in 1u32..4, reduce: bool, seed: u64) {
        let schedule = HalvingDoubling::new(layout, size).with_channels(channels);
        let schedule = if reduce { schedule.with_reduce() } else { schedule };
        let power = 1 << layout.ranks().ilog2();
        let folds = u64::from(layout.ranks()) - power;
        prop_assert_eq!(total(&proven(&schedule, seed)), 2 * (power - 1) * size + 2 * folds * size);
    }

    #[test]
    fn mixtures_of_experts(
        layout in layout(), exchange in exchange(), tokens in 0u32..20, top_k in 1u32..8, compute in 0u64..2, seed: u64,
    ) {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ (state >> 32)
        };
        let experts = Experts { count: 2 * layout.ranks() + 6, top_k, zipf: 0.8, once_per_rank: seed % 2 == 0 };
        let routing = Routing::draw(layout.ranks(), tokens, experts, &mut random);
        let moe = Moe::new(layout, &routing, 7, 14).with_exchange(exchange).with_compute(Time::from_us(compute));
        let pairs = (0..layout.ranks()).flat_map(|s| (0..layout.ranks()).map(move |d| (s, d)));
        let copies: u64 = pairs.filter(|(s, d)| s != d).map(|(s, d)| routing.copies(s, d)).sum();
        prop_assert_eq!(total(&proven(&moe, seed)), copies * 21);
    }
}
