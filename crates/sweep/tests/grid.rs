//! Points on all cores: order, accidents, interruption and claims about pairs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use report::{Context, Results, Summary, TopologyNumbers};
use scenario::{Document, Point};
use serde_json::Value as Json;
use sim::{Ending, Outcome, Totals};
use sweep::{End, Ended, Pairs, Row, Threads};
use units::Time;

const FILE: &str = r#"
name: grid
topology: {kind: spine-leaf, gpus: 64}
fabric: ib-ndr
workload: {kind: all-reduce, algorithm: ring, size: 1MiB}
expect:
  - {metric: simulated_s, of: slow, relative_to: fast, within: [1.9, 2.1], source: "twice"}
  - {metric: simulated_s, of: slow, relative_to: fast, at_most: 1.5, when: {workload.size: 1MiB}}
sweep:
  variants: {fast: {fabric.preset: ib-ndr}, slow: {fabric.preset: ib-hdr}}
  axes: {workload.size: [1MiB, 2MiB]}
  seeds: 3
"#;

fn points() -> (Document, Vec<Point>) {
    let document = Document::parse("grid.yaml", FILE).unwrap();
    let points = document.sweep().unwrap().points().collect();
    (document, points)
}

fn summary(point: &Point) -> Summary {
    let base = if point.labels[0].1 == "slow" { 20 } else { 10 };
    let outcome = Outcome {
        ending: Ending::Finished,
        simulated: Time::from_us(base * point.seed),
        last_progress: None,
        measured_from: Time::ZERO,
        steps: Vec::new(),
        flows: Vec::new(),
        ports: Vec::new(),
        series: Vec::new(),
        deadlock: None,
        totals: Totals::default(),
        fingerprint: 0,
        events: 0,
    };
    let context = Context {
        name: "grid".to_string(),
        seed: point.seed,
        version: String::new(),
        fidelity: "packet".to_string(),
        service: "fifo".to_string(),
        topology: TopologyNumbers::default(),
        collective: None,
        classes: Vec::new(),
        switch_ports: Vec::new(),
        records: false,
        warnings: Vec::new(),
    };
    Results::new(outcome, context).summary
}

fn work(point: &Point) -> End {
    let summary = Box::new(summary(point));
    let value = Ok(Json::from(summary.simulated_s));
    End::Ran { summary, compared: vec![value.clone(), value] }
}

fn run(threads: Threads, work: impl Fn(&Point) -> End + Sync) -> Vec<Row> {
    rows(sweep::in_parallel(points().1, threads, &AtomicBool::new(false), work, |_, _| {}))
}

fn rows(ended: Vec<(Point, Ended<End>)>) -> Vec<Row> {
    ended.into_iter().map(|(point, ended)| Row::new(point, ended)).collect()
}

#[test]
fn the_table_does_not_depend_on_the_number_of_threads() {
    let axes = ["variant".to_string(), "workload.size".to_string()];
    let table = |threads| String::from_utf8(sweep::table(&axes, &run(threads, work))).unwrap();
    let one = table(Threads::Count(1));
    assert_eq!(one, table(Threads::Count(4)));
    let lines: Vec<&str> = one.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 2 * 3);
    assert!(lines[0].starts_with("point,variant,workload.size,seed,outcome,fidelity,service,simulated_s,"));
    assert!(lines[1].starts_with("0,fast,1MiB,1,finished,packet,fifo,0.00001,"), "{}", lines[1]);
    assert!(lines[12].starts_with("11,slow,2MiB,3,finished,packet,fifo,0.00006,"), "{}", lines[12]);
}

#[test]
fn a_panic_at_one_point_is_a_row_and_the_others_go_on() {
    let rows = run(Threads::Count(2), |point| match point.index {
        4 => panic!("law {} broken", 7),
        _ => work(point),
    });
    assert_eq!(rows.len(), 12);
    assert_eq!(rows[4].outcome(), "internal_error");
    assert_eq!(rows[4].fault(), Some("law 7 broken"));
    assert!(rows.iter().filter(|row| row.summary().is_some()).count() == 11);
}

#[test]
fn a_stopped_sweep_begins_no_further_point_and_keeps_what_it_has() {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let ended = sweep::in_parallel(
        points().1,
        Threads::Count(1),
        &stop,
        |point| {
            stop.store(point.index == 3, Ordering::Relaxed);
            work(point)
        },
        |_, _| {
            done.fetch_add(1, Ordering::Relaxed);
        },
    );
    let rows = rows(ended);
    assert!(rows[3].summary().is_some());
    assert!(rows.iter().any(|row| row.outcome() == "interrupted"));
    assert_eq!(done.load(Ordering::Relaxed), 12);
}

#[test]
fn variants_are_compared_at_equal_seeds_and_labels() {
    let claims = points().0.check().unwrap().spec.expect;
    let rows = run(Threads::All, work);
    let judged = Pairs::new(&rows).judge(&claims);
    let found: Vec<(&str, bool)> = judged.iter().map(|row| (row.metric.as_str(), row.pass)).collect();
    let expected = [
        ("simulated_s (slow / fast, workload.size=1MiB)", true),
        ("simulated_s (slow / fast, workload.size=2MiB)", true),
        ("simulated_s (slow / fast, workload.size=1MiB)", false),
    ];
    assert_eq!(found, expected);
    assert_eq!(judged[0].actual, Json::from(2.0));
    assert_eq!(judged[0].source.as_deref(), Some("twice"));
}

#[test]
fn a_pair_without_a_result_fails_and_says_which() {
    let claims = points().0.check().unwrap().spec.expect;
    let rows = run(Threads::All, |point| match point.index {
        1 => End::Refused("no".to_string()),
        _ => work(point),
    });
    let judged = Pairs::new(&rows).judge(&claims);
    assert!(!judged[0].pass && judged[0].actual.is_null());
    assert!(judged[0].note.as_ref().unwrap().contains("point 1 has no result (refused)"));
    assert!(judged[1].pass);
}
