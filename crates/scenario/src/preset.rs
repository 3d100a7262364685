use crate::diagnostic::{Code, Diagnostic};
use crate::keys::Schema;
use crate::node::Node;
use crate::shorthand::{expand, merge};
use crate::source::Source;
use crate::suggest::nearest;
use crate::yaml;

/// A named part of a scenario that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The key it is a preset of: `fabric`, `host` or `fabric.congestion_control`.
    pub of: &'static str,
    /// The YAML text, each value with its source.
    pub text: &'static str,
}

macro_rules! presets {
    ($($of:literal: $($name:literal)+;)+) => {
        /// Every preset.
        pub const PRESETS: &[Preset] = &[
            $($(Preset { name: $name, of: $of, text: include_str!(concat!("../presets/", $name, ".yaml")) },)+)+
        ];
    };
}

presets! {
    "fabric": "ib-hdr" "ib-ndr" "ib-xdr" "roce-100g" "roce-200g" "roce-400g" "roce-800g";
    "host": "dgx-h100";
    "fabric.congestion_control": "dcqcn-paper" "dcqcn-ns3-rdma" "dcqcn-hpcc-400g";
}

/// Names of the format whose presets are not there yet.
const LATER: &[&str] = &["eth-100g-tcp", "eth-400g-tcp", "efa-srd"];

impl Preset {
    /// By name, among those of a key.
    pub fn find(of: &str, name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.of == of && preset.name == name)
    }

    fn source(&self) -> Source {
        Source { is_ours: true, ..Source::new(format!("preset {}", self.name), self.text) }
    }
}

/// Lays `fabric` or `host` of a scenario over the preset it names.
pub(crate) fn apply(
    of: &str,
    schema: &Schema,
    node: Node,
    sources: &mut Vec<Source>,
    out: &mut Vec<Diagnostic>,
) -> Node {
    let Some((name, place)) = node.get("preset").and_then(|name| Some((name.as_text()?.to_string(), name.place)))
    else {
        return node;
    };
    let preset = match Preset::find(of, &name) {
        Some(preset) => preset,
        None => {
            out.push(unknown(of, &name).at(place));
            // The rest is still checked, against some preset, so that nothing seems to be missing.
            match PRESETS.iter().find(|preset| preset.of == of) {
                Some(preset) => preset,
                None => return node,
            }
        }
    };
    lay_over(preset, schema, node, sources, out)
}

/// Lays the settings of DCQCN in a fabric over the parameters that they name.
pub(crate) fn apply_dcqcn(
    schema: &Schema,
    mut fabric: Node,
    sources: &mut Vec<Source>,
    out: &mut Vec<Diagnostic>,
) -> Node {
    const KEY: &str = "congestion_control";
    let entry = fabric.entries().iter().find(|entry| entry.key == KEY).cloned();
    let Some((entry, schema)) = entry.zip(schema.child(KEY)) else { return fabric };
    let word = |key| entry.value.get(key).and_then(Node::as_text);
    if word("kind") != Some("dcqcn") {
        return fabric;
    }
    // An unknown word is reported by the table of keys; some preset then keeps the rest from seeming to be missing.
    let name = format!("dcqcn-{}", word("preset").unwrap_or("paper"));
    let of = "fabric.congestion_control";
    let preset = Preset::find(of, &name).or_else(|| PRESETS.iter().find(|preset| preset.of == of));
    let Some(preset) = preset else { return fabric };
    let merged = lay_over(preset, schema, entry.value, sources, out);
    fabric.put(KEY, entry.place, merged);
    fabric
}

fn lay_over(
    preset: &Preset,
    schema: &Schema,
    node: Node,
    sources: &mut Vec<Source>,
    out: &mut Vec<Diagnostic>,
) -> Node {
    let source = preset.source();
    let id = sources.len() as u32;
    let parsed = yaml::parse(&source, id);
    sources.push(source);
    match parsed {
        Ok(mut base) => {
            expand(schema, &mut base);
            merge(schema, base, node)
        }
        Err(diagnostic) => {
            out.push(diagnostic);
            node
        }
    }
}

fn unknown(of: &str, name: &str) -> Diagnostic {
    if LATER.contains(&name) {
        return Diagnostic::new(Code::NotYet, format!("the preset `{name}` is not supported yet"));
    }
    let names: Vec<&str> = PRESETS.iter().filter(|preset| preset.of == of).map(|preset| preset.name).collect();
    let diagnostic = Diagnostic::new(Code::UnknownPreset, format!("`{name}` is not a preset of `{of}`"));
    let diagnostic = match nearest(name, names.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    };
    diagnostic.help(format!("presets: {}", names.join(", ")))
}
