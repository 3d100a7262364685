use crate::item::{Item, Value};
use crate::node::{Node, Tree};

/// The scenario with every default written out, as YAML that reads back as the same scenario.
pub(crate) fn write(root: &Item) -> String {
    let mut out = String::new();
    for (key, item) in root.entries() {
        block(&mut out, key, item, 0);
    }
    out
}

fn block(out: &mut String, key: &str, item: &Item, depth: usize) {
    let indent = "  ".repeat(depth);
    let key = word_or_quoted(key);
    match &item.value {
        Value::Map(entries) if !entries.is_empty() => {
            out.push_str(&format!("{indent}{key}:\n"));
            for (key, item) in entries {
                block(out, key, item, depth + 1);
            }
        }
        Value::List(items) if items.iter().any(|item| matches!(item.value, Value::Map(_))) => {
            out.push_str(&format!("{indent}{key}:\n"));
            for item in items {
                out.push_str(&format!("{indent}  - {}\n", flow(item)));
            }
        }
        _ => out.push_str(&format!("{indent}{key}: {}\n", flow(item))),
    }
}

fn flow(item: &Item) -> String {
    match &item.value {
        Value::Word(word) => word.to_string(),
        Value::Text(text) => word_or_quoted(text),
        Value::Bool(value) => value.to_string(),
        Value::Count(value) => value.to_string(),
        Value::Link(link) if link.is_both => format!("[{}, {}]", word_or_quoted(&link.from), word_or_quoted(&link.to)),
        Value::Link(link) => quoted(&link.to_string()),
        Value::Any(node) => any(node),
        Value::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let inner: Vec<String> =
                entries.iter().map(|(key, item)| format!("{}: {}", word_or_quoted(key), flow(item))).collect();
            format!("{{{}}}", inner.join(", "))
        }
        quantity => quoted(&quantity.scalar().unwrap_or_default()),
    }
}

fn any(node: &Node) -> String {
    match &node.tree {
        Tree::Null => "null".to_string(),
        Tree::Scalar { text, quoted: false } => word_or_quoted(text),
        Tree::Scalar { text, quoted: true } => quoted(text),
        Tree::List(items) => format!("[{}]", items.iter().map(any).collect::<Vec<_>>().join(", ")),
        Tree::Map(entries) => {
            let inner: Vec<String> =
                entries.iter().map(|e| format!("{}: {}", word_or_quoted(&e.key), any(&e.value))).collect();
            format!("{{{}}}", inner.join(", "))
        }
    }
}

/// Plain where no YAML reader could take it for anything else.
fn word_or_quoted(text: &str) -> String {
    const TAKEN: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.');
    let is_number =
        !text.is_empty() && text.len() < 16 && text.chars().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
    if (begins && is_plain && !TAKEN.contains(&text.to_ascii_lowercase().as_str())) || is_number {
        text.to_string()
    } else {
        quoted(text)
    }
}

/// A JSON string, which YAML reads as the same text.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || c == '\u{feff}' || c == '\u{2028}' || c == '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
