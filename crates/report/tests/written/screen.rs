//! What a terminal shows.

use crate::sample;

use report::{GridRow, Results, RunRecord, grid_csv, screen};

fn collective() -> Results {
    let mut outcome = sample::outcome();
    outcome.ending = sim::Ending::Finished;
    outcome.steps = sample::steps(20);
    let mut context = sample::context();
    context.collective = Some(sample::collective());
    Results::new(outcome, context)
}

#[test]
fn the_page_is_plain_text_and_names_what_matters() {
    let results = collective();
    let record = RunRecord::new(&results.outcome, "0.1.0");
    let page = screen(&results, &record, Some("results/sample"));
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()), "{page}");
    for part in [
        "sample: finished after 100.0 us of simulated time",
        "p50 109.0 us   p95 118.0 us   p99 119.0 us   max 119.0 us",
        "all-reduce (ring) of 1.000 MB over 4 ranks: 100.0 us (closed form 90.00 us, +11.1 %)",
        "algbw 10.00 GB/s, busbw 15.00 GB/s",
        "36 (4 in a lossless class, for lack of headroom); 4 packets sent again, 2 timeouts",
        "12 PAUSE frames, 24.00 us paused in all, most at h0->s (6.000 us)",
        "28.00 us in all, most at h0->s (7.000 us)",
        "h0->s, 50.0 % of its rate",
        "100 packet-hops, 250 events (2.50 a packet-hop)",
        "results/sample",
        "warning: a doubt",
    ] {
        assert!(page.contains(part), "no `{part}` in\n{page}");
    }
    assert_eq!(page.matches(" |#").count(), 8, "{page}");
}

#[test]
fn a_grid_has_a_row_a_point_and_names_its_metrics() {
    let results = collective();
    let labels = ["workload.size".to_string()];
    let (small, large) = (["64MiB".to_string()], ["1GiB".to_string()]);
    let row = |point, labels, summary, outcome| GridRow { point, labels, seed: 7, outcome, summary };
    let rows = [row(0, &small[..], Some(&results.summary), "finished"), row(1, &large[..], None, "internal error: x")];
    let text = String::from_utf8(grid_csv(&labels, &rows)).unwrap();
    let mut reader = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (head, first, second) = (reader.next().unwrap(), reader.next().unwrap(), reader.next().unwrap());
    assert_eq!(head[..6], ["point", "workload.size", "seed", "outcome", "fidelity", "service"]);
    let column = |name: &str| head.iter().position(|known| *known == name).unwrap();
    assert_eq!(first[column("steps.p50_s")], "0.000109");
    assert_eq!(first[column("collectives.0.busbw_bytes_per_s")], "15000000000.0");
    assert_eq!(first[column("deadlock.onset_s")], "");
    assert!(!head.iter().any(|name| name.starts_with("warnings") || name.starts_with("flows.by_size")));
    assert_eq!(second[..5], ["1", "1GiB", "7", "internal error: x", ""]);
}
