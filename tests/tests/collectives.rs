//! Laws of the group `collectives`.

validation::law_tests! {
    collectives:
    ring_all_reduce_takes_its_time RING,
    reduce_scatter_and_all_gather_are_halves HALVES,
    pairwise_exchange EXCHANGE,
    a_half_rate_nic_halves_bus_bandwidth HALF_RATE,
    a_straggler_makes_all_wait STRAGGLER,
    jitter_is_the_largest_of_all JITTER,
}
