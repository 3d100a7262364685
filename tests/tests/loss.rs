//! Laws of the group `loss`.

validation::law_tests! {
    loss:
    go_back_n_loses_what_the_window_holds GO_BACK_N,
    every_nth_packet_lost EVERY_NTH,
    all_flows_end_on_lossy_links ALL_END,
    links_damage_their_share DAMAGE_IS_COUNTED,
}
