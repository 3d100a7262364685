//! What a single key cannot tell: contradictions between settings, names that refer to nothing, settings without
//! effect. What needs the built topology is checked when it is built.

mod expectations;
mod fabric;
mod graph;
mod names;
mod run;
mod topology;
mod workload;

use crate::check::default_node;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::place_in;
use crate::item::Item;
use crate::keys::schema;
use crate::scalar;
use crate::spec::Spec;
use graph::Graph;

/// Judges a scenario and where it was written.
struct Rules<'a> {
    spec: &'a Spec,
    root: &'a Item,
    out: &'a mut Vec<Diagnostic>,
    graph: Graph<'a>,
}

/// Appends everything that is wrong or doubtful.
pub(crate) fn check(spec: &Spec, root: &Item, out: &mut Vec<Diagnostic>) {
    let mut rules = Rules { spec, root, out, graph: Graph::of(&spec.topology) };
    rules.topology();
    rules.fabric();
    rules.workload();
    rules.faults();
    rules.run();
    rules.expectations();
}

impl Rules<'_> {
    fn add(&mut self, code: Code, path: &str, text: impl Into<String>) -> &mut Diagnostic {
        self.out.push(Diagnostic::new(code, text).at(place_in(self.root, path)));
        self.out.last_mut().expect("one was just pushed")
    }

    fn refuse(&mut self, code: Code, path: &str, text: impl Into<String>, help: impl Into<String>) {
        let help = help.into();
        self.add(code, path, text).help.push(help);
    }

    /// Whether the scenario itself sets the key. Presets do not count, nor do defaults, which a scenario that was
    /// written out has in full.
    fn is_written(&self, path: &str) -> bool {
        let item = self.root.at(path);
        item.is_some_and(|item| item.place.is_written() && item.place.source == 0 && !is_default(path, item))
    }

    fn without_effect(&mut self, path: &str, why: &str) {
        if self.is_written(path) {
            self.add(Code::NoEffect, path, format!("`{path}` has no effect: {why}"));
        }
    }
}

fn is_default(path: &str, item: &Item) -> bool {
    let rows = path.split('.').try_fold(schema(), |schema, part| schema.child(part).or_else(|| schema.item()));
    let Some((rows, value)) = rows.map(|schema| &schema.rows).zip(item.value.scalar()) else { return false };
    rows.iter().any(|row| {
        let default = row.default.map(|text| scalar::read(row, &default_node(row, text), path));
        default.is_some_and(|default| default.is_ok_and(|default| default.scalar().as_ref() == Some(&value)))
    })
}
