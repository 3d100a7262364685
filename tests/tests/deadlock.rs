//! Rings that deadlock and rings that do not.

validation::law_tests! {
    deadlock:
    two_flows_on_a_ring_go_on TWO_FLOWS,
    a_third_flow_stops_the_ring THIRD_FLOW,
    rings_under_credits CREDIT_RING,
    rings_under_pfc PAUSE_RING,
    five_switches_stop_at_once FIVE_SWITCHES,
    without_a_cycle_all_go_on NO_CYCLE,
}
