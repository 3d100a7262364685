use crate::check::join;
use crate::diagnostic::{Code, Diagnostic};
use crate::keys::{Schema, schema};
use crate::node::{Entry, Node, Tree};
use crate::shorthand::expand;
use crate::source::Place;
use crate::suggest::nearest;

/// A setting that replaces what a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Dotted path; list items by `name` or index.
    pub path: String,
    /// Where the path was written.
    pub place: Place,
    /// The new value.
    pub value: Node,
}

impl Override {
    /// Sets the value in a tree whose short forms are written out.
    pub(crate) fn apply(&self, root: &mut Node) -> Result<(), Diagnostic> {
        let parts: Vec<&str> = self.path.split('.').collect();
        if parts.iter().any(|part| part.is_empty()) {
            let text = format!("`{}` is not a path: it has an empty part", self.path);
            return Err(Diagnostic::new(Code::BadOverride, text).at(self.place));
        }
        self.set(schema(), root, &parts, "")
    }

    fn set(&self, schema: &Schema, node: &mut Node, parts: &[&str], path: &str) -> Result<(), Diagnostic> {
        let Some((first, rest)) = parts.split_first() else {
            self.replace(schema, node);
            return Ok(());
        };
        if schema.item().is_some() && !matches!(node.tree, Tree::Map(_)) {
            let child = schema.item().unwrap_or(schema);
            return self.set(child, self.item(node, first, path)?, rest, &join(path, first));
        }
        let child = schema.child(first).ok_or_else(|| self.unknown(schema, node, first, path))?;
        if *first == "kind" && rest.is_empty() {
            self.change_kind(schema, node);
            return Ok(());
        }
        if child.rows.iter().all(|row| !row.instead_of.is_empty()) || rest.is_empty() {
            for other in child.rows.iter().map(|row| row.instead_of).filter(|other| !other.is_empty()) {
                node.remove(other);
            }
        }
        if node.get(first).is_none() {
            node.put(first, self.place, Node::map(Vec::new(), self.place));
        }
        let Tree::Map(entries) = &mut node.tree else { return Ok(()) };
        match entries.iter_mut().find(|entry| entry.key == *first) {
            Some(Entry { value, .. }) => self.set(child, value, rest, &join(path, first)),
            None => Ok(()),
        }
    }

    fn replace(&self, schema: &Schema, node: &mut Node) {
        *node = self.value.clone();
        expand(schema, node);
    }

    /// Another kind replaces the map, except for keys that mean the same to both kinds.
    fn change_kind(&self, schema: &Schema, node: &mut Node) {
        let new = self.value.as_text().unwrap_or_default().to_string();
        let old = node.get("kind").and_then(Node::as_text).map(str::to_string);
        if let Tree::Map(entries) = &mut node.tree {
            entries.retain(|entry| {
                let rows = schema.child(&entry.key).map_or(&[][..], |child| &child.rows);
                old.as_deref() == Some(new.as_str())
                    || rows.iter().any(|row| row.applies_to(Some(&new)) && row.applies_to(old.as_deref()))
            });
        }
        node.put("kind", self.place, self.value.clone());
    }

    fn item<'n>(&self, node: &'n mut Node, name: &str, path: &str) -> Result<&'n mut Node, Diagnostic> {
        let Tree::List(items) = &mut node.tree else {
            let text = format!("`{path}` has no items, so `{}` leads nowhere", self.path);
            return Err(Diagnostic::new(Code::BadOverride, text).at(self.place));
        };
        let label = |item: &Node| item.get("name").and_then(Node::as_text).map(str::to_string);
        let at = items.iter().position(|item| label(item).as_deref() == Some(name));
        let at = at.or_else(|| name.parse::<usize>().ok().filter(|&index| index < items.len()));
        match at {
            Some(at) => Ok(&mut items[at]),
            None => {
                let names: Vec<String> =
                    items.iter().enumerate().map(|(i, item)| label(item).unwrap_or(i.to_string())).collect();
                let text = format!("`{path}` has no item `{name}`");
                let diagnostic = Diagnostic::new(Code::BadOverride, text).at(self.place);
                Err(match nearest(name, names.iter().map(String::as_str)) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic.help(format!("items: {}", names[..names.len().min(20)].join(", "))),
                })
            }
        }
    }

    fn unknown(&self, schema: &Schema, node: &Node, name: &str, path: &str) -> Diagnostic {
        let kind = node.get("kind").and_then(Node::as_text);
        let names = schema.names(kind);
        let here = if path.is_empty() { "a scenario".to_string() } else { format!("`{path}`") };
        let text = format!("`{}` leads nowhere: {here} has no key `{name}`", self.path);
        let diagnostic = Diagnostic::new(Code::BadOverride, text).at(self.place);
        match nearest(name, names.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{}`?", join(path, near))),
            None if names.is_empty() => diagnostic,
            None => diagnostic.help(format!("keys there: {}", names.join(", "))),
        }
    }
}
