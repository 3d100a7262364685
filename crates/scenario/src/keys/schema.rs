use std::sync::OnceLock;

use super::{Key, Type, all};

/// The table of keys as a tree: rows for one path, and what may stand below it.
#[derive(Debug, Default)]
pub struct Schema {
    /// The rows of this path: one for each kind or form.
    pub rows: Vec<&'static Key>,
    /// Keys below, `[]` for the items of a list, `*` for any name; in the order of the table.
    pub children: Vec<(&'static str, Schema)>,
}

/// The whole table as a tree.
pub fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut root = Schema::default();
        for key in all() {
            root.insert(key);
        }
        root
    })
}

impl Schema {
    fn insert(&mut self, key: &'static Key) {
        let mut at = self;
        for name in segments(key.path) {
            let index = at.children.iter().position(|(child, _)| *child == name).unwrap_or_else(|| {
                at.children.push((name, Schema::default()));
                at.children.len() - 1
            });
            at = &mut at.children[index].1;
        }
        at.rows.push(key);
    }

    /// The row of the `kind` key, where maps have kinds.
    pub fn kind(&self) -> Option<&'static Key> {
        self.children.iter().find(|(name, _)| *name == "kind").and_then(|(_, schema)| schema.rows.first().copied())
    }

    /// What stands under a name; `*` takes any.
    pub fn child(&self, name: &str) -> Option<&Schema> {
        let exact = self.children.iter().find(|(child, _)| *child == name);
        exact.or_else(|| self.children.iter().find(|(child, _)| *child == "*")).map(|(_, schema)| schema)
    }

    /// What the items of a list are.
    pub fn item(&self) -> Option<&Schema> {
        self.child("[]")
    }

    /// The row for a kind of the enclosing map and a form of the value, or the nearest there is.
    pub fn row(&self, kind: Option<&str>, fits: impl Fn(Type) -> bool) -> Option<&'static Key> {
        let of_kind = || self.rows.iter().copied().filter(|row| row.applies_to(kind));
        of_kind().find(|row| fits(row.ty)).or_else(|| of_kind().next())
    }

    /// The names that a map of this kind may have.
    pub fn names(&self, kind: Option<&str>) -> Vec<&'static str> {
        let applies = |schema: &Schema| schema.rows.iter().any(|row| row.applies_to(kind));
        self.children
            .iter()
            .filter(|(name, schema)| *name != "[]" && *name != "*" && applies(schema))
            .map(|(n, _)| *n)
            .collect()
    }

    /// Whether any name is taken.
    pub fn is_open(&self) -> bool {
        self.children.iter().any(|(name, _)| *name == "*") || self.rows.iter().any(|row| row.ty == Type::Any)
    }
}

fn segments(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('.')
        .flat_map(|part| match part.strip_suffix("[]") {
            Some("") => [part, ""],
            Some(name) => [name, "[]"],
            None => [part, ""],
        })
        .filter(|part| !part.is_empty())
}
