//! Laws of the group `determinism`.

validation::law_tests! {
    determinism:
    same_seed_same_run SAME_SEED,
    other_seed_other_run OTHER_SEED,
    recording_changes_nothing RECORDING,
    log_and_heap_agree QUEUES,
    random_networks_conserve CONSERVATION,
    events_per_hop_are_few EVENTS,
}
