use crate::keys::{Key, Schema, Type};
use crate::node::{Entry, Node, Tree};

/// Writes out short forms: `x: NAME` becomes `x: {kind: NAME}`, `[a, b]` a link.
pub(crate) fn expand(schema: &Schema, node: &mut Node) {
    let row = schema.rows.iter().find(|row| row.ty == Type::Map);
    match (&mut node.tree, row) {
        (Tree::Scalar { text, .. }, Some(row)) if is_short(row, schema, text) => {
            let value = Node { tree: node.tree.clone(), place: node.place };
            node.tree = Tree::Map(vec![Entry { key: row.short.to_string(), place: node.place, value }]);
        }
        (Tree::List(ends), Some(row)) if row.pair.is_some() && ends.len() == 2 => {
            if let (Some((first, second)), [a, b]) = (row.pair, ends.as_slice()) {
                let entry =
                    |key: &str, node: &Node| Entry { key: key.to_string(), place: node.place, value: node.clone() };
                node.tree = Tree::Map(vec![entry(first, a), entry(second, b)]);
            }
        }
        _ => {}
    }
    match &mut node.tree {
        Tree::Map(entries) => {
            for entry in entries {
                if let Some(child) = schema.child(&entry.key) {
                    expand(child, &mut entry.value);
                }
            }
        }
        Tree::List(items) => {
            if let Some(child) = schema.item() {
                items.iter_mut().for_each(|item| expand(child, item));
            }
        }
        Tree::Null | Tree::Scalar { .. } => {}
    }
}

fn is_short(row: &Key, schema: &Schema, text: &str) -> bool {
    let is_plain_value = schema.rows.iter().any(|row| !matches!(row.ty, Type::Map | Type::List));
    !row.short.is_empty() && !is_plain_value && row.ready_words().all(|word| word != text)
}

/// Lays the keys of `over` on `base`: key by key, but a map of another `kind` replaces, and a key drives out those
/// that cannot stand beside it.
pub(crate) fn merge(schema: &Schema, base: Node, over: Node) -> Node {
    if !matches!((&base.tree, &over.tree), (Tree::Map(_), Tree::Map(_))) || has_other_kind(&base, &over) {
        return over;
    }
    let mut merged = base;
    merged.place = over.place;
    let Tree::Map(entries) = over.tree else { return merged };
    for row in entries.iter().filter_map(|entry| schema.child(&entry.key)).flat_map(|child| &child.rows) {
        if !row.instead_of.is_empty() {
            merged.remove(row.instead_of);
        }
    }
    for entry in entries {
        let value = match (schema.child(&entry.key), merged.get(&entry.key)) {
            (Some(child), Some(below)) => merge(child, below.clone(), entry.value),
            _ => entry.value,
        };
        merged.put(&entry.key, entry.place, value);
    }
    merged
}

fn has_other_kind(base: &Node, over: &Node) -> bool {
    let kind = |node: &Node| node.get("kind").and_then(Node::as_text).map(str::to_string);
    kind(over).is_some_and(|kind_over| kind(base).is_some_and(|kind_base| kind_base != kind_over))
}
