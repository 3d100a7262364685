use serde::Serialize;
use serde_json::Value as Json;
use sim::Outcome;

use crate::context::Context;
use crate::flow_row::FlowRow;
use crate::port_row::PortRow;
use crate::shape::Shape;
use crate::summary::Summary;

/// Where metrics are looked up by name.
pub struct Tables<'a> {
    outcome: &'a Outcome,
    context: &'a Context,
    summary: Vec<(String, Json)>,
}

impl<'a> Tables<'a> {
    /// Of a run.
    pub fn new(outcome: &'a Outcome, context: &'a Context, summary: &Summary) -> Tables<'a> {
        Tables { outcome, context, summary: Shape::scalars(summary) }
    }

    /// The value of a metric: a dotted path into the summary, `flow.NAME.COLUMN` into `flows.csv` or
    /// `port.NAME.COLUMN` into `ports.csv`. A port stands for all its classes together; `NAME class 3`
    /// and `NAME control` for one of them. A value that does not apply is `null`.
    ///
    /// # Errors
    /// Says that there is no such metric, and which one is spelled alike.
    pub fn find(&self, metric: &str) -> Result<Json, String> {
        match metric.split_once('.').filter(|(table, _)| matches!(*table, "flow" | "port")) {
            Some((table, rest)) => self.in_table(table, rest),
            None => in_summary(&self.summary, metric),
        }
    }

    fn in_table(&self, table: &str, rest: &str) -> Result<Json, String> {
        let Some((name, column)) = rest.rsplit_once('.') else {
            return Err(format!("`{table}.{rest}` names no column: write `{table}.NAME.COLUMN`"));
        };
        let (row, columns) = match table {
            "flow" => (self.flow(name)?, &FlowRow::COLUMNS[..]),
            _ => (self.port(name)?, &PortRow::COLUMNS[..]),
        };
        match row.get(column) {
            Some(value) => Ok(value.clone()),
            None => Err(unknown(&format!("column `{column}` of a {table}"), column, columns.iter().copied())),
        }
    }

    fn flow(&self, name: &str) -> Result<Json, String> {
        let flow = self.outcome.flows.iter().find(|flow| flow.name == name);
        let names = || self.outcome.flows.iter().map(|flow| flow.name.as_str());
        flow.map(|flow| json(&FlowRow::new(flow))).ok_or_else(|| unknown(&format!("flow `{name}`"), name, names()))
    }

    fn port(&self, name: &str) -> Result<Json, String> {
        let find = |name: &str| self.outcome.ports.iter().find(|port| port.name == name);
        if let Some(port) = find(name) {
            return Ok(json(&PortRow::of_all_classes(port, self.outcome.simulated)));
        }
        let split = name.rsplit_once(" class ").or_else(|| Some((name.strip_suffix(" control")?, "control")));
        if let Some((port, class)) = split.and_then(|(name, class)| Some((find(name)?, class))) {
            let classes: Vec<String> = (0..port.classes.len()).map(|class| self.context.class_name(class)).collect();
            let Some(index) = classes.iter().position(|known| known == class) else {
                return Err(format!("`{}` has no class `{class}`: it has {}", port.name, classes.join(", ")));
            };
            return Ok(json(&PortRow::new(port, index, self.context, self.outcome.simulated)));
        }
        Err(unknown(&format!("port `{name}`"), name, self.outcome.ports.iter().map(|port| port.name.as_str())))
    }
}

/// The value of a metric among those of a summary.
///
/// # Errors
/// Says that there is no such metric, and which one is spelled alike.
pub(crate) fn in_summary(summary: &[(String, Json)], metric: &str) -> Result<Json, String> {
    if let Some((_, value)) = summary.iter().find(|(path, _)| path == metric) {
        return Ok(value.clone());
    }
    let inside = |path: &&str| path.strip_prefix(metric).is_some_and(|rest| rest.starts_with('.'));
    let paths = || summary.iter().map(|(path, _)| path.as_str());
    match paths().find(inside) {
        Some(path) => Err(format!("`{metric}` is not a single value: choose one in it, such as `{path}`")),
        None => Err(unknown(&format!("metric `{metric}`"), metric, paths())),
    }
}

fn json(row: &impl Serialize) -> Json {
    serde_json::to_value(row).expect("text keys and finite numbers")
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let nearest = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    match nearest {
        Some((_, known)) => format!("there is no {what}; did you mean `{known}`?"),
        None => format!("there is no {what}"),
    }
}
