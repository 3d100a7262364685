use std::fmt::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value as Json;
use sim::{Ending, PortReport};
use units::Time;

use crate::expectation::Judged;
use crate::histogram::histogram;
use crate::port_row::sum;
use crate::readable::{byte_rate, bytes, count, number, percent, rate, seconds};
use crate::results::Results;
use crate::run_record::RunRecord;
use crate::statistics::sorted;
use crate::unit::Unit;

/// A run on one page of plain text, without colour or control characters. `folder` is where its files are.
pub fn screen(results: &Results, record: &RunRecord, folder: Option<&str>) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.push(("topology", topology(results)));
    steps(results, &mut rows);
    tail(results, &mut rows);
    collectives(results, &mut rows);
    flows(results, &mut rows);
    network(results, &mut rows);
    deadlock(results, &mut rows);
    rows.push(("simulation", simulation(record)));
    if let Some(folder) = folder {
        rows.push(("results", folder.to_string()));
    }
    let mut text = format!("{}\n\n", headline(results));
    for (name, value) in rows {
        writeln!(text, "  {name:<14} {value}").expect("writing to memory succeeds");
    }
    if !results.summary.expectations.is_empty() {
        write!(text, "\n{}", expectation_table(&results.summary.expectations)).expect("writing to memory succeeds");
    }
    for warning in &results.summary.warnings {
        writeln!(text, "\nwarning: {warning}").expect("writing to memory succeeds");
    }
    text
}

fn headline(results: &Results) -> String {
    let at = seconds(results.summary.simulated_s);
    let last = results
        .summary
        .last_progress_s
        .map_or("nothing was ever delivered".to_string(), |time| format!("last progress at {}", seconds(time)));
    let ending = match results.outcome.ending {
        Ending::Finished => format!("finished after {at} of simulated time"),
        Ending::TimeLimit => format!("time limit of {at} reached"),
        Ending::Deadlocked => format!("DEADLOCKED: stopped at {at}, {last}"),
        Ending::Stalled => format!("stalled: stopped at {at}, {last}"),
        Ending::Interrupted => format!("INTERRUPTED at {at} of simulated time: the results are incomplete"),
    };
    format!("{}: {ending}", results.summary.name)
}

fn topology(results: &Results) -> String {
    let numbers = &results.summary.topology;
    let mut text = format!(
        "{} hosts, {} GPUs, {} switches, {} links",
        count(numbers.hosts),
        count(numbers.gpus),
        count(numbers.switches),
        count(numbers.links)
    );
    if let Some(ratio) = numbers.oversubscription {
        let ratio = format!("{ratio:.2}");
        text += &format!(", {}:1 oversubscribed", ratio.trim_end_matches('0').trim_end_matches('.'));
    }
    if let Some(bisection) = numbers.bisection_bps {
        text += &format!(", bisection {}", rate(bisection as f64));
    }
    text
}

fn steps(results: &Results, rows: &mut Vec<(&str, String)>) {
    let steps = &results.summary.steps;
    let show = |time: Option<f64>| time.map_or("-".to_string(), seconds);
    if steps.count == 0 {
        if !results.summary.collectives.is_empty() {
            rows.push(("steps", "none ended".to_string()));
        }
        return;
    }
    let percentiles = [("p50", steps.p50_s), ("p95", steps.p95_s), ("p99", steps.p99_s), ("max", steps.max_s)];
    let shown = percentiles.map(|(name, time)| format!("{name} {}", show(time))).join("   ");
    rows.push(("step time", format!("{shown}   ({} steps, mean {})", count(steps.count), show(steps.mean_s))));
    if steps.count > 1 {
        let times = results.outcome.steps.iter().map(|step| step.end.saturating_sub(step.start));
        rows.extend(histogram(&sorted(times)).into_iter().map(|line| ("", line)));
    }
}

fn collectives(results: &Results, rows: &mut Vec<(&str, String)>) {
    for collective in &results.summary.collectives {
        let mut text = format!(
            "{} ({}) of {} over {} ranks",
            collective.kind,
            collective.algorithm,
            bytes(collective.size_bytes),
            count(collective.ranks)
        );
        if let Some(time) = collective.time_s {
            text += &format!(": {}", seconds(time));
            if let Some(analytic) = collective.analytic_s.filter(|analytic| *analytic > 0.0) {
                text += &format!(" (closed form {}, {:+.1} %)", seconds(analytic), (time / analytic - 1.0) * 100.0);
            }
        }
        rows.push(("collective", text));
        if let (Some(algbw), Some(busbw)) = (collective.algbw_bytes_per_s, collective.busbw_bytes_per_s) {
            rows.push(("bandwidth", format!("algbw {}, busbw {}", byte_rate(algbw), byte_rate(busbw))));
        }
    }
}

fn flows(results: &Results, rows: &mut Vec<(&str, String)>) {
    let flows = &results.summary.flows;
    let mut text = format!("{} connections", count(flows.count));
    if results.summary.collectives.is_empty() {
        let unlimited = flows.count - flows.completed - flows.unfinished - flows.failed;
        let kinds = [
            (flows.completed, "completed"),
            (flows.unfinished, "unfinished"),
            (unlimited, "unlimited"),
            (flows.failed, "FAILED"),
        ];
        let listed = kinds.iter().filter(|(number, _)| *number > 0);
        let listed: Vec<String> = listed.map(|(number, kind)| format!("{} {kind}", count(*number))).collect();
        text = listed.join(", ");
    } else if flows.failed > 0 {
        text += &format!(", {} FAILED", count(flows.failed));
    }
    rows.push(("flows", text));
    if let (Some(p50), Some(p99), Some(max)) = (flows.fct_s.p50, flows.fct_s.p99, flows.fct_s.max) {
        let shown = format!("p50 {}   p99 {}   max {}", seconds(p50), seconds(p99), seconds(max));
        rows.push(("completion", shown));
    }
    if let Some(goodput) = flows.goodput_bps {
        let fairness = flows.jain.map(|jain| format!(" in all, Jain's fairness index {jain:.3}"));
        rows.push(("goodput", format!("{}{}", rate(goodput), fairness.unwrap_or_default())));
    }
}

fn network(results: &Results, rows: &mut Vec<(&str, String)>) {
    let network = &results.summary.network;
    let mut drops = count(network.drops);
    if network.lossless_drops > 0 {
        drops += &format!(" ({} in a lossless class, for lack of headroom)", count(network.lossless_drops));
    }
    if network.retransmitted_packets + network.timeouts > 0 {
        let (again, timeouts) = (count(network.retransmitted_packets), count(network.timeouts));
        drops += &format!("; {again} packets sent again, {timeouts} timeouts");
    }
    rows.push(("drops", drops));
    if network.pause_frames > 0 || network.pause_s > 0.0 {
        let frames =
            format!("{} PAUSE frames, {} paused in all", count(network.pause_frames), seconds(network.pause_s));
        rows.push(("pauses", frames + &worst(results, |port| sum(port.classes.iter().map(|class| class.paused)))));
    }
    if network.credit_stall_s > 0.0 {
        let stalls = format!("{} in all", seconds(network.credit_stall_s));
        rows.push((
            "credit stalls",
            stalls + &worst(results, |port| sum(port.classes.iter().map(|class| class.credit_stall))),
        ));
    }
    if network.ecn_marks > 0 {
        rows.push(("ECN marks", count(network.ecn_marks)));
    }
    rows.push(("longest queue", bytes(network.max_queue_bytes)));
    if let Some((port, share)) = busiest(results) {
        rows.push(("busiest link", format!("{port}, {} of its rate", percent(share))));
    }
}

fn deadlock(results: &Results, rows: &mut Vec<(&str, String)>) {
    let deadlock = &results.summary.deadlock;
    let (Some(cycle), Some(onset)) = (&deadlock.cycle, deadlock.onset_s) else { return };
    rows.push(("deadlock", format!("closed at {}: {}", seconds(onset), cycle.join(" waits for "))));
    if let (Some(flows), Some(held)) = (deadlock.blocked_flows, deadlock.blocked_bytes) {
        rows.push(("", format!("{} flows blocked, {} held", count(flows), bytes(held))));
    }
    spread(results, rows);
}

/// How the stop spread, queue by queue, from the first to the last.
fn spread(results: &Results, rows: &mut Vec<(&str, String)>) {
    const MOST: usize = 12;
    let Some(report) = &results.outcome.deadlock else { return };
    for (index, queue) in report.queues.iter().take(MOST).enumerate() {
        let mark = if report.cycle.contains(&index) { "in the cycle" } else { "behind it" };
        let from = queue.input.as_ref().map_or(String::new(), |input| format!(" from {input}"));
        let at = seconds(queue.closed.as_secs_f64());
        rows.push(("", format!("{at:>10}  {}{from} stops, {} held, {mark}", queue.port, bytes(queue.bytes))));
    }
    if report.queues.len() > MOST {
        rows.push(("", format!("and {} more (deadlock.json)", report.queues.len() - MOST)));
    }
}

/// The longest step and why it took so long.
fn tail(results: &Results, rows: &mut Vec<(&str, String)>) {
    let steps = &results.outcome.steps;
    let time = |step: &sim::Step| step.end.saturating_sub(step.start);
    let Some(worst) = steps.iter().reduce(|most, next| if time(next) > time(most) { next } else { most }) else {
        return;
    };
    let mut text =
        format!("step {} with {}: rank {}", worst.number, seconds(time(worst).as_secs_f64()), worst.slowest_rank);
    if worst.compute > Time::ZERO {
        text += &format!(" came last, after computing {}", seconds(worst.compute.as_secs_f64()));
    } else {
        text += " ended last";
    }
    if let Some(waited) = worst.waited {
        let (port, wait) = (&results.outcome.ports[waited.port as usize].name, seconds(waited.time.as_secs_f64()));
        text += &match waited.cause {
            sim::Cause::Queue => format!("; packets to it waited {wait} at {port} on average"),
            sim::Cause::Pause => format!("; {port} on the way was paused {wait}"),
            sim::Cause::Credits => format!("; {port} on the way lacked credits for {wait}"),
        };
    }
    rows.push(("slowest", text));
}

fn worst(results: &Results, time: impl Fn(&PortReport) -> Time) -> String {
    let ports = results.outcome.ports.iter().map(|port| (time(port), port));
    // Of equals the first, in the order of the topology.
    let most = ports.reduce(|most, next| if next.0 > most.0 { next } else { most });
    most.map_or(String::new(), |(time, port)| format!(", most at {} ({})", port.name, seconds(time.as_secs_f64())))
}

fn busiest(results: &Results) -> Option<(&str, f64)> {
    let simulated = results.outcome.simulated.as_secs_f64();
    let share = |port: &PortReport| port.all.bytes as f64 * 8.0 / (port.rate.bps() as f64 * simulated);
    let shares = results.outcome.ports.iter().map(|port| (port.name.as_str(), share(port)));
    let finite = shares.filter(|(_, share)| share.is_finite() && *share > 0.0);
    finite.reduce(|most, next| if next.1 > most.1 { next } else { most })
}

fn simulation(record: &RunRecord) -> String {
    let per_hop = record.events_per_hop.map_or(String::new(), |ratio| format!(" ({ratio:.2} a packet-hop)"));
    let mut text = format!("{} packet-hops, {} events{per_hop}", count(record.packet_hops), count(record.events));
    if record.wall_s > 0.0 {
        text += &format!(", {} ({:.2} M events/s)", seconds(record.wall_s), record.events as f64 / record.wall_s / 1e6);
    }
    text
}

/// Expectations as a table, with the reason under those that could not be compared.
pub fn expectation_table(judged: &[Judged]) -> String {
    let rows: Vec<Vec<String>> = judged.iter().map(|row| expectation_cells(row).to_vec()).collect();
    let mut text = plain_table(&["", "expectation", "wanted", "found", "source"], &rows, &[]);
    for note in judged.iter().filter_map(|row| row.note.as_ref()) {
        text += &format!("  {note}\n");
    }
    text
}

/// Cells of a row about an expectation: verdict, metric, what was wanted, what was found, source.
pub fn expectation_cells(judged: &Judged) -> [String; 5] {
    let unit = Unit::of(&judged.metric);
    let verdict = if judged.pass { "pass" } else { "FAIL" };
    let tolerance = match judged.tolerance {
        0.0 => String::new(),
        share => format!(" +-{} %", number(share * 100.0)),
    };
    let wanted = format!("{} {}{tolerance}", judged.op.replace('_', " "), shown(&judged.value, unit));
    let is_missing = judged.actual.is_null() && !judged.pass;
    let found = if is_missing { "-".to_string() } else { shown(&judged.actual, unit) };
    [verdict.to_string(), judged.metric.clone(), wanted, found, judged.source.clone().unwrap_or_default()]
}

fn shown(value: &Json, unit: Unit) -> String {
    match (value, value.as_f64()) {
        (Json::Array(values), _) => {
            let shown: Vec<String> = values.iter().map(|value| self::shown(value, unit)).collect();
            format!("[{}]", shown.join(", "))
        }
        (_, Some(value_in_unit)) => match unit {
            Unit::Seconds => seconds(value_in_unit),
            Unit::BitsPerSecond => rate(value_in_unit),
            Unit::BytesPerSecond => byte_rate(value_in_unit),
            Unit::Bytes if value_in_unit >= 0.0 && value_in_unit.fract() == 0.0 => bytes(value_in_unit as u64),
            Unit::Bytes | Unit::None if value.is_f64() => number(value_in_unit),
            Unit::Bytes | Unit::None => value.to_string(),
        },
        (Json::String(word), _) => word.clone(),
        _ => value.to_string(),
    }
}

/// Columns under headings with two spaces between them and no lines. `right` lists the columns of numbers.
pub fn plain_table(headings: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(headings.to_vec());
    rows.iter().for_each(|row| {
        table.add_row(row.clone());
    });
    for column in right {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
