//! Laws of the group `trees`.

validation::law_tests! {
    trees:
    inner_nodes_of_a_tree_carry_the_most BANDWIDTH,
    a_tree_is_as_slow_as_it_is_deep LATENCY,
    the_ring_overtakes_the_tree_once CROSSOVER,
    a_tree_between_two_nodes_sends_half TWO_NODES,
}
