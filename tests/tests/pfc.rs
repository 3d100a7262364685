//! Laws of priority flow control.

validation::law_tests! {
    pfc:
    a_pause_ends_after_its_quanta EXPIRY,
    a_frame_with_time_zero_lets_go_on RESUME,
    refreshes_hold_a_pause REFRESH,
    overshoot_is_within_its_bounds OVERSHOOT,
    headroom_decides_about_loss HEADROOM,
    automatic_headroom_loses_nothing AUTO_HEADROOM,
    without_headroom_it_loses_and_pauses NO_HEADROOM,
    a_victim_shares_the_fate_of_its_link VICTIM,
    an_incast_ends_when_the_last_link_has_carried_it INCAST,
}
