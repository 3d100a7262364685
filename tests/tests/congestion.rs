//! Laws of the group `congestion`.

validation::law_tests! {
    congestion:
    dcqcn_settles_at_its_fixed_point FIXED_POINT,
    more_flows_need_more_marks MARKING_GROWS,
    dcqcn_relieves_a_victim VICTIM,
    marks_come_before_pauses THRESHOLDS_IN_ORDER,
    marks_fall_where_the_queue_is_looked_at WHERE_TO_MARK,
}
