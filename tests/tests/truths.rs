//! Laws of any network.

validation::law_tests! {
    truths:
    idle_path_latency_is_exact IDLE_PATH,
    idle_path_latency_is_exact_where_rates_differ MIXED_RATES,
    nic_latency_counts_at_both_ends NIC_LATENCY,
    poisson_arrivals_wait_as_md1_says WAITING,
    headers_cost_what_they_weigh EFFICIENCY,
    roce_takes_the_largest_mtu_that_fits IP_MTU,
}
