//! Bad input: each fault has its code, its place and its words, and all come at once.

use std::path::Path;
use std::time::Instant;

use scenario::{Code, Document, Report, Scenario};

/// A good scenario whose parts are replaced one at a time.
const BASE: &str = "name: t
topology: {kind: spine-leaf, gpus: 64}
fabric: roce-400g
workload: {kind: all-reduce, size: 1MiB}
";

/// A good scenario by hand.
const CUSTOM: &str = "name: t
topology: {kind: custom, switches: [A, B], hosts: [hA, hB], links: [[A, B], [hA, A], [hB, B]]}
fabric: {preset: roce-400g}
workload: {kind: flows, flows: [{name: f1, src: hA, dst: hB, size: 1MB}]}
";

fn refused(text: &str) -> Report {
    match Scenario::parse("bad.yaml", text) {
        Ok(scenario) => panic!("accepted:\n{text}\n{}", scenario.effective()),
        Err(report) => report,
    }
}

/// `from` replaced by `to` in the base gives exactly this one error; `mark` is what is underlined.
fn one(base: &str, from: &str, to: &str, code: Code, mark: &str, words: &str) {
    assert!(base.contains(from), "{from}");
    let report = refused(&base.replacen(from, to, 1));
    let errors: Vec<_> = report.diagnostics.iter().filter(|d| !d.is_warning()).collect();
    assert_eq!(errors.len(), 1, "{to}:\n{report}");
    let error = errors[0];
    assert_eq!(error.code, code, "{to}:\n{report}");
    let place = error.place.unwrap_or_else(|| panic!("no place:\n{report}"));
    let marked = report.sources[place.source as usize].slice(place);
    assert!(marked.starts_with(mark), "`{marked}` is underlined and not `{mark}`:\n{report}");
    assert!(report.render(false).contains(words), "`{words}` is not said:\n{report}");
}

#[test]
fn quantities_are_refused_with_the_fix() {
    let size = |to: &str, code, words: &str| one(BASE, "1MiB", to, code, to, words);
    size("4096", Code::MissingUnit, "`4096` has no unit");
    size("1048576", Code::MissingUnit, "write for example `1048576B`");
    size("1Mb", Code::BitsAndBytes, "a small `b` is bits; sizes are in bytes: write `1MB`");
    size("1mib", Code::UnknownUnit, "did you mean `1MiB`?");
    size("1 parsec", Code::UnknownUnit, "accepted units: B, KB, MB, GB, TB, KiB, MiB, GiB, TiB");
    size("-1MiB", Code::Negative, "is negative");
    size(".nan", Code::NotANumber, "`.nan` is not a size");
    size("NaN", Code::NotANumber, "`NaN` is not a size");
    size(".inf", Code::NotANumber, "`.inf` is not a size");
    size("99999999999999999999B", Code::OutOfRange, "too large");
    size("0B", Code::OutOfRange, "the least it can be is 1B");
    size("1.5B", Code::OutOfRange, "the smallest step is a byte");
    one(BASE, "1MiB", "[1, 2]", Code::WrongType, "[", "is a list, and a size is needed");
    let gpus = |to: &str, code, words: &str| one(BASE, "64", to, code, to, words);
    gpus("0", Code::OutOfRange, "the least it can be is 1");
    gpus("-8", Code::Negative, "is negative");
    gpus("6.4", Code::OutOfRange, "is not a whole number");
    gpus("0x40", Code::UnknownUnit, "`x40` is not a suffix of a count");
    gpus("18446744073709551616", Code::OutOfRange, "below 2^64");
    gpus("many", Code::NotANumber, "`many` is not a count");
    one(BASE, "64}", "64, oversubscription: 2}", Code::MissingUnit, "2", "write `2:1`");
    one(BASE, "64}", "64, oversubscription: \"0:1\"}", Code::OutOfRange, "\"0:1\"", "side of zero");
    one(
        BASE,
        "roce-400g",
        "{preset: roce-400g, link: {rate: 400GB}}",
        Code::BitsAndBytes,
        "400GB",
        "`400Gbps` for bits",
    );
    one(BASE, "roce-400g", "{preset: roce-400g, link: {loss: 2}}", Code::OutOfRange, "2", "the most it can be is 1");
    one(
        BASE,
        "roce-400g",
        "{preset: roce-400g, link: {delay: 0ns}}",
        Code::OutOfRange,
        "0ns",
        "the least it can be is 1ps",
    );
}

#[test]
fn keys_and_words_get_suggestions() {
    one(
        BASE,
        "gpus: 64",
        "gpus: 64, oversubscripton: \"2:1\"",
        Code::UnknownKey,
        "oversubscripton",
        "did you mean `oversubscription`?",
    );
    one(BASE, "name: t", "name: t\nworklod: 1", Code::UnknownKey, "worklod", "did you mean `workload`?");
    one(BASE, "name: t", "name: t\nmtu: 4096B", Code::UnknownKey, "mtu", "there is `fabric.link.mtu`");
    one(BASE, "roce-400g", "roce400g", Code::UnknownPreset, "roce400g", "did you mean `roce-400g`?");
    one(BASE, "all-reduce", "allreduce", Code::UnknownWord, "allreduce", "did you mean `all-reduce`?");
    one(BASE, "spine-leaf", "leaf-spine", Code::UnknownWord, "leaf-spine", "accepted: spine-leaf, fat-tree");
    one(BASE, "name: t", "", Code::MissingKey, "", "add `name: some-name`");
    one(BASE, "gpus: 64", "gpus: 64, gpus: 32", Code::DuplicateKey, "gpus", "first given in line 2");
    one(BASE, "size: 1MiB", "size: 1MiB, flows: []", Code::OtherKind, "flows", "does not apply to kind all-reduce");
    one(BASE, "fabric: roce-400g", "fabric: [roce-400g]", Code::WrongType, "[", "is a list, and a map is needed");
    one(BASE, "name: t", "name: a/b", Code::Impossible, "a/b", "holds '/'");
    one(BASE, "name: t", "name: t\nhost:", Code::WrongType, "host", "`host` has no value");
    one(BASE, "name: t", "name: t\nversion: 2", Code::OutOfRange, "2", "the most it can be is 1");
}

#[test]
fn what_is_not_built_yet_says_so() {
    let words = "not supported yet";
    one(BASE, "roce-400g", "efa-srd", Code::NotYet, "efa-srd", words);
    one(BASE, "name: t", "name: t\nrun: {record: [messages]}", Code::NotYet, "messages", words);
    one(BASE, "roce-400g", "{preset: roce-400g, congestion_control: hpcc}", Code::NotYet, "hpcc", words);
    one(
        BASE,
        "kind: all-reduce, size: 1MiB",
        "kind: training-step, model: {parameters: 70B}, parallel: {tp: 8}",
        Code::NotYet,
        "training-step",
        words,
    );
    one(BASE, "all-reduce", "all-reduce, algorithm: sharp", Code::NotYet, "sharp", words);
    one(BASE, "kind: spine-leaf, gpus: 64", "kind: import, format: hpcc, file: x", Code::NotYet, "import", words);
    one(BASE, "{kind: all-reduce, size: 1MiB}", "[{kind: all-reduce, size: 1MiB}]", Code::NotYet, "workload", words);
    one(BASE, "roce-400g", "{preset: roce-400g, routing: flowlet}", Code::NotYet, "flowlet", words);
    one(BASE, "roce-400g", "{preset: roce-400g, pfc: {watchdog: {poll: 1ms}}}", Code::NotYet, "watchdog", words);
    one(
        BASE,
        "roce-400g",
        "{preset: roce-400g, pfc: {priorities: 2}}",
        Code::NotYet,
        "priorities",
        "other than 8 is not supported yet",
    );
    one(BASE, "name: t", "name: t\nrun: {fidelity: fluid}", Code::NotYet, "fluid", words);
    one(
        BASE,
        "name: t",
        "name: t\nfaults: [{kind: switch-down, node: spine0, at: 0ms}]",
        Code::NotYet,
        "switch-down",
        words,
    );
    one(BASE, "name: t", "name: t\ncost: {prices: p.yaml}", Code::NotYet, "cost", words);
    one(BASE, "name: t", "name: t\nsearch: {path: seed, from: 1, to: 2}", Code::NotYet, "search", words);
}

#[test]
fn contradictions_and_impossible_values_are_placed() {
    let fabric = |keys: &str, code, mark: &str, words: &str| {
        one(BASE, "fabric: roce-400g", &format!("fabric: {{preset: roce-400g, {keys}}}"), code, mark, words);
    };
    fabric("pfc: {xoff: 40KB, xon: 50KB}", Code::Contradiction, "50KB", "would resume before it pauses");
    fabric("pfc: {xoff: dynamic}", Code::Contradiction, "dynamic", "need a `buffer.size`");
    fabric("link: {delay: 1us, length: 5m}", Code::Contradiction, "length", "cannot both be given");
    fabric("link: {mtu: 1000B, ip_mtu: 1500B}", Code::Contradiction, "ip_mtu", "cannot both be given");
    fabric("ecn: {kmin: 2MB, kmax: 1MB}", Code::Contradiction, "2MB", "above `ecn.kmax`");
    fabric("transport: ud", Code::Contradiction, "ud", "needs acknowledgements");
    fabric(
        "congestion_control: {kind: dctcp, gain: 2/3}, ecn: {kmin: 1KB, kmax: 2KB}",
        Code::Impossible,
        "2/3",
        "1/256",
    );
    fabric("congestion_control: {kind: dcqcn, preset: papr}", Code::UnknownWord, "papr", "did you mean `paper`?");
    fabric(
        "congestion_control: window",
        Code::MissingKey,
        "congestion_control",
        "`fabric.congestion_control.packets` is missing",
    );
    one(BASE, "all-reduce", "all-reduce, class: 9", Code::Impossible, "9", "Ethernet has 0 to 7");
    one(BASE, "size: 1MiB", "size: 1MiB, tokens: 8", Code::OtherKind, "tokens", "it belongs to: moe");
    one(
        BASE,
        "all-reduce, size: 1MiB",
        "all-to-all, size: 1MiB, channels: 2",
        Code::OtherKind,
        "channels",
        "does not apply",
    );
    fabric("routing: explicit", Code::Contradiction, "explicit", "needs a `path` for every flow");
    one(
        BASE,
        "roce-400g",
        "{preset: ib-ndr, credit: {buffer: 4KiB}}",
        Code::Impossible,
        "4KiB",
        "more than `credit.buffer`",
    );
    one(
        BASE,
        "roce-400g",
        "{preset: ib-ndr, link: {ip_mtu: 1500B}}",
        Code::Contradiction,
        "1500B",
        "`ip_mtu` means nothing",
    );
    one(BASE, "gpus: 64", "gpus: 60", Code::Contradiction, "60", "take 56 or 64 GPUs");
    one(BASE, "gpus: 64", "gpus: 8", Code::Impossible, "8", "one host has nobody to talk to");
    one(BASE, "gpus: 64", "hosts: 1", Code::Impossible, "1", "one host has nobody to talk to");
    one(BASE, "gpus: 64", "hosts: 1M", Code::Impossible, "1M", "fit in memory");
    one(BASE, "gpus: 64", "hosts: 2M", Code::OutOfRange, "2M", "the most it can be is 1M");
    one(BASE, "gpus: 64", "gpus: 64, hosts: 4", Code::Contradiction, "4", "4 hosts by one setting and 8 by another");
    one(BASE, ", gpus: 64", "", Code::MissingKey, "", "add `gpus: 64`");
    one(
        BASE,
        "name: t",
        "name: t\nhost: {gpus: 4}\nrun: {until: 1ms, measure_from: 2ms}",
        Code::Contradiction,
        "2ms",
        "is not before",
    );
    one(BASE, "all-reduce", "broadcast, root: 64", Code::UnknownName, "64", "ranks are 0 to 63");
    let flows = |from: &str, to: &str, code, mark: &str, words: &str| one(CUSTOM, from, to, code, mark, words);
    flows("size: 1MB", "size: unlimited", Code::Contradiction, "unlimited", "nothing ends the run");
    flows("dst: hB", "dst: hA", Code::Impossible, "hA", "to itself");
    flows("dst: hB", "dst: hC", Code::UnknownName, "hC", "did you mean");
    flows("dst: hB", "dst: B", Code::UnknownName, "B", "is a switch");
    flows("size: 1MB", "size: 1MB, path: [hA, B, hB]", Code::UnknownName, "B", "no link joins `hA` and `B`");
    flows("size: 1MB", "size: 1MB, path: [hA, A, B]", Code::Contradiction, "path", "leads from `hA` to `B`");
    flows("size: 1MB", "size: 1MB, start: 2us, stop: 1us", Code::Contradiction, "1us", "stops before it starts");
    flows("[hB, B]", "[hB, C]", Code::UnknownName, "C", "there is no node `C`");
    flows("links: [[A, B], ", "links: [", Code::Impossible, "hB", "no links lead from `hA` to `hB`");
    flows("links: [[A, B], ", "links: [[A, A], [A, B], ", Code::Impossible, "[", "to itself");
    flows("switches: [A, B]", "switches: [A, B, A]", Code::Contradiction, "A", "two nodes are named `A`");
    flows(
        "flows: [{name: f1, src: hA, dst: hB, size: 1MB}]",
        "pattern: permutation",
        Code::MissingKey,
        "",
        "add `size: 4MiB`",
    );
    flows(
        "name: t",
        "name: t\nfaults: [{kind: loss, link: \"A->C\", rate: 1%}]",
        Code::UnknownName,
        "\"A->C\"",
        "no node `C`",
    );
    flows("name: t", "name: t\nfaults: [{kind: loss, link: A, rate: 1%}]", Code::WrongType, "A", "\"leaf0->spine1\"");
    flows(
        "name: t",
        "name: t\nfaults: [{kind: drop, link: [A, B], every: 0}]",
        Code::OutOfRange,
        "0",
        "the least it can be is 1",
    );
    one(
        BASE,
        "kind: all-reduce, size: 1MiB",
        "kind: flows, flows: [{src: h0, dst: h8, size: 1MB}]",
        Code::UnknownName,
        "h8",
        "hosts are h0 to h7",
    );
}

#[test]
fn expectations_and_sweeps_are_checked_before_the_run() {
    let expect = |entry: &str, mark: &str, words: &str| {
        one(BASE, "name: t", &format!("name: t\nexpect: [{{{entry}}}]"), Code::BadExpectation, mark, words);
    };
    expect("metric: steps.p50_s", "{", "says nothing about its metric");
    expect("metric: step.p50_s, equals: 1, at_most: 2", "{", "compares in several ways");
    expect("metric: stps.p50_s, at_most: 1ms", "stps", "did you mean `steps.p50_s`?");
    expect("metric: steps.p50_s, at_most: 10Gbps", "10Gbps", "is a time, and `10Gbps` is not");
    expect("metric: outcome, at_least: finished", "finished", "has no order");
    expect("metric: steps.p50_s, at_most: 12 apples", "12 apples", "is not a value");
    expect("metric: steps.p50_s, at_most: 12ms, of: base", "base", "no variant `base`");
    let sweep = |text: &str, code, mark: &str, words: &str| {
        one(BASE, "name: t", &format!("name: t\nsweep: {text}"), code, mark, words)
    };
    sweep("{axes: {workload.sise: [1MB]}}", Code::BadOverride, "workload.sise", "did you mean `workload.size`?");
    sweep("{axes: {workload.size: []}}", Code::BadSweep, "workload.size", "has no values");
    sweep("{axes: {workload.size: 1MB}}", Code::BadSweep, "workload.size", "write `workload.size: [1MB]`");
    sweep("{zip: {run.steps: [1, 2], run.warmup: [1]}}", Code::BadSweep, "run.warmup", "equal lengths");
    sweep(
        "{variants: {a: {fabric.link.rat: 1Gbps}}}",
        Code::BadOverride,
        "fabric.link.rat",
        "did you mean `fabric.link.rate`?",
    );
    sweep("{baseline: b, variants: {a: {seed: 1}}}", Code::BadSweep, "b", "is not one of the variants");
}

#[test]
fn a_bad_value_of_an_axis_is_found_at_its_point() {
    let document =
        Document::parse("bad.yaml", &format!("{BASE}sweep: {{axes: {{workload.size: [1MiB, 5]}}}}\n")).unwrap();
    let sweep = document.sweep().unwrap();
    assert!(document.check_point(&sweep.point(0).unwrap()).is_ok());
    let report = document.check_point(&sweep.point(1).unwrap()).unwrap_err();
    assert_eq!(report.diagnostics[0].code, Code::MissingUnit);
    assert!(report.render(false).contains("bad.yaml:5:38"), "{report}");
}

#[test]
fn all_errors_come_at_once_in_the_order_of_the_file() {
    let text = "nme: t
topology: {kind: spine-leaf, gpus: 64, leaf: {prts: 64, rate: 400}}
fabric: {preset: roce-400g, link: {rate: 400Gb, mtu: 4096}, routing: {kind: ecpm}}
workload: {kind: flows, flows: [{src: h0, dst: h1, size: 1XB, rte: 1Gbps}]}
run: {until: -5ms, steps: 1.5}
";
    let report = refused(text);
    let found: Vec<(Code, usize)> = report
        .diagnostics
        .iter()
        .map(|d| (d.code, report.sources[0].line_and_column(d.place.unwrap().start).0))
        .collect();
    let expected = [
        (Code::UnknownKey, 1),
        (Code::MissingKey, 1),
        (Code::UnknownKey, 2),
        (Code::MissingUnit, 2),
        (Code::BitsAndBytes, 3),
        (Code::MissingUnit, 3),
        (Code::UnknownWord, 3),
        (Code::UnknownUnit, 4),
        (Code::UnknownKey, 4),
        (Code::Negative, 5),
        (Code::OutOfRange, 5),
    ];
    let mut sorted = found.clone();
    sorted.sort_by_key(|(_, line)| *line);
    assert_eq!(found, sorted, "{report}");
    for pair in expected {
        assert!(found.contains(&pair), "{pair:?} is missing:\n{report}");
    }
    assert_eq!(found.len(), expected.len(), "{report}");
}

#[test]
fn overrides_with_faults_point_into_the_command_line() {
    let fault = |set: &str| Document::parse("good.yaml", CUSTOM).unwrap().set(set).unwrap_err();
    let text = fault("fabric.link.rat=1Gbps").render(false);
    assert!(text.contains("--> --set:1:1\n") && text.contains("did you mean `fabric.link.rate`?"), "{text}");
    assert!(fault("workload.flows.f2.rate=1Gbps").render(false).contains("did you mean `f1`?"));
    assert!(fault("nonsense").render(false).contains("is not path=value"));
    assert!(fault("a..b=1").render(false).contains("E040"));
    assert!(fault("name=[1").render(false).contains("not valid YAML"));
    let mut document = Document::parse("good.yaml", CUSTOM).unwrap();
    document.set("fabric.link.rate=400").unwrap();
    let text = document.check().unwrap_err().render(false);
    assert!(text.contains("--> --set:1:18\n"), "{text}");
}

#[test]
fn settings_without_effect_are_warnings() {
    let warned = |base: &str, from: &str, to: &str| -> Vec<String> {
        let scenario = Scenario::parse("odd.yaml", &base.replacen(from, to, 1)).unwrap_or_else(|r| panic!("{r}"));
        scenario.warnings.iter().map(|w| w.short(&scenario.sources)).collect()
    };
    let cases = [
        (
            "roce-400g",
            "{preset: roce-400g, credit: {buffer: 64KiB}}",
            "`fabric.credit` has no effect: `fabric.flow_control` is not credit",
        ),
        ("roce-400g", "{preset: roce-400g, buffer: {alpha: 1/4}}", "`fabric.buffer.alpha` has no effect"),
        ("roce-400g", "{preset: roce-400g, ecn: {kmin: 1KB, kmax: 2KB}}", "senders ignore marks"),
        ("roce-400g", "{preset: roce-400g, congestion_control: dcqcn}", "no switch marks packets"),
        (
            "roce-400g",
            "{preset: roce-400g, ecn: {kmin: 400KB, kmax: 2MB}, congestion_control: dcqcn}",
            "PFC acts before ECN",
        ),
        ("roce-400g\nworkload: {", "{preset: ib-ndr}\nworkload: {class: 3, ", "all data has lane 0"),
        ("all-reduce", "all-reduce, algorithm: halving-doubling, slice: 1MiB", "one message a turn"),
        ("name: t", "name: t\nhost: {jitter: {lognormal: {sigma: 5%}}}", "there is no compute phase"),
        ("name: t", "name: t\nrun: {sample: 2us}", "nothing is recorded"),
        ("roce-400g", "{preset: roce-400g, pfc: {headroom: 0B}}", "is lost"),
    ];
    for (from, to, words) in cases {
        let warnings = warned(BASE, from, to);
        assert_eq!(warnings.len(), 1, "{to}: {warnings:?}");
        assert!(warnings[0].contains(words), "{to}: {warnings:?}");
    }
    assert_eq!(warned(BASE, "name: t", "name: t\nx-holder: &h {a: 1}"), Vec::<String>::new());
}

fn loading(path: &Path) -> (Report, f64) {
    let begin = Instant::now();
    let report = Document::load(path).map(|_| ()).expect_err("a refused file");
    (report, begin.elapsed().as_secs_f64())
}

#[test]
fn files_that_are_no_scenarios_are_refused_at_once() {
    let folder = std::env::temp_dir().join(format!("scenario-refusing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let large = write("large.yaml", b"");
    std::fs::File::options().write(true).open(&large).unwrap().set_len(100 << 20).unwrap();
    let cases = [
        (folder.join("nowhere.yaml"), Code::CannotRead, "there is no such file"),
        (folder.clone(), Code::IsDirectory, "this is a directory"),
        (large, Code::TooLarge, "100 MiB, more than the 16 MiB"),
        (write("latin1.yaml", b"name: caf\xe9\n"), Code::NotUtf8, "byte 0xe9 at offset 9, line 1"),
        (write("utf16.yaml", b"\xff\xfen\0a\0"), Code::NotUtf8, "looks like UTF-16"),
        (write("empty.yaml", b""), Code::NotAScenario, "the file is empty"),
        (write("list.yaml", b"- 1\n- 2\n"), Code::NotAScenario, "not a map of keys"),
        (write("binary.yaml", b"\x00\x01\x02"), Code::Syntax, "not valid YAML"),
    ];
    for (path, code, words) in cases {
        let (report, seconds) = loading(&path);
        assert_eq!(report.diagnostics.len(), 1, "{report}");
        assert_eq!(report.diagnostics[0].code, code, "{report}");
        assert!(report.render(false).contains(words), "{report}");
        assert!(seconds < 2.0);
    }
    let path = write("crlf.yaml", format!("\u{feff}{}", BASE.replace('\n', "\r\n")).as_bytes());
    assert!(Document::load(&path).unwrap().check().is_ok());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn colours_are_there_only_when_asked_for() {
    let report = refused("name: t\n");
    assert!(!report.render(false).contains('\u{1b}'));
    assert!(report.render(true).contains("\u{1b}[1;31merror[E013]"));
    assert!(
        !refused("name: \"a\\eb\"\n").render(false).contains('\u{1b}'),
        "what a file says cannot control a terminal"
    );
}
