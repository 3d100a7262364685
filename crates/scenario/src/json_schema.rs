use serde_json::{Map, Value, json};

use crate::keys::{Key, Schema, Type, schema};

/// JSON Schema (draft 2020-12) of a scenario, for editors.
pub fn json_schema() -> Value {
    let mut root = map_schema(schema(), None, true);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("fabricsim scenario");
    root
}

/// A map: the keys of all its kinds together, since editors show one map at a time.
fn map_schema(schema: &Schema, row: Option<&Key>, is_top: bool) -> Value {
    let mut properties = Map::new();
    for (name, child) in schema.children.iter().filter(|(name, _)| !matches!(*name, "[]" | "*")) {
        properties.insert((*name).to_string(), any_of(child));
    }
    let required: Vec<&str> = schema
        .children
        .iter()
        // A preset may give what a fabric requires, and another kind may not have the key.
        .filter(|(_, child)| !child.rows.is_empty() && child.rows.iter().all(is_required))
        .filter(|(_, child)| child.rows.iter().any(|key| !key.is_later && !key.path.starts_with("fabric.")))
        .map(|(name, _)| *name)
        .collect();
    let mut out = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    // Merge keys and anchor holders are YAML's way of saying things once.
    let mut patterns = json!({"^<<$": {}});
    if is_top {
        patterns["^x-"] = json!({});
    }
    out["patternProperties"] = patterns;
    out["additionalProperties"] =
        if schema.is_open() { schema.child("*").map_or(json!({}), any_of) } else { json!(false) };
    if let Some((first, second)) = row.and_then(|row| row.pair) {
        let text = format!("[{first}, {second}]");
        return json!({"anyOf": [out, {"type": "array", "minItems": 2, "maxItems": 2, "description": text}]});
    }
    out
}

fn is_required(row: &&'static Key) -> bool {
    (row.required && row.of.is_empty()) || row.is_later
}

/// One path: any of its rows.
fn any_of(schema: &Schema) -> Value {
    let mut forms: Vec<Value> = schema.rows.iter().flat_map(|row| forms(schema, row)).collect();
    forms.dedup();
    let description: Vec<String> = schema.rows.iter().map(|row| describe(row)).collect();
    let mut out = if forms.len() == 1 { forms.remove(0) } else { json!({"anyOf": forms}) };
    out["description"] = json!(description.join(" / "));
    if let [row] = schema.rows.as_slice()
        && let Some(default) = row.default.filter(|_| !matches!(row.ty, Type::Map | Type::List))
    {
        out["default"] = json!(default);
    }
    out
}

fn describe(row: &Key) -> String {
    let of = if row.of.is_empty() { String::new() } else { format!(" ({})", row.of.replace(' ', ", ")) };
    let later = if row.is_later { "Not supported yet. " } else { "" };
    format!("{later}{}{of}", row.meaning)
}

fn forms(schema: &Schema, row: &Key) -> Vec<Value> {
    let words: Vec<&str> = row.ready_words().collect();
    let mut out = Vec::new();
    if !words.is_empty() {
        out.push(json!({"enum": words}));
    }
    let number = r"^[+]?[0-9_.]+([eE][+-]?[0-9]+)? ?";
    let unit = |units: &str| json!({"type": "string", "pattern": format!("{number}({units})$")});
    match row.ty {
        Type::Map => {
            out.push(map_schema(schema, Some(row), false));
            if !row.short.is_empty() {
                out.extend(schema.child(row.short).map(any_of));
            }
        }
        Type::List => out.push(json!({"type": "array", "items": schema.item().map_or(json!({}), any_of)})),
        Type::Word => {}
        Type::Any => out.push(json!({})),
        Type::Bool => out.push(json!({"type": "boolean"})),
        Type::Count => {
            out.push(json!({"type": "integer", "minimum": 0}));
            out.push(unit("[KMBT]?"));
        }
        Type::Fraction => {
            out.push(json!({"type": "number", "minimum": 0}));
            out.push(json!({"type": "string", "pattern": r"^[0-9_.eE+-]+ ?(%|/ ?[0-9_.]+)?$"}));
        }
        Type::Ratio => out.push(json!({"type": "string", "pattern": r"^[0-9_.]+ ?: ?[0-9_.]+$"})),
        Type::Time => out.push(unit("ps|ns|us|µs|ms|s|min|h")),
        Type::Bytes => out.push(unit("[KMGT]?B|[KMGT]iB")),
        Type::Rate => out.push(unit("[KMGT]?bps|[KMGT]?b/s|[KMGT]?B/s|[KMGT]iB/s")),
        Type::Length => out.push(unit("m|cm|mm|km")),
        Type::Blocks => out.push(unit("blocks?")),
        Type::Link => {
            out.push(json!({"type": "string", "pattern": "->"}));
            out.push(json!({"type": "array", "minItems": 2, "maxItems": 2}));
        }
        Type::Text | Type::Name | Type::Value => out.push(json!({"type": ["string", "number", "boolean", "null"]})),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_knows_keys_words_and_units() {
        let schema = json_schema();
        let fabric = &schema["properties"]["fabric"]["anyOf"];
        let map = fabric.as_array().unwrap().iter().find(|form| form["type"] == "object").unwrap();
        assert_eq!(map["additionalProperties"], json!(false));
        let control = &map["properties"]["flow_control"];
        assert_eq!(control["enum"], json!(["pfc", "credit", "none"]));
        let rate = &map["properties"]["link"]["properties"]["rate"];
        assert!(rate["pattern"].as_str().unwrap().contains("bps"));
        assert_eq!(schema["required"], json!(["name", "topology", "fabric", "workload"]));
    }
}
