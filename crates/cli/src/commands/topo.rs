use report::{count, number, percent, plain_table, rate};
use serde_json::{Value as Json, json};

use crate::arguments::{Topo, TopoFormat};
use crate::console;
use crate::ending::{Ending, Failure};
use crate::open;
use crate::simulate::Prepared;

/// Shows what would be built: counts, tiers, ratios, bisection and the ratios nearby.
pub(crate) fn run(arguments: &Topo) -> Result<Ending, Failure> {
    let document = open::document(&arguments.file, &arguments.settings)?;
    let prepared = Prepared::base(&document)?;
    if !arguments.quiet {
        console::diagnostics(&prepared.warnings());
    }
    let text = match arguments.format {
        TopoFormat::Table if arguments.quiet => String::new(),
        TopoFormat::Table => page(&prepared),
        TopoFormat::Json => json(&prepared),
        TopoFormat::Dot => prepared.plan().topology.dot(),
    };
    console::results(&text)?;
    Ok(Ending::Done)
}

fn page(prepared: &Prepared) -> String {
    let built = prepared.analysis();
    let counts = [
        ("hosts", built.hosts),
        ("GPUs", built.gpus),
        ("NICs", built.nics),
        ("switches", built.switches),
        ("cables", built.cables),
        ("cable ends", built.cable_ends),
    ];
    let mut text = format!("{}\n\n", prepared.scenario.spec.name);
    for (name, number) in counts {
        text += &format!("  {name:<16} {}\n", count(number));
    }
    if let Some(ratio) = built.oversubscription {
        text += &format!("  {:<16} {}:1\n", "oversubscription", hundredths(ratio));
    }
    let bisection = &built.bisection;
    let share = match bisection.injection_bps {
        0 => String::new(),
        injection => format!(", {} of what half the NICs can send", percent(bisection.bps as f64 / injection as f64)),
    };
    text += &format!("  {:<16} {}{share}\n\n", "bisection", rate(bisection.bps as f64));
    text += &tiers(prepared);
    text + &nearby(prepared)
}

fn tiers(prepared: &Prepared) -> String {
    let built = prepared.analysis();
    let rows: Vec<Vec<String>> = built
        .tiers
        .iter()
        .map(|tier| {
            let (fewest, most) = tier.ports;
            let ports = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
            let ratio = |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| format!("{}:1", hundredths(ratio)));
            vec![
                tier_name(tier.tier),
                count(tier.switches),
                ports,
                links(tier.down.count, tier.down.bps),
                links(tier.up.count, tier.up.bps),
                links(tier.across.count, tier.across.bps),
                ratio(tier.mean),
                ratio(tier.worst),
            ]
        })
        .collect();
    let headings = ["tier", "switches", "ports in use", "links down", "links up", "links across", "ratio", "worst"];
    plain_table(&headings, &rows, &[1, 2, 3, 4, 5, 6, 7])
}

fn links(links: u64, bps: u64) -> String {
    if links == 0 { "-".to_string() } else { format!("{} ({})", count(links), rate(bps as f64)) }
}

fn tier_name(tier: u8) -> String {
    match tier {
        0 => "leaf".to_string(),
        1 => "spine".to_string(),
        2 => "core".to_string(),
        higher => format!("tier {higher}"),
    }
}

/// The ratios that ports can give near the one that is built, and what each takes.
fn nearby(prepared: &Prepared) -> String {
    let rows: Vec<Vec<String>> = prepared
        .scenario
        .nearby_ratios()
        .iter()
        .map(|near| {
            let mark = if near.chosen { "built" } else { "" };
            let even = if near.even { "" } else { "uneven over the spines" };
            let numbers = [near.down, near.up, near.leaves, near.spines, near.leaves + near.spines, near.cables];
            let mut cells = vec![mark.to_string(), format!("{}:1", hundredths(near.ratio))];
            cells.extend(numbers.map(count));
            cells.push(even.to_string());
            cells
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let headings = ["", "ratio", "links down", "links up", "leaves", "spines", "switches", "cables", ""];
    format!("\nRatios nearby, of a full leaf\n{}", plain_table(&headings, &rows, &[1, 2, 3, 4, 5, 6, 7]))
}

fn hundredths(ratio: f64) -> String {
    number((ratio * 100.0).round() / 100.0)
}

fn json(prepared: &Prepared) -> String {
    let built = prepared.analysis();
    let side = |count: u64, bps: u64| json!({"count": count, "bps": bps});
    let tiers = built.tiers.iter().map(|tier| {
        json!({
            "tier": tier_name(tier.tier),
            "switches": tier.switches,
            "ports_min": tier.ports.0,
            "ports_max": tier.ports.1,
            "down": side(tier.down.count, tier.down.bps),
            "up": side(tier.up.count, tier.up.bps),
            "across": side(tier.across.count, tier.across.bps),
            "oversubscription": tier.mean,
            "oversubscription_worst": tier.worst,
        })
    });
    let nearby = prepared.scenario.nearby_ratios().into_iter().map(|near| {
        json!({
            "oversubscription": near.ratio,
            "leaf_links_down": near.down,
            "leaf_links_up": near.up,
            "leaves": near.leaves,
            "spines": near.spines,
            "cables": near.cables,
            "even": near.even,
            "built": near.chosen,
        })
    });
    let numbers = prepared.numbers();
    let object = json!({
        "name": prepared.scenario.spec.name,
        "hosts": built.hosts,
        "gpus": built.gpus,
        "nics": built.nics,
        "switches": built.switches,
        "links": built.cables,
        "cable_ends": built.cable_ends,
        "oversubscription": numbers.oversubscription,
        "bisection_bps": built.bisection.bps,
        "injection_bps": built.bisection.injection_bps,
        "tiers": tiers.collect::<Vec<Json>>(),
        "nearby": nearby.collect::<Vec<Json>>(),
    });
    format!("{object:#}\n")
}
