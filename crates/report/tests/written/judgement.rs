//! Expectations are looked up by name in the summary and the tables.

use crate::sample;

use report::{Condition, Expectation, Results, Tables, Value, expectation_table};
use serde_json::json;

fn find(metric: &str) -> Result<serde_json::Value, String> {
    let (outcome, context) = (sample::outcome(), sample::context());
    let summary = Results::new(outcome.clone(), context.clone()).summary;
    Tables::new(&outcome, &context, &summary).find(metric)
}

fn expectation(metric: &str, condition: Condition) -> Expectation {
    Expectation { metric: metric.to_string(), condition, source: None }
}

#[test]
fn names_reach_into_the_summary_and_the_tables() {
    assert_eq!(find("outcome"), Ok(json!("time_limit")));
    assert_eq!(find("deadlock.detected"), Ok(json!(false)));
    assert_eq!(find("network.lossless_drops"), Ok(json!(4)));
    assert_eq!(find("flows.by_size.0.to_bytes"), Ok(json!(10_000)));
    assert_eq!(find("flow.f1.goodput_bps"), Ok(json!(8e9)));
    assert_eq!(find("flow.f.2.retransmitted_packets"), Ok(json!(2)));
    assert_eq!(find("flow.f.2.fct_s"), Ok(json!(null)));
}

#[test]
fn a_port_stands_for_all_its_classes_unless_one_is_named() {
    assert_eq!(find("port.s->h1.bytes"), Ok(json!(250_084)));
    assert_eq!(find("port.s->h1.mean_wait_s"), Ok(json!(41e-6 / 5.0)));
    assert_eq!(find("port.s->h1 class 3.bytes"), Ok(json!(200_000)));
    assert_eq!(find("port.s->h1 control.packets"), Ok(json!(50)));
    assert!(find("port.s->h1 class 5.bytes").unwrap_err().contains("control, 3"));
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    assert!(find("steps.p5_s").unwrap_err().contains("did you mean `steps.p50_s`"));
    assert!(find("flow.f3.goodput_bps").unwrap_err().contains("there is no flow `f3`"));
    assert!(find("flow.f1.goodput").unwrap_err().contains("did you mean `goodput_bps`"));
    assert!(find("port.s->h3.bytes").unwrap_err().contains("did you mean `s->h"));
    assert!(find("steps").unwrap_err().contains("not a single value"));
    assert!(find("flow.f1").unwrap_err().contains("names no column"));
    assert!(find("xyzzy").is_err());
}

#[test]
fn what_cannot_be_compared_fails_and_says_why() {
    let mut results = Results::new(sample::outcome(), sample::context());
    results.judge(&[
        expectation("network.drops", Condition::Equals(Value::Number(36.0), 0.0)),
        expectation("steps.p50_s", Condition::AtMost(1e-3)),
        expectation("netwrk.drops", Condition::Equals(Value::Number(0.0), 0.0)),
        expectation("outcome", Condition::Equals(Value::Number(1.0), 0.0)),
    ]);
    let rows = &results.summary.expectations;
    assert_eq!(rows.iter().map(|row| row.pass).collect::<Vec<_>>(), [true, false, false, false]);
    assert!(!results.pass());
    assert_eq!(results.summary.warnings.len(), 1 + 3);
    assert!(results.summary.warnings[2].contains("did you mean `network.drops`"));
    let near = expectation("network.drops", Condition::Equals(Value::Number(35.0), 0.05));
    results.judge(&[near]);
    let rows = &results.summary.expectations;
    let table = expectation_table(rows);
    assert!(table.contains("equals 35 +-5 %"), "{table}");
    assert!(table.contains("pass") && table.contains("FAIL") && table.contains("has no value in this run"), "{table}");
    let row = serde_json::to_value(&rows[0]).unwrap();
    let expected =
        json!({"metric": "network.drops", "op": "equals", "value": 36, "actual": 36, "pass": true, "source": null});
    assert_eq!(row, expected);
}
