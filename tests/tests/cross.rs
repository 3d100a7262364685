//! Laws of the group `cross`.

validation::law_tests! {
    cross:
    a_pool_is_shared_as_its_alpha_says DYNAMIC_THRESHOLDS,
    an_idle_path_agrees_with_another_simulator FOUR_HOPS,
    an_incast_agrees_with_another_simulator WIDE_INCAST,
}
