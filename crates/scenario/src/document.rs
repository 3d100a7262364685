use std::path::Path;

use crate::check::Checker;
use crate::diagnostic::{Code, Diagnostic, Report};
use crate::effective;
use crate::item::Item;
use crate::keys::schema;
use crate::node::{Node, Tree};
use crate::overrides::Override;
use crate::rules;
use crate::shorthand::expand;
use crate::source::{self, Place, Source};
use crate::spec::Spec;
use crate::sweep::{Point, Sweep};
use crate::{preset, yaml};

/// A scenario file that was read but not yet checked: overrides can still be laid on it.
#[derive(Clone, Debug)]
pub struct Document {
    sources: Vec<Source>,
    root: Node,
    /// Faults found while reading, reported with the others.
    faults: Vec<Diagnostic>,
}

/// A checked scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The settings, typed.
    pub spec: Spec,
    /// What is doubtful; no errors.
    pub warnings: Vec<Diagnostic>,
    /// The texts that places refer to.
    pub sources: Vec<Source>,
    root: Item,
}

impl Document {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Document, Report> {
        Document::read(source::read(path)?)
    }

    /// Reads a text; `name` stands for it in messages.
    pub fn parse(name: &str, text: &str) -> Result<Document, Report> {
        Document::read(Source::new(name, text))
    }

    fn read(source: Source) -> Result<Document, Report> {
        let mut root = match yaml::parse(&source, 0) {
            Ok(root) => root,
            Err(diagnostic) => return Err(Report::new(vec![source], vec![diagnostic])),
        };
        if !matches!(root.tree, Tree::Map(_)) {
            let what =
                if source.text.trim().is_empty() { "the file is empty" } else { "the file is not a map of keys" };
            let help =
                "a scenario has at least the keys name, topology, fabric and workload; `fabricsim new` writes one";
            let diagnostic = Diagnostic::new(Code::NotAScenario, what).at(root.place).help(help);
            return Err(Report::new(vec![source], vec![diagnostic]));
        }
        let sources = vec![source];
        let mut faults = Vec::new();
        yaml::duplicates(&root, &sources, &mut faults);
        expand(schema(), &mut root);
        Ok(Document { sources, root, faults })
    }

    /// Lays `path=value` on the document, as `--set` does. A fault is reported now.
    pub fn set(&mut self, assignment: &str) -> Result<(), Report> {
        let id = self.sources.len() as u32;
        let source = Source::new("--set", assignment);
        self.sources.push(source.clone());
        let whole = Place { source: id, start: 0, end: source.text.len() as u32 };
        let result = match source.text.split_once('=') {
            Some((path, value)) => yaml_value(&source, id, path.len() + 1, value).and_then(|value| {
                let path_place = Place { end: path.len() as u32, ..whole };
                Override { path: path.trim().to_string(), place: path_place, value }.apply(&mut self.root)
            }),
            None => {
                let diagnostic = Diagnostic::new(Code::BadOverride, format!("`{}` is not path=value", source.text));
                Err(diagnostic.at(whole).help("write for example `topology.oversubscription=2:1`"))
            }
        };
        result.map_err(|diagnostic| Report::new(self.sources.clone(), vec![diagnostic]))
    }

    /// Checks the document itself: the base point if it has a sweep. All errors come at once.
    pub fn check(&self) -> Result<Scenario, Report> {
        let mut out = self.faults.clone();
        out.extend(self.sweep_faults());
        self.check_root(self.root.clone(), out)
    }

    /// The points of the sweep, or one point without overrides when there is none.
    pub fn sweep(&self) -> Result<Sweep, Report> {
        let sweep = Sweep::of(&self.root).and_then(|sweep| match self.override_faults(&sweep) {
            faults if faults.is_empty() => Ok(sweep),
            faults => Err(faults),
        });
        sweep.map_err(|faults| Report::new(self.sources.clone(), faults))
    }

    /// Checks one point of the sweep. Its scenario has no `sweep` and only the expectations that hold there.
    pub fn check_point(&self, point: &Point) -> Result<Scenario, Report> {
        let mut root = self.root.clone();
        let mut out = self.faults.clone();
        root.remove("sweep");
        for over in &point.overrides {
            out.extend(over.apply(&mut root).err());
        }
        point.select_expectations(&mut root);
        self.check_root(root, out)
    }

    fn sweep_faults(&self) -> Vec<Diagnostic> {
        match Sweep::of(&self.root) {
            Ok(sweep) => self.override_faults(&sweep),
            Err(faults) => faults,
        }
    }

    fn override_faults(&self, sweep: &Sweep) -> Vec<Diagnostic> {
        sweep.every_override().filter_map(|over| over.apply(&mut self.root.clone()).err()).collect()
    }

    fn check_root(&self, mut root: Node, mut out: Vec<Diagnostic>) -> Result<Scenario, Report> {
        let mut sources = self.sources.clone();
        for of in ["fabric", "host"] {
            if let (Some(schema), Some(at)) = (schema().child(of), root.entries().iter().position(|e| e.key == of)) {
                let entry = root.entries()[at].clone();
                let mut merged = preset::apply(of, schema, entry.value, &mut sources, &mut out);
                if of == "fabric" {
                    merged = preset::apply_dcqcn(schema, merged, &mut sources, &mut out);
                }
                root.put(of, entry.place, merged);
            }
        }
        let place = Place { source: 0, start: 0, end: 1 };
        let mut checker = Checker { sources: &sources, out };
        let checked = checker.map(schema(), &root, "", place);
        let mut out = checker.out;
        let is_sound = out.iter().all(Diagnostic::is_warning);
        if is_sound {
            let spec = Spec::of(&checked);
            rules::check(&spec, &checked, &mut out);
            if out.iter().all(Diagnostic::is_warning) {
                let warnings = Report::new(Vec::new(), out).diagnostics;
                return Ok(Scenario { spec, warnings, sources, root: checked });
            }
        }
        Err(Report::new(sources, out))
    }
}

fn yaml_value(source: &Source, id: u32, skip: usize, value: &str) -> Result<Node, Diagnostic> {
    // Blanks in front keep the places of the value as they are in the assignment.
    let padded = Source::new(source.name.clone(), &format!("{}{value}", " ".repeat(skip)));
    let place = Place { source: id, start: skip as u32, end: source.text.len() as u32 };
    // `2:1` and `A->B` are plain text in YAML, and nobody quotes them on a command line.
    yaml::parse(&padded, id).map_err(|diagnostic| diagnostic.at(place))
}

impl Scenario {
    /// Reads and checks a text: for tests and examples.
    pub fn parse(name: &str, text: &str) -> Result<Scenario, Report> {
        Document::parse(name, text)?.check()
    }

    /// The whole scenario with every default, as YAML; reading it gives the same settings.
    pub fn effective(&self) -> String {
        effective::write(&self.root)
    }

    /// Where a setting stands, by dotted path; the nearest setting above it when it was left to its default.
    pub fn place(&self, path: &str) -> Option<Place> {
        place_in(&self.root, path)
    }

    /// A diagnostic at a setting: for what only a later step can find.
    pub fn at(&self, path: &str, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.at(self.place(path))
    }

    /// Diagnostics found later, as a report with the texts of this scenario.
    pub fn report(&self, diagnostics: Vec<Diagnostic>) -> Report {
        Report::new(self.sources.clone(), diagnostics)
    }
}

pub(crate) fn place_in(root: &Item, path: &str) -> Option<Place> {
    let mut path = path;
    loop {
        if let Some(item) = root.at(path).filter(|item| item.place.is_written()) {
            return Some(item.place);
        }
        path = path.rsplit_once('.')?.0;
    }
}
