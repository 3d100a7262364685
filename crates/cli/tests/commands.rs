//! The commands as a user meets them: output, files and exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const FLOW: &str = r#"
name: one-flow
topology: {kind: custom, switches: [S], hosts: [hA, hB], links: [[hA, S], [hB, S]]}
fabric: {preset: roce-100g, link: {rate: 40Gbps, delay: 1us}}
workload: {kind: flows, flows: [{name: f1, src: hA, dst: hB, size: 1MB}]}
expect:
  - {metric: outcome, equals: finished}
  - {metric: flow.f1.goodput_bps, within: [30Gbps, 40Gbps], source: "wire efficiency"}
"#;

const SWEEP: &str = r#"
name: grid
topology: {kind: custom, switches: [S], hosts: [hA, hB], links: [[hA, S], [hB, S]]}
fabric: {preset: roce-100g, link: {rate: 40Gbps, delay: 1us}}
workload: {kind: flows, flows: [{name: f1, src: hA, dst: hB, size: 100KB}]}
sweep: {axes: {fabric.link.rate: [10Gbps, 40Gbps], workload.flows.f1.size: [100KB, 200KB]}, seeds: 2}
expect: [{metric: outcome, equals: finished}]
"#;

/// A folder of its own, removed at the end, with scenarios in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("fabricsim-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("flow.yaml"), FLOW).unwrap();
        fs::write(path.join("sweep.yaml"), SWEEP).unwrap();
        Place(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fabricsim"));
        command.current_dir(&self.0).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    fn entries(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(path)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ended by itself")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_run_leaves_its_files_and_a_plain_page() {
    let place = Place::new("run");
    let ran = place.run(&["run", "flow.yaml"]);
    assert_eq!(code(&ran), 0, "{}", err(&ran));
    let page = out(&ran);
    assert!(page.starts_with("one-flow: finished after "), "{page}");
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()), "{page}");
    let files = ["flows.csv", "ports.csv", "reasons.csv", "run.json", "scenario.yaml", "steps.csv", "summary.json"];
    assert_eq!(place.entries("results/one-flow"), files);
}

#[test]
fn json_on_standard_output_is_the_summary_and_nothing_else() {
    let place = Place::new("json");
    let ran = place.run(&["run", "flow.yaml", "--format", "json", "--out", "there"]);
    assert_eq!(code(&ran), 0);
    assert_eq!(out(&ran), place.read("there/summary.json"));
    assert!(!place.0.join("results").exists());
}

#[test]
fn equal_runs_and_the_effective_scenario_give_equal_bytes() {
    let place = Place::new("again");
    for (file, folder) in [("flow.yaml", "a"), ("flow.yaml", "b"), ("a/scenario.yaml", "c")] {
        assert_eq!(code(&place.run(&["run", file, "--quiet", "--out", folder])), 0, "{file}");
    }
    assert_eq!(place.read("a/summary.json"), place.read("b/summary.json"));
    for file in ["flows.csv", "ports.csv", "steps.csv", "scenario.yaml"] {
        let first = place.read(&format!("a/{file}"));
        assert_eq!(first, place.read(&format!("b/{file}")), "{file}");
        assert_eq!(first, place.read(&format!("c/{file}")), "{file}");
    }
}

#[test]
fn a_failed_expectation_ends_with_1_and_still_writes() {
    let place = Place::new("fail");
    let low = place.run(&["run", "flow.yaml", "--set", "fabric.link.rate=10Gbps"]);
    assert_eq!(code(&low), 1, "{}", err(&low));
    assert!(out(&low).contains("FAIL  flow.f1.goodput_bps"), "{}", out(&low));
    assert!(place.read("results/one-flow/summary.json").contains("\"pass\": false"));
    assert_eq!(code(&place.run(&["check", "flow.yaml"])), 0);
    assert_eq!(code(&place.run(&["check", "flow.yaml", "--set", "fabric.link.rate=10Gbps"])), 1);
}

#[test]
fn bad_input_ends_with_2_and_writes_nothing() {
    let place = Place::new("bad");
    fs::write(place.0.join("bad.yaml"), FLOW.replace("rate: 40Gbps", "rate: 40").replace("workload", "worklod"))
        .unwrap();
    fs::create_dir(place.0.join("folder.yaml")).unwrap();
    let before = place.entries(".");
    let refused = place.run(&["run", "bad.yaml"]);
    assert_eq!(code(&refused), 2);
    let text = err(&refused);
    assert!(text.contains("did you mean `workload`?") && text.contains("has no unit"), "{text}");
    assert!(text.contains("bad.yaml:4:"), "{text}");
    for arguments in [
        &["run", "missing.yaml"][..],
        &["run", "folder.yaml"],
        &["run", "flow.yaml", "--set", "nonsense"],
        &["run", "flow.yaml", "--seed", "-1"],
        &["run", "flow.yaml", "--threads", "0"],
        &["validate", "flow.yaml", "bad.yaml"],
        &["check", "flow.yaml", "bad.yaml"],
        &["sweep", "bad.yaml"],
        &["topo", "bad.yaml"],
        &["presets", "ib-nrd"],
        &["new", "--template", "none"],
        &["search", "flow.yaml"],
        &[],
    ] {
        let refused = place.run(arguments);
        assert_eq!(code(&refused), 2, "{arguments:?}: {}", err(&refused));
        assert!(!err(&refused).is_empty(), "{arguments:?}");
    }
    assert_eq!(place.entries("."), before);
}

#[test]
fn results_that_cannot_be_written_are_said_so() {
    let place = Place::new("blocked");
    fs::write(place.0.join("results"), "a file where the folder should be").unwrap();
    let refused = place.run(&["run", "flow.yaml"]);
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("cannot write results"), "{}", err(&refused));
}

#[test]
fn a_sweep_has_one_row_a_point_whatever_the_threads() {
    let place = Place::new("sweep");
    for (threads, folder) in [("1", "one"), ("3", "three")] {
        let ran = place.run(&["sweep", "sweep.yaml", "--threads", threads, "--out", folder]);
        assert_eq!(code(&ran), 0, "{}", err(&ran));
        assert!(out(&ran).contains("8 finished"), "{}", out(&ran));
    }
    let table = place.read("one/sweep.csv");
    assert_eq!(table, place.read("three/sweep.csv"));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 8);
    assert!(lines[0].starts_with("point,fabric.link.rate,workload.flows.f1.size,seed,outcome,"), "{}", lines[0]);
    assert!(lines[1].starts_with("0,10Gbps,100KB,1,finished,") && lines[8].starts_with("7,40Gbps,200KB,2,finished,"));
    let checked = place.run(&["check", "sweep.yaml", "flow.yaml"]);
    assert_eq!(code(&checked), 0, "{}", err(&checked));
    assert!(out(&checked).contains("holds at all 8 points") && out(&checked).contains("3 of 3 expectations hold"));
    let base = place.run(&["run", "sweep.yaml"]);
    assert_eq!(code(&base), 0);
    assert!(out(&base).contains("base point"), "{}", out(&base));
}

#[test]
fn quiet_says_nothing_unless_something_is_wrong() {
    let place = Place::new("quiet");
    for command in ["run", "check", "validate", "sweep"] {
        let ran = place.run(&[command, "flow.yaml", "--quiet"]);
        assert_eq!((code(&ran), out(&ran), err(&ran)), (0, String::new(), String::new()), "{command}");
    }
}

#[test]
fn every_template_is_valid_and_new_overwrites_nothing() {
    let place = Place::new("new");
    for template in ["collective", "flows", "sweep"] {
        let file = format!("my-{template}.yaml");
        assert_eq!(code(&place.run(&["new", "--template", template, &file])), 0);
        let checked = place.run(&["validate", &file]);
        assert_eq!(code(&checked), 0, "{}", err(&checked));
    }
    let again = place.run(&["new", "flow.yaml"]);
    assert_eq!(code(&again), 2);
    assert_eq!(place.read("flow.yaml"), FLOW);
}

#[test]
fn presets_and_the_schema_print_themselves() {
    let place = Place::new("presets");
    assert!(out(&place.run(&["presets"])).contains("roce-400g"));
    assert!(out(&place.run(&["presets", "ib-ndr"])).contains("400Gbps"));
    let schema: serde_json::Value = serde_json::from_str(&out(&place.run(&["schema"]))).unwrap();
    assert!(schema["properties"]["topology"].is_object());
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new("pipe");
    let mut child = place.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), err(&output)), (Some(0), String::new()));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_on_disk_and_marked() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let place = Place::new("interrupt");
    let endless = FLOW.replace("size: 1MB", "size: unlimited") + "run: {until: 1000s}\n";
    fs::write(place.0.join("endless.yaml"), endless).unwrap();
    let child = place.command(&["run", "endless.yaml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 1, "{}", err(&output));
    let summary: serde_json::Value = serde_json::from_str(&place.read("results/one-flow/summary.json")).unwrap();
    assert_eq!(summary["outcome"], "interrupted");
    assert!(summary["warnings"][0].as_str().unwrap().contains("incomplete"));
    assert!(summary["expectations"].as_array().unwrap().is_empty());
    assert!(Path::new(&place.0).join("results/one-flow/flows.csv").exists());
}
