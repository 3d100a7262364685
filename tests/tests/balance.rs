//! Laws of the group `balance`.

validation::law_tests! {
    balance:
    many_flows_collide_as_balls_in_bins MORE_BINS,
    more_connections_collide_less SPREADING,
    pauses_make_collisions_worse COLLISIONS,
    packets_spread_one_by_one_fill_the_uplinks PERMUTATIONS,
    spare_uplinks_make_room_for_all EVEN,
    short_flows_keep_the_limits_of_another_simulator SHORT_FLOWS,
    a_class_of_its_own_saves_a_victim CLASSES,
}
