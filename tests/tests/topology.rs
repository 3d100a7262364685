//! Laws of the group `topology`.

validation::law_tests! {
    topology:
    shifts_meet_no_other_flow SHIFTS,
    flows_collide_as_balls_in_bins ECMP,
}
