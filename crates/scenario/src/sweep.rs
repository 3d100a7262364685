use crate::diagnostic::{Code, Diagnostic};
use crate::node::{Node, Tree};
use crate::overrides::Override;
use crate::source::Place;

/// The most points a sweep may have.
pub const POINT_LIMIT: u64 = 1_000_000;

/// The points of a sweep: variants times axes times zipped lists times seeds.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// Variant that others are compared with.
    pub baseline: Option<String>,
    /// The columns that make a point, outermost first; seeds are inside them.
    pub axes: Vec<Axis>,
    /// The seeds of each point.
    seeds: Seeds,
}

/// Settings that vary together, and the values they take.
#[derive(Clone, Debug)]
pub struct Axis {
    /// `variant`, a dotted path, or zipped paths joined by `+`.
    pub name: String,
    /// Labels and settings, in the order of the file.
    pub values: Vec<(String, Vec<Override>)>,
}

#[derive(Clone, Debug, Default)]
struct Seeds {
    first: u64,
    count: u64,
    /// Purposes that vary; empty: all.
    vary: Vec<String>,
}

/// One run of a sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its number, from 0.
    pub index: u64,
    /// Axis and label, outermost first.
    pub labels: Vec<(String, String)>,
    /// Its seed.
    pub seed: u64,
    /// What it changes.
    pub(crate) overrides: Vec<Override>,
}

/// Name of the axis of variants.
pub const VARIANT: &str = "variant";

impl Sweep {
    /// From a document whose short forms are written out. Forms that the table of keys refuses are left to it.
    pub(crate) fn of(root: &Node) -> Result<Sweep, Vec<Diagnostic>> {
        let seed = root.get("seed").and_then(Node::as_text).and_then(|text| text.trim().parse().ok()).unwrap_or(1);
        let mut sweep = Sweep { seeds: Seeds { first: seed, count: 1, vary: Vec::new() }, ..Sweep::default() };
        let Some(node) = root.get("sweep") else { return Ok(sweep) };
        let mut faults = Vec::new();
        sweep.baseline = node.get("baseline").and_then(Node::as_text).map(str::to_string);
        sweep.axes.extend(node.get("variants").and_then(variants));
        for entry in node.get("axes").map_or(&[][..], Node::entries) {
            let place = entry.place;
            match values(&entry.key, place, &entry.value) {
                Ok(values) => sweep.axes.push(Axis { name: entry.key.clone(), values }),
                Err(fault) => faults.push(fault),
            }
        }
        match node.get("zip").map(zipped) {
            Some(Ok(axis)) => sweep.axes.extend(axis),
            Some(Err(fault)) => faults.push(fault),
            None => {}
        }
        if let Some(seeds) = node.get("seeds") {
            let count = seeds.get("count").and_then(Node::as_text).and_then(|text| text.trim().parse().ok());
            sweep.seeds.count = count.unwrap_or(1).max(1);
            sweep.seeds.vary = match seeds.get("vary").map(|vary| &vary.tree) {
                Some(Tree::List(items)) => items.iter().filter_map(Node::as_text).map(str::to_string).collect(),
                _ => Vec::new(),
            };
        }
        let known =
            |name: &String| sweep.axes.iter().any(|a| a.name == VARIANT && a.values.iter().any(|(n, _)| n == name));
        if let (Some(name), Some(place)) = (&sweep.baseline, node.get("baseline").map(|node| node.place))
            && !known(name)
        {
            faults.push(
                Diagnostic::new(Code::BadSweep, format!("the baseline `{name}` is not one of the variants")).at(place),
            );
        }
        if sweep.size().is_none_or(|size| size > POINT_LIMIT) {
            let text = format!("the sweep has more than {POINT_LIMIT} points");
            faults.push(Diagnostic::new(Code::BadSweep, text).at(node.place));
        }
        if faults.is_empty() { Ok(sweep) } else { Err(faults) }
    }

    /// How many points there are.
    pub fn len(&self) -> u64 {
        self.size().unwrap_or(0)
    }

    /// Whether there is nothing to run; never so for a sweep that was read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn size(&self) -> Option<u64> {
        self.axes.iter().try_fold(self.seeds.count, |size, axis| size.checked_mul(axis.values.len() as u64))
    }

    /// A point by its number; `None` past the end.
    pub fn point(&self, index: u64) -> Option<Point> {
        if index >= self.len() {
            return None;
        }
        let offset = index % self.seeds.count;
        let mut rest = index / self.seeds.count;
        let mut chosen = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            chosen.push((axis, (rest % axis.values.len() as u64) as usize));
            rest /= axis.values.len() as u64;
        }
        chosen.reverse();
        let labels = chosen.iter().map(|(axis, at)| (axis.name.clone(), axis.values[*at].0.clone())).collect();
        let mut overrides: Vec<Override> = chosen.iter().flat_map(|(axis, at)| axis.values[*at].1.clone()).collect();
        let seed = self.seeds.first.wrapping_add(offset);
        if self.seeds.count > 1 {
            overrides.extend(self.seeds.settings(seed));
        }
        Some(Point { index, labels, seed, overrides })
    }

    /// All points in order.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        (0..self.len()).filter_map(|index| self.point(index))
    }

    pub(crate) fn every_override(&self) -> impl Iterator<Item = &Override> {
        self.axes.iter().flat_map(|axis| &axis.values).flat_map(|(_, overrides)| overrides)
    }
}

impl Seeds {
    fn settings(&self, seed: u64) -> Vec<Override> {
        const ALL: usize = 5;
        let set = |path: String| Override {
            path,
            place: Place::NOWHERE,
            value: Node::text(seed.to_string(), Place::NOWHERE),
        };
        if self.vary.is_empty() || self.vary.len() >= ALL {
            return vec![set("seed".to_string())];
        }
        self.vary.iter().map(|purpose| set(format!("streams.{purpose}"))).collect()
    }
}

fn variants(node: &Node) -> Option<Axis> {
    let settings = |node: &Node| {
        let set = |entry: &crate::node::Entry| Override {
            path: entry.key.clone(),
            place: entry.place,
            value: entry.value.clone(),
        };
        node.entries().iter().map(set).collect::<Vec<_>>()
    };
    let values: Vec<_> = node.entries().iter().map(|entry| (entry.key.clone(), settings(&entry.value))).collect();
    (!values.is_empty()).then(|| Axis { name: VARIANT.to_string(), values })
}

fn values(path: &str, place: Place, node: &Node) -> Result<Vec<(String, Vec<Override>)>, Diagnostic> {
    let set = |value: &Node| vec![Override { path: path.to_string(), place, value: value.clone() }];
    let values: Vec<_> = match &node.tree {
        Tree::List(items) => items.iter().map(|item| (item.label(), set(item))).collect(),
        Tree::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), set(&entry.value))).collect(),
        Tree::Scalar { .. } | Tree::Null => {
            let text = format!("the axis `{path}` is {}, and a list of values is needed", node.form());
            let help = format!("write `{path}: [{}]`, or a map from label to value", node.label());
            return Err(Diagnostic::new(Code::BadSweep, text).at(place).help(help));
        }
    };
    if values.is_empty() {
        return Err(Diagnostic::new(Code::BadSweep, format!("the axis `{path}` has no values")).at(place));
    }
    Ok(values)
}

fn zipped(node: &Node) -> Result<Option<Axis>, Diagnostic> {
    let mut axis: Option<Axis> = None;
    for entry in node.entries() {
        let values = values(&entry.key, entry.place, &entry.value)?;
        match &mut axis {
            None => axis = Some(Axis { name: entry.key.clone(), values }),
            Some(axis) if axis.values.len() == values.len() => {
                axis.name = format!("{}+{}", axis.name, entry.key);
                for (known, (label, overrides)) in axis.values.iter_mut().zip(values) {
                    known.0 = format!("{}+{label}", known.0);
                    known.1.extend(overrides);
                }
            }
            Some(axis) => {
                let text = format!(
                    "lists that move together have equal lengths: `{}` has {}, and those before it have {}",
                    entry.key,
                    values.len(),
                    axis.values.len()
                );
                return Err(Diagnostic::new(Code::BadSweep, text).at(entry.place));
            }
        }
    }
    Ok(axis)
}

impl Point {
    /// The label of an axis.
    pub fn label(&self, axis: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| name == axis).map(|(_, label)| label.as_str())
    }

    /// Leaves only the expectations that hold at this point by themselves.
    pub(crate) fn select_expectations(&self, root: &mut Node) {
        let Some(mut expect) = root.remove("expect") else { return };
        if let Tree::List(items) = &mut expect.value.tree {
            items.retain(|item| self.is_meant_by(item));
            for item in items {
                item.remove("of");
                item.remove("when");
            }
        }
        root.put("expect", expect.place, expect.value);
    }

    fn is_meant_by(&self, item: &Node) -> bool {
        let of = item.get("of").and_then(Node::as_text);
        let when = item.get("when").map_or(&[][..], Node::entries);
        item.get("relative_to").is_none()
            && of.is_none_or(|of| self.label(VARIANT) == Some(of))
            && when.iter().all(|entry| self.matches(&entry.key, &entry.value.label()))
    }

    /// Whether a condition of an expectation holds here: by label, or by the value that was set.
    pub fn matches(&self, path: &str, value: &str) -> bool {
        let is_set = |over: &Override| over.path == path && over.value.label() == value;
        self.label(path) == Some(value) || self.overrides.iter().any(is_set)
    }
}
