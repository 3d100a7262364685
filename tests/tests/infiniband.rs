//! Laws of credits and of InfiniBand beside RoCE.

validation::law_tests! {
    infiniband:
    a_credit_loop_is_exact CREDITS,
    credits_limit_throughput CREDIT_RATE,
    the_window_limits_any_buffer WINDOW,
    only_the_long_cable_is_slow LONG_CABLE,
    lossless_is_lossy_where_nothing_fills LOSSLESS_IS_LOSSLESS,
    roce_and_infiniband_differ_by_overhead OVERHEAD_ONLY,
}
