use crate::source::Place;

/// A value of the file and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What was written.
    pub tree: Tree,
    /// Where it is used (the alias, for an alias).
    pub place: Place,
}

/// The forms a value can have. Scalars stay text: `0755`, `.nan` and twenty digits are what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Nothing, `null` or `~`.
    Null,
    /// A text or number.
    Scalar {
        /// As written, without quotes.
        text: String,
        /// Quoted text is never a number or a truth value.
        quoted: bool,
    },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// Its value.
    pub value: Node,
}

impl Node {
    pub(crate) fn text(text: impl Into<String>, place: Place) -> Node {
        Node { tree: Tree::Scalar { text: text.into(), quoted: false }, place }
    }

    pub(crate) fn map(entries: Vec<Entry>, place: Place) -> Node {
        Node { tree: Tree::Map(entries), place }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.tree {
            Tree::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.tree {
            Tree::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let Tree::Map(entries) = &mut self.tree else { return None };
        let at = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(at))
    }

    /// Puts a value under a key, in place of what is there.
    pub(crate) fn put(&mut self, key: &str, place: Place, value: Node) {
        if !matches!(self.tree, Tree::Map(_)) {
            self.tree = Tree::Map(Vec::new());
        }
        if let Tree::Map(entries) = &mut self.tree {
            match entries.iter_mut().find(|entry| entry.key == key) {
                Some(entry) => (entry.place, entry.value) = (place, value),
                None => entries.push(Entry { key: key.to_string(), place, value }),
            }
        }
    }

    /// What it is, for messages: "a list".
    pub(crate) fn form(&self) -> &'static str {
        match &self.tree {
            Tree::Null => "nothing",
            Tree::Scalar { .. } => "a single value",
            Tree::List(_) => "a list",
            Tree::Map(_) => "a map",
        }
    }

    /// In one line, for labels and messages.
    pub(crate) fn label(&self) -> String {
        match &self.tree {
            Tree::Null => "null".to_string(),
            Tree::Scalar { text, .. } => text.clone(),
            Tree::List(items) => format!("[{}]", items.iter().map(Node::label).collect::<Vec<_>>().join(", ")),
            Tree::Map(entries) => {
                let inner: Vec<String> = entries.iter().map(|e| format!("{}: {}", e.key, e.value.label())).collect();
                format!("{{{}}}", inner.join(", "))
            }
        }
    }
}
