use crate::diagnostic::{Code, Diagnostic};
use crate::item::{Item, Value};
use crate::keys::{Key, Schema, Type, all};
use crate::node::{Entry, Node, Tree};
use crate::scalar;
use crate::source::{Place, Source};
use crate::suggest::nearest;

/// Checks a tree against the table of keys and fills in the defaults.
pub(crate) struct Checker<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) out: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// A map and everything below it. `path` is empty at the top.
    pub(crate) fn map(&mut self, schema: &Schema, node: &Node, path: &str, place: Place) -> Item {
        let before = self.out.len();
        let kind = self.kind(schema, node, path);
        let mut given = Vec::new();
        for entry in node.entries() {
            if !is_holder(path, &entry.key) {
                self.entry(schema, &kind, entry, path, &mut given);
            }
        }
        if kind == Kind::Later {
            let kind = node.get("kind").map(|kind| kind.place);
            let keep = |d: &Diagnostic| d.code == Code::UnknownKey || (d.code == Code::NotYet && d.place == kind);
            let mut after = self.out.split_off(before);
            after.retain(keep);
            self.out.append(&mut after);
        }
        self.exclusive(schema, node, path);
        let entries = self.complete(schema, &kind, given, path, (node, place));
        Item { value: Value::Map(entries), place }
    }

    /// Which kind the map is, from its `kind` key or that key's default.
    fn kind(&mut self, schema: &Schema, node: &Node, path: &str) -> Kind {
        let Some(row) = schema.kind() else { return Kind::None };
        match node.get("kind").map(|kind| (kind, kind.as_text().unwrap_or_default().trim())) {
            Some((_, text)) => match row.ready_words().find(|word| *word == text) {
                Some(word) => Kind::Is(word),
                None if row.later_words().any(|word| word == text) => Kind::Later,
                None => Kind::Unknown,
            },
            None => match row.default {
                Some(word) => Kind::Is(word),
                None => {
                    let words: Vec<&str> = row.ready_words().collect();
                    let text = format!("`{}` is missing", join(path, "kind"));
                    let place = Some(node.place);
                    let help = format!("one of: {}", words.join(", "));
                    self.out.push(Diagnostic::new(Code::MissingKey, text).at(place).help(help));
                    Kind::Unknown
                }
            },
        }
    }

    fn entry(&mut self, schema: &Schema, kind: &Kind, entry: &Entry, path: &str, given: &mut Vec<(String, Item)>) {
        let below = join(path, &entry.key);
        let Some(child) = schema.child(&entry.key) else {
            self.out.push(unknown_key(schema, kind, entry, path));
            return;
        };
        let Some(row) = child.row(kind.name(), |ty| fits(ty, &entry.value)) else {
            self.out.push(other_kind(child, kind, entry, &below));
            return;
        };
        if let Some(item) = self.value(child, row, &entry.value, &below, entry.place) {
            if row.is_later && !self.is_default(row, &item) {
                self.out.push(later(row, entry, &below));
            }
            given.push((entry.key.clone(), item));
        }
    }

    /// One value; `None` when it was refused.
    fn value(&mut self, schema: &Schema, row: &Key, node: &Node, path: &str, place: Place) -> Option<Item> {
        let result = match (row.ty, &node.tree) {
            (Type::Map, Tree::Map(_)) => return Some(self.map(schema, node, path, place)),
            (Type::List, Tree::List(items)) => return Some(self.list(schema, items, path, place)),
            (Type::Map | Type::List, Tree::Scalar { text, .. }) => match row.ready_words().find(|word| *word == text) {
                Some(word) => Ok(Value::Word(word)),
                None => Err(scalar::wrong_form(row, node, path)),
            },
            (Type::Map | Type::List, _) => Err(scalar::wrong_form(row, node, path)),
            _ => scalar::read(row, node, path),
        };
        match result {
            Ok(value) => Some(Item { value, place: if node.place.is_written() { node.place } else { place } }),
            Err(diagnostic) => {
                // Nothing can be underlined where the value is missing: then the key is.
                let is_wide = diagnostic.place.is_some_and(|place| place.end > place.start);
                self.out.push(if is_wide { diagnostic } else { diagnostic.at(place) });
                None
            }
        }
    }

    fn list(&mut self, schema: &Schema, items: &[Node], path: &str, place: Place) -> Item {
        let mut out = Vec::with_capacity(items.len());
        if let Some((schema, row)) = schema.item().and_then(|schema| Some((schema, *schema.rows.first()?))) {
            for (index, node) in items.iter().enumerate() {
                let name = node.get("name").and_then(Node::as_text).map_or(index.to_string(), str::to_string);
                out.extend(self.value(schema, row, node, &join(path, &name), node.place));
            }
        }
        Item { value: Value::List(out), place }
    }

    /// All keys of the kind in the order of the table, with defaults; then the freely named ones.
    fn complete(
        &mut self,
        schema: &Schema,
        kind: &Kind,
        mut given: Vec<(String, Item)>,
        path: &str,
        (node, place): (&Node, Place),
    ) -> Vec<(String, Item)> {
        let mut entries: Vec<(String, Item)> = Vec::new();
        for (name, child) in &schema.children {
            if matches!(*name, "*" | "[]") {
                continue;
            }
            let Some(row) = child.row(kind.name(), |_| true) else { continue };
            let found = given.iter().position(|(key, _)| key == name).map(|at| given.remove(at).1);
            let active = row.when.is_none_or(|when| is_active(&entries, when));
            match found {
                Some(item) if active => entries.push((name.to_string(), item)),
                // Kept, so that the scenario that is written out warns as this one does.
                Some(item) if self.no_effect(row, &item, path) => entries.push((name.to_string(), item)),
                Some(_) => {}
                // A value that was refused is not missing as well.
                None if node.get(name).is_some() => {}
                None if kind.is_sure() && active && !row.is_later => {
                    entries.extend(self.default(child, row, path, place).map(|item| (name.to_string(), item)));
                }
                None => {}
            }
        }
        entries.append(&mut given);
        entries
    }

    fn default(&mut self, schema: &Schema, row: &Key, path: &str, place: Place) -> Option<Item> {
        let below = join(path, row.name());
        match row.default {
            // A list has no short form, so its default is the same for every kind.
            Some(text) => {
                let node = default_node(row, text);
                self.value(schema, row, &node, &below, Place::NOWHERE)
            }
            None if row.required => {
                let diagnostic =
                    Diagnostic::new(Code::MissingKey, format!("`{below}` is missing: {}", lower(row.meaning)));
                let help = format!("add `{}: {}`", row.name(), first_example(row));
                self.out.push(diagnostic.at(place).help(help));
                None
            }
            None => None,
        }
    }

    fn is_default(&mut self, row: &Key, item: &Item) -> bool {
        row.default.is_some_and(|text| match scalar::read(row, &default_node(row, text), "") {
            Ok(value) => value.scalar() == item.value.scalar(),
            Err(_) => false,
        })
    }

    /// Keys that cannot stand beside each other.
    fn exclusive(&mut self, schema: &Schema, node: &Node, path: &str) {
        let entries = node.entries();
        for (at, entry) in entries.iter().enumerate() {
            let Some(rows) = schema.child(&entry.key).map(|child| &child.rows) else { continue };
            let other = rows.iter().map(|row| row.instead_of).find(|other| !other.is_empty());
            let Some(earlier) = other.and_then(|other| entries.iter().position(|e| e.key == other)) else { continue };
            // Two keys may name each other; the pair is reported once, at the later one.
            let mutual =
                schema.child(&entries[earlier].key).is_some_and(|c| c.rows.iter().any(|r| r.instead_of == entry.key));
            if earlier < at || !mutual {
                let text = format!("`{}` and `{}` cannot both be given", join(path, &entries[earlier].key), entry.key);
                let help = "each says the same thing in its way: keep one";
                self.out.push(Diagnostic::new(Code::Contradiction, text).at(entry.place).help(help));
            }
        }
    }

    /// Warns of a key that has no effect beside the others, unless it comes from a preset.
    fn no_effect(&mut self, row: &Key, item: &Item, path: &str) -> bool {
        let is_ours = self.sources.get(item.place.source as usize).is_none_or(|source| source.is_ours);
        if let Some((sibling, words)) = row.when.filter(|_| !is_ours) {
            let text = format!("`{}` has no effect: `{}` is not {words}", join(path, row.name()), join(path, sibling));
            self.out.push(Diagnostic::new(Code::NoEffect, text).at(item.place));
        }
        !is_ours
    }
}

/// What is known about the kind of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The map has no kinds.
    None,
    Is(&'static str),
    /// A word of the format that is not built yet.
    Later,
    /// Wrong or missing; already reported.
    Unknown,
}

impl Kind {
    fn name(&self) -> Option<&'static str> {
        match self {
            Kind::Is(word) => Some(word),
            _ => None,
        }
    }

    fn is_sure(&self) -> bool {
        matches!(self, Kind::None | Kind::Is(_))
    }
}

/// Top-level keys beginning with `x-` hold anchors for use elsewhere.
fn is_holder(path: &str, key: &str) -> bool {
    path.is_empty() && key.starts_with("x-")
}

pub(crate) fn fits(ty: Type, node: &Node) -> bool {
    match node.tree {
        Tree::Map(_) => matches!(ty, Type::Map | Type::Any),
        Tree::List(_) => matches!(ty, Type::List | Type::Any | Type::Link),
        Tree::Scalar { .. } | Tree::Null => !matches!(ty, Type::Map | Type::List),
    }
}

fn is_active(entries: &[(String, Item)], (sibling, words): (&str, &str)) -> bool {
    let word = entries.iter().find(|(name, _)| name == sibling).map(|(_, item)| item.text());
    // Without the sibling there is an error already, and it should not bring others with it.
    word.is_none_or(|word| words.split(' ').any(|w| w == word))
}

/// A default as a node: `{}`, `[]`, `[a, b]`, a single value, or the short form of a map.
pub(crate) fn default_node(row: &Key, text: &str) -> Node {
    let place = Place::NOWHERE;
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
        return Node { tree: Tree::List(items.map(|item| Node::text(item, place)).collect()), place };
    }
    match text {
        "{}" => Node::map(Vec::new(), place),
        _ if row.ty == Type::Map && !row.short.is_empty() => {
            Node::map(vec![Entry { key: row.short.to_string(), place, value: Node::text(text, place) }], place)
        }
        _ => Node::text(text, place),
    }
}

pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

fn lower(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn first_example(row: &Key) -> String {
    row.ready_words().next().map_or_else(|| row.ty.example().to_string(), str::to_string)
}

fn later(row: &Key, entry: &Entry, path: &str) -> Diagnostic {
    let text = match row.default {
        Some(default) => format!("`{path}` other than {default} is not supported yet"),
        None => format!("`{path}` is not supported yet"),
    };
    Diagnostic::new(Code::NotYet, text).at(entry.place)
}

fn other_kind(child: &Schema, kind: &Kind, entry: &Entry, path: &str) -> Diagnostic {
    let mut kinds: Vec<&str> = child.rows.iter().flat_map(|row| row.of.split(' ')).collect();
    kinds.dedup();
    let text = format!("`{path}` does not apply to kind {}", kind.name().unwrap_or_default());
    Diagnostic::new(Code::OtherKind, text).at(entry.place).help(format!("it belongs to: {}", kinds.join(", ")))
}

fn unknown_key(schema: &Schema, kind: &Kind, entry: &Entry, path: &str) -> Diagnostic {
    let here = if path.is_empty() { "a scenario".to_string() } else { format!("`{path}`") };
    let diagnostic =
        Diagnostic::new(Code::UnknownKey, format!("unknown key `{}` in {here}", entry.key)).at(entry.place);
    let names = schema.names(kind.name());
    if let Some(near) = nearest(&entry.key, names.iter().copied()) {
        return diagnostic.help(format!("did you mean `{near}`?"));
    }
    let elsewhere: Vec<&str> = all()
        .map(|key| key.path)
        .filter(|path| path.rsplit(['.', ']']).next() == Some(entry.key.as_str()))
        .take(3)
        .collect();
    let diagnostic =
        if names.is_empty() { diagnostic } else { diagnostic.help(format!("keys here: {}", names.join(", "))) };
    if elsewhere.is_empty() { diagnostic } else { diagnostic.help(format!("there is `{}`", elsewhere.join("`, `"))) }
}
