/// One key of the format, for one kind of the map it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted path; `[]` is an item of a list, `*` any name.
    pub path: &'static str,
    /// Form of the value.
    pub ty: Type,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// The kinds of the enclosing map that have the key, separated by spaces; empty: all.
    pub of: &'static str,
    /// Words that are accepted, separated by spaces; `!` marks those that are not built yet.
    pub words: &'static str,
    /// What stands when it is left out, as text that a user could have written.
    pub default: Option<&'static str>,
    /// What is used when it is left out, if that depends on something else.
    pub inherits: &'static str,
    /// Must be given.
    pub required: bool,
    /// Smallest value.
    pub least: Option<&'static str>,
    /// Largest value.
    pub most: Option<&'static str>,
    /// Has an effect only if the key beside it has one of these words.
    pub when: Option<(&'static str, &'static str)>,
    /// Cannot stand beside this key; the nearer of the two wins.
    pub instead_of: &'static str,
    /// A single value stands for a map with this key.
    pub short: &'static str,
    /// A list of two stands for a map with these two keys.
    pub pair: Option<(&'static str, &'static str)>,
    /// Not built yet; only the default (if any) is accepted.
    pub is_later: bool,
}

/// Forms of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any text.
    Text,
    /// A name of something.
    Name,
    /// `true` or `false`.
    Bool,
    /// A whole number, with K, M, B, T.
    Count,
    /// A time.
    Time,
    /// A size.
    Bytes,
    /// A data rate.
    Rate,
    /// A cable length.
    Length,
    /// A dimensionless value.
    Fraction,
    /// Two numbers and a colon.
    Ratio,
    /// Credit blocks.
    Blocks,
    /// One of the words only.
    Word,
    /// A link: `"A->B"` for one direction, `[A, B]` for both.
    Link,
    /// A number, quantity, word or truth value, judged where it is used.
    Value,
    /// Keys.
    Map,
    /// Items.
    List,
    /// Anything, judged where it is used.
    Any,
}

impl Type {
    /// As shown to people.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Text => "text",
            Type::Name => "name",
            Type::Bool => "true or false",
            Type::Count => "count",
            Type::Time => "time",
            Type::Bytes => "size",
            Type::Rate => "rate",
            Type::Length => "length",
            Type::Fraction => "fraction",
            Type::Ratio => "ratio",
            Type::Blocks => "blocks",
            Type::Word => "word",
            Type::Link => "link",
            Type::Value => "value",
            Type::Map => "map",
            Type::List => "list",
            Type::Any => "anything",
        }
    }

    /// A value to show in help.
    pub const fn example(self) -> &'static str {
        match self {
            Type::Text | Type::Name => "some-name",
            Type::Bool => "true",
            Type::Count => "64",
            Type::Time => "1.5us",
            Type::Bytes => "256MiB",
            Type::Rate => "400Gbps",
            Type::Length => "30m",
            Type::Fraction => "5%",
            Type::Ratio => "\"2:1\"",
            Type::Blocks => "2048 blocks",
            Type::Word => "a word",
            Type::Link => "\"leaf0->spine1\" or [leaf0, spine1]",
            Type::Value => "12ms",
            Type::Map => "{key: value}",
            Type::List => "[item, item]",
            Type::Any => "a value",
        }
    }
}

/// A row of the table: what every key has to say.
pub(super) const fn key(path: &'static str, ty: Type, meaning: &'static str) -> Key {
    Key {
        path,
        ty,
        meaning,
        of: "",
        words: "",
        default: None,
        inherits: "",
        required: false,
        least: None,
        most: None,
        when: None,
        instead_of: "",
        short: "",
        pair: None,
        is_later: false,
    }
}

impl Key {
    pub(super) const fn of(mut self, kinds: &'static str) -> Key {
        self.of = kinds;
        self
    }

    pub(super) const fn words(mut self, words: &'static str) -> Key {
        self.words = words;
        self
    }

    pub(super) const fn default(mut self, text: &'static str) -> Key {
        self.default = Some(text);
        self
    }

    pub(super) const fn inherits(mut self, what: &'static str) -> Key {
        self.inherits = what;
        self
    }

    pub(super) const fn required(mut self) -> Key {
        self.required = true;
        self
    }

    pub(super) const fn least(mut self, text: &'static str) -> Key {
        self.least = Some(text);
        self
    }

    pub(super) const fn most(mut self, text: &'static str) -> Key {
        self.most = Some(text);
        self
    }

    pub(super) const fn when(mut self, sibling: &'static str, words: &'static str) -> Key {
        self.when = Some((sibling, words));
        self
    }

    pub(super) const fn instead_of(mut self, sibling: &'static str) -> Key {
        self.instead_of = sibling;
        self
    }

    pub(super) const fn short(mut self, key: &'static str) -> Key {
        self.short = key;
        self
    }

    pub(super) const fn pair(mut self, first: &'static str, second: &'static str) -> Key {
        self.pair = Some((first, second));
        self
    }

    pub(super) const fn later(mut self) -> Key {
        self.is_later = true;
        self
    }

    /// Whether maps of this kind have the key; without a kind every row counts.
    pub fn applies_to(&self, kind: Option<&str>) -> bool {
        self.of.is_empty() || kind.is_none_or(|kind| self.of.split(' ').any(|of| of == kind))
    }

    /// The words that are accepted today.
    pub fn ready_words(&self) -> impl Iterator<Item = &'static str> {
        self.words.split_whitespace().filter(|word| !word.starts_with('!'))
    }

    /// The words that belong to the format but are not built yet.
    pub fn later_words(&self) -> impl Iterator<Item = &'static str> {
        self.words.split_whitespace().filter_map(|word| word.strip_prefix('!'))
    }

    /// The last part of the path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }
}
