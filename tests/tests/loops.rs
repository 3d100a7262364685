//! Laws of the group `loops`.

validation::law_tests! {
    loops:
    a_loop_deadlocks_above_its_threshold LOOP_THRESHOLD,
    time_to_deadlock_falls_with_the_excess LOOP_ONSET,
    a_slow_third_flow_stops_the_ring_later START_PHASES,
    a_deadlock_does_not_pass PERSISTENCE,
}
