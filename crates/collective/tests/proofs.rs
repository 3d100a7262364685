//! Every generator, over many shapes, proven by the oracle under several timings.

use collective::oracle::{Proof, prove};
use collective::{Collective, Layout, Ring, Schedule, Slicing};
use proptest::prelude::*;

/// Proven with the first event first, with the last event first, and with `seed`'s timing; all do the same work.
fn proven(schedule: &dyn Schedule, seed: u64) -> Proof {
    let mut state = seed | 1;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let proof = prove(schedule, &mut random).unwrap();
    assert_eq!(prove(schedule, &mut |_| 0).unwrap(), proof);
    assert_eq!(prove(schedule, &mut |n| n - 1).unwrap(), proof);
    proof
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rings(layout in layout(), size in size(), channels in 1u32..4, slicing in slicing(), reduce: bool, seed: u64) {
        let slicing = slicing.map(|s| Slicing { slice: s.slice.max(size / 2000), ..s });
        let n = u64::from(layout.ranks());
        for make in [Ring::all_reduce, Ring::reduce_scatter, Ring::all_gather] {
            let mut ring = make(layout, size).with_channels(channels);
            ring = slicing.map_or(ring.clone(), |s| ring.with_slicing(s));
            ring = if reduce { ring.with_reduce() } else { ring };
            let rounds = if ring.collective() == Collective::AllReduce { 2 } else { 1 };
            prop_assert_eq!(proven(&ring, seed).sent.iter().sum::<u64>(), rounds * (n - 1) * size);
        }
    }
}
