use report::plain_table;
use serde_json::{Value as Json, json};
use sim::{PredictedCycle, Prediction};

use crate::arguments::{Topo, TopoFormat};
use crate::console;
use crate::ending::{Ending, Failure};
use crate::open;
use crate::simulate::Prepared;

/// The most flows that are named for one dependency.
const NAMED: usize = 6;

/// Says from the routes in use whether anything could deadlock, before anything runs.
pub(crate) fn run(arguments: &Topo) -> Result<Ending, Failure> {
    let document = open::document(&arguments.file, &arguments.settings)?;
    let prepared = Prepared::base(&document)?;
    if !arguments.quiet {
        console::diagnostics(&prepared.warnings());
    }
    let prediction = sim::predict(prepared.plan());
    let text = match arguments.format {
        TopoFormat::Table if arguments.quiet => String::new(),
        TopoFormat::Table => page(&prepared, &prediction),
        TopoFormat::Json => json(&prepared, &prediction),
        TopoFormat::Dot => prediction.graph.dot(&prepared.plan().topology),
    };
    console::results(&text)?;
    Ok(Ending::Done)
}

fn page(prepared: &Prepared, prediction: &Prediction) -> String {
    let (channels, edges) = (prediction.graph.channels().count(), prediction.graph.edges().count());
    let mut text = format!("{}: {channels} links in use, {edges} dependencies\n", prepared.scenario.spec.name);
    if prediction.per_packet {
        text += "switches choose packet by packet: every way they may choose counts\n";
    }
    text += &format!("{}\n", verdict(prediction));
    for (number, cycle) in prediction.cycles.iter().enumerate() {
        text += &format!("\nCycle {}: {} links", number + 1, cycle.links.len());
        if cycle.part > cycle.links.len() {
            text += &format!(", the shortest among {} links that depend on each other", cycle.part);
        }
        text += &format!(", class {}\n{}", cycle.class, table(prepared, cycle));
    }
    text
}

fn verdict(prediction: &Prediction) -> String {
    match (prediction.cycles.len(), prediction.lossless) {
        (0, _) => "no cycle: it cannot deadlock, whatever the load".to_string(),
        (_, false) => "cycles, but no flow control: full queues drop and nothing waits".to_string(),
        (1, true) => "one cycle: it can deadlock; whether it does depends on the load".to_string(),
        (cycles, true) => format!("{cycles} cycles: it can deadlock; whether it does depends on the load"),
    }
}

fn table(prepared: &Prepared, cycle: &PredictedCycle) -> String {
    let topology = &prepared.plan().topology;
    let name = |index: usize| topology.port_name(cycle.links[index % cycle.links.len()]);
    let rows: Vec<Vec<String>> =
        (0..cycle.links.len()).map(|index| vec![name(index), name(index + 1), named(&cycle.flows[index])]).collect();
    plain_table(&["link", "waits for", "because of"], &rows, &[])
}

fn named(flows: &[String]) -> String {
    let mut text = flows.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if flows.len() > NAMED {
        text += &format!(" and {} more", flows.len() - NAMED);
    }
    text
}

fn json(prepared: &Prepared, prediction: &Prediction) -> String {
    let topology = &prepared.plan().topology;
    let cycles = prediction.cycles.iter().map(|cycle| {
        let links: Vec<String> = cycle.links.iter().map(|port| topology.port_name(*port)).collect();
        json!({"class": cycle.class, "links": links, "flows": cycle.flows, "links_depending_on_each_other": cycle.part})
    });
    let object = json!({
        "name": prepared.scenario.spec.name,
        "can_deadlock": !prediction.cycles.is_empty() && prediction.lossless,
        "links": prediction.graph.channels().count(),
        "dependencies": prediction.graph.edges().count(),
        "cycles": cycles.collect::<Vec<Json>>(),
    });
    format!("{object:#}\n")
}
