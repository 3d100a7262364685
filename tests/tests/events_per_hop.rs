//! The cost of a packet-hop in engine events: a count that no machine changes. Events that double with the same results
//! show nowhere else.

use sim::{Ending, Outcome};
use validation::run;

fn events_per_hop(outcome: &Outcome) -> f64 {
    assert_eq!(outcome.ending, Ending::Finished);
    assert!(outcome.totals.packet_hops > 10_000, "{} packet-hops say little", outcome.totals.packet_hops);
    outcome.events as f64 / outcome.totals.packet_hops as f64
}

fn permutation(fabric: &str) -> Outcome {
    run(&format!(
        "name: permutation\n\
         topology: {{kind: spine-leaf, hosts: 32, gpus_per_host: 1, nics_per_host: 1, leaf: {{hosts: 4, uplinks: 4}}}}\n\
         fabric: {fabric}\n\
         workload: {{kind: flows, pattern: permutation, size: 512KiB}}\n"
    ))
}

#[test]
fn a_hop_under_pfc_is_its_arrival_and_its_free_line() {
    let events = events_per_hop(&permutation("{preset: roce-400g, link: {delay: 500ns}}"));
    assert!(events < 2.05, "{events:.3} events a packet-hop");
}

#[test]
fn starved_ports_are_woken_once() {
    let events = events_per_hop(&permutation("{preset: ib-ndr, link: {delay: 500ns}}"));
    assert!(events < 2.3, "{events:.3} events a packet-hop");
}

#[test]
fn store_and_forward_and_rates_that_differ_cost_no_more() {
    let switch = "switch: {forwarding: store-and-forward}";
    let events = events_per_hop(&permutation(&format!("{{preset: roce-400g, {switch}}}")));
    assert!(events < 2.05, "{events:.3} events a packet-hop");
}

/// Timers of the algorithm are caught up with when a packet is sent; what is left is the pace of each packet.
#[test]
fn dcqcn_ends_and_costs_at_most_a_fifth_more_events() {
    let incast = |control: &str| {
        run(&format!(
            "name: incast\n\
             topology: {{kind: spine-leaf, hosts: 9, gpus_per_host: 1, nics_per_host: 1, leaf: {{hosts: 9}}}}\n\
             fabric: {{preset: roce-100g, {control}}}\n\
             workload: {{kind: flows, pattern: incast, size: 4MiB}}\n"
        ))
    };
    let none = events_per_hop(&incast("congestion_control: none"));
    let outcome = incast("ecn: {kmin: 40KB, kmax: 160KB, pmax: 20%}, congestion_control: dcqcn");
    let marks: u64 = outcome.ports.iter().flat_map(|port| &port.classes).map(|class| class.marks).sum();
    assert!(marks > 0, "without marks nothing is shown");
    let dcqcn = events_per_hop(&outcome);
    assert!(dcqcn <= 1.2 * none, "{dcqcn:.3} events a packet-hop against {none:.3}");
}

/// Posts, transfers inside the hosts and timers of compute phases are events too, and belong to few hops.
#[test]
fn a_ring_over_nvlink_and_network_stays_below_three() {
    let outcome = run("name: ring\n\
         topology: {kind: spine-leaf, gpus: 64, attachment: packed, leaf: {hosts: 2}, oversubscription: \"2:1\"}\n\
         fabric: ib-ndr\n\
         host: {preset: dgx-h100, jitter: {lognormal: {sigma: 5%}}}\n\
         workload: {kind: all-reduce, algorithm: ring, size: 4MiB, compute: 200us}\n\
         run: {steps: 2, warmup: 0}\n");
    let events = events_per_hop(&outcome);
    assert!(events < 3.0, "{events:.3} events a packet-hop");
}
