use super::Rules;
use crate::diagnostic::Code;
use crate::item::Item;
use crate::spec::{Expected, MetricUnit};
use crate::suggest::nearest;

/// The parts of a summary, and the tables that names reach into.
const PARTS: &[&str] = &[
    "name",
    "seed",
    "version",
    "fidelity",
    "service",
    "simulated_s",
    "last_progress_s",
    "outcome",
    "topology",
    "steps",
    "collectives",
    "flows",
    "network",
    "deadlock",
    "training",
    "warnings",
    "flow",
    "port",
    "step",
    "job",
    "jobs",
    "run",
];

impl Rules<'_> {
    pub(super) fn expectations(&mut self) {
        for (index, item) in self.root.list("expect").iter().enumerate() {
            self.expectation(&format!("expect.{index}"), item);
        }
    }

    fn expectation(&mut self, path: &str, item: &Item) {
        let metric = item.string_or_word("metric");
        let first = metric.split('.').next().unwrap_or_default();
        if !PARTS.contains(&first) {
            let help = match nearest(first, PARTS.iter().copied()) {
                Some(near) => format!("did you mean `{}`?", metric.replacen(first, near, 1)),
                None => format!("metrics begin with one of: {}", PARTS.join(", ")),
            };
            self.refuse(
                Code::BadExpectation,
                &format!("{path}.metric"),
                format!("there is no result `{metric}`"),
                help,
            );
        }
        self.comparison(path, item);
        let is_ratio = item.get("relative_to").is_some();
        let bounds = item.list("within").iter().enumerate().map(|(i, bound)| (format!("{path}.within.{i}"), bound));
        let single = ["equals", "at_least", "at_most"];
        let single = single.iter().filter_map(|key| Some((format!("{path}.{key}"), item.get(key)?)));
        for (place, value) in bounds.chain(single) {
            self.expected(&place, value.text(), metric, is_ratio, place.ends_with("equals"));
        }
        self.selection(path, item);
    }

    /// Exactly one comparison.
    fn comparison(&mut self, path: &str, item: &Item) {
        let has = |key: &str| item.get(key).is_some();
        let kinds = [has("equals"), has("within"), has("at_least") || has("at_most")];
        match kinds.iter().filter(|has| **has).count() {
            0 => {
                let help = "add one of: equals, at_least, at_most, within";
                self.refuse(Code::BadExpectation, path, "the expectation says nothing about its metric", help);
            }
            1 => {}
            _ => {
                let help = "keep one of: equals, within, at_least with at_most";
                self.refuse(Code::BadExpectation, path, "the expectation compares in several ways", help);
            }
        }
        if has("within") && item.list("within").len() != 2 {
            let text = "`within` takes a lower and an upper bound: [lo, hi]";
            self.add(Code::BadExpectation, &format!("{path}.within"), text);
        }
        if has("tolerance") && !has("equals") {
            self.add(Code::BadExpectation, &format!("{path}.tolerance"), "`tolerance` belongs to `equals`");
        }
    }

    fn expected(&mut self, path: &str, text: &str, metric: &str, is_ratio: bool, is_equals: bool) {
        let Some(expected) = Expected::parse(text) else {
            let help = "write a number in the unit of the metric, a quantity such as 12ms, or a word";
            self.refuse(Code::BadExpectation, path, format!("`{text}` is not a value to compare with"), help);
            return;
        };
        if !expected.is_quantity() {
            if !is_equals {
                let text = format!("`{text}` has no order, so it can only be compared with `equals`");
                self.add(Code::BadExpectation, path, text);
            }
            return;
        }
        let compared_as = if is_ratio { "ratio" } else { metric };
        if expected.in_unit_of(compared_as).is_none() {
            let what =
                if is_ratio { "a ratio, a plain number".to_string() } else { MetricUnit::of(metric).to_string() };
            self.add(Code::BadExpectation, path, format!("`{metric}` is {what}, and `{text}` is not"));
        }
    }

    fn selection(&mut self, path: &str, item: &Item) {
        let variants: Vec<&str> = match self.root.at("sweep.variants") {
            Some(variants) => variants.entries().iter().map(|(name, _)| name.as_str()).collect(),
            None => Vec::new(),
        };
        for key in ["of", "relative_to"] {
            let Some(name) = item.get(key).map(Item::text) else { continue };
            if !variants.contains(&name) {
                let help = match nearest(name, variants.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if variants.is_empty() => "the scenario has no `sweep.variants`".to_string(),
                    None => format!("variants: {}", variants.join(", ")),
                };
                let text = format!("there is no variant `{name}`");
                self.refuse(Code::BadExpectation, &format!("{path}.{key}"), text, help);
            }
        }
        if item.get("when").is_some() && self.root.get("sweep").is_none() {
            self.add(
                Code::BadExpectation,
                &format!("{path}.when"),
                "`when` selects points of a sweep, and there is none",
            );
        }
    }
}
