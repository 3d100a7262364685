//! The files of a run: names, keys, columns and their order are what users rely on.

use crate::sample;

use std::fs;
use std::path::PathBuf;

use report::{Results, RunRecord, write_folder};
use serde_json::Value;

const SUMMARY: &str = include_str!("golden/summary.json");

fn results() -> Results {
    let mut outcome = sample::outcome();
    outcome.steps = sample::steps(4);
    let mut context = sample::context();
    context.collective = Some(sample::collective());
    Results::new(outcome, context)
}

fn file(results: &Results, name: &str) -> String {
    let record = RunRecord::new(&results.outcome, "0.1.0");
    let files = results.files("name: sample\n", &record);
    let (_, bytes) = files.into_iter().find(|(known, _)| *known == name).expect("the file is written");
    String::from_utf8(bytes).expect("files are text")
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("report-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

#[test]
fn the_summary_has_these_keys_in_this_order() {
    assert_eq!(file(&results(), "summary.json"), SUMMARY);
}

#[test]
fn tables_have_these_columns() {
    let mut results = results();
    results.context.records = true;
    results.outcome.series = vec![sample::sample()];
    let lines = |name: &str| file(&results, name).lines().map(str::to_string).collect::<Vec<_>>();
    assert_eq!(
        lines("steps.csv")[..2],
        [
            "step,job,start_s,end_s,time_s,compute_s,exposed_comm_s,slowest_rank",
            "0,main,0.0,0.0001,0.0001,5e-6,0.0001,0",
        ]
    );
    assert_eq!(
        lines("flows.csv"),
        [
            "flow,src,dst,size_bytes,start_s,end_s,fct_s,fct_acked_s,goodput_bps,ideal_fct_s,slowdown,\
             retransmitted_packets,timeouts,ecn_marks",
            "f1,h0,h1,10000,1e-6,0.000011,0.00001,0.000012,8000000000.0,5e-6,2.0,2,1,0",
            "f.2,h0,h1,,1e-6,,,,2000000000.0,,,2,1,0",
        ]
    );
    let ports = lines("ports.csv");
    assert_eq!(ports.len(), 1 + 4 * 2);
    assert_eq!(
        ports[..3],
        [
            "port,class,rate_bps,bytes,packets,utilisation,max_queue_bytes,mean_wait_s,max_wait_s,pause_sent,\
             pause_received,paused_s,credit_stall_s,drops,ecn_marks",
            "h0->s,control,40000000000,50000,50,0.1,0,1e-6,0.0,0,0,0.0,0.0,0,0",
            "h0->s,3,40000000000,200000,200,0.4,0,0.00001,0.00002,3,0,6e-6,7e-6,9,0",
        ]
    );
    assert_eq!(lines("series.csv"), ["t_s,port,class,quantity,value", "1e-6,s->h1,3,queue_bytes,4096"]);
}

#[test]
fn tables_without_rows_have_their_heading() {
    let mut results = results();
    results.outcome.steps.clear();
    assert_eq!(file(&results, "steps.csv").lines().count(), 1);
}

#[test]
fn the_run_record_has_its_keys() {
    let record: Value = serde_json::from_str(&file(&results(), "run.json")).unwrap();
    let mut keys: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "cpu_s",
        "events",
        "events_per_hop",
        "fingerprint",
        "packet_hops",
        "peak_memory_bytes",
        "preset_sha256",
        "scenario_sha256",
        "threads",
        "version",
        "wall_s",
    ];
    assert_eq!(keys, expected);
    assert_eq!(record["fingerprint"], "0000000000000abc");
    assert_eq!(record["events_per_hop"], 2.5);
}

#[test]
fn a_folder_holds_one_run_only() {
    let path = folder("stale");
    let mut recorded = results();
    recorded.context.records = true;
    let record = RunRecord::new(&recorded.outcome, "0.1.0");
    recorded.write(&path, "a: 1\n", &record).unwrap();
    assert!(path.join("series.csv").exists());
    fs::write(path.join("notes.txt"), "mine").unwrap();
    results().write(&path, "a: 2\n", &record).unwrap();
    let mut names: Vec<String> =
        fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    let expected = [
        "flows.csv",
        "notes.txt",
        "ports.csv",
        "reasons.csv",
        "run.json",
        "scenario.yaml",
        "steps.csv",
        "summary.json",
    ];
    assert_eq!(names, expected);
    assert_eq!(fs::read_to_string(path.join("scenario.yaml")).unwrap(), "a: 2\n");
    fs::remove_dir_all(path).unwrap();
}

#[test]
fn a_failed_write_leaves_the_old_files_and_no_new_folder() {
    let path = folder("failed");
    write_folder(&path, &[("a.txt", b"old".to_vec())], &[]).unwrap();
    // The second name leads into a folder that does not exist, so staging fails.
    let bad = [("a.txt", b"new".to_vec()), ("none/b.txt", b"x".to_vec())];
    assert!(write_folder(&path, &bad, &["a.txt"]).is_err());
    assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "old");
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
    fs::remove_dir_all(&path).unwrap();
    assert!(write_folder(&path, &bad, &[]).is_err());
    assert!(!path.exists());
}
