use std::fmt;

use units::text::{Blocks, Count, Fraction, Length, Ratio};
use units::{Bytes, Rate, Time};

use crate::node::Node;
use crate::source::Place;

/// A checked value, typed as the table of keys says.
#[derive(Clone, Debug)]
pub struct Item {
    /// The value.
    pub value: Value,
    /// Where it was written: the value, or for maps and lists their key.
    pub place: Place,
}

/// Typed values.
#[derive(Clone, Debug)]
pub enum Value {
    /// One of the words of the table.
    Word(&'static str),
    /// A text, name, or value that is judged later.
    Text(String),
    /// True or false.
    Bool(bool),
    /// A count.
    Count(u64),
    /// A time.
    Time(Time),
    /// A size.
    Bytes(Bytes),
    /// A rate.
    Rate(Rate),
    /// A length.
    Length(Length),
    /// A dimensionless value.
    Fraction(Fraction),
    /// A ratio.
    Ratio(Ratio),
    /// Credit blocks.
    Blocks(Blocks),
    /// A link.
    Link(LinkName),
    /// Anything.
    Any(Node),
    /// Items of a list.
    List(Vec<Item>),
    /// Keys of a map in the order of the table, defaults filled in.
    Map(Vec<(String, Item)>),
}

/// A link by the names of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkName {
    /// Where traffic comes from.
    pub from: String,
    /// Where it goes.
    pub to: String,
    /// Which of parallel links, from 0; `None`: all of them.
    pub parallel: Option<u32>,
    /// The other direction as well.
    pub is_both: bool,
}

impl LinkName {
    /// Reads `A->B` or `A->B#1`: one direction.
    pub fn parse(text: &str) -> Option<LinkName> {
        let (from, to) = text.split_once("->")?;
        let (to, parallel) = match to.split_once('#') {
            Some((to, number)) => (to, Some(number.trim().parse().ok()?)),
            None => (to, None),
        };
        let (from, to) = (from.trim().to_string(), to.trim().to_string());
        let is_name = |name: &str| !name.is_empty() && !name.contains("->");
        (is_name(&from) && is_name(&to)).then_some(LinkName { from, to, parallel, is_both: false })
    }
}

impl fmt::Display for LinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}->{}", self.from, self.to)?;
        self.parallel.map_or(Ok(()), |number| write!(f, "#{number}"))
    }
}

impl Item {
    /// The value under a key of a map.
    pub fn get(&self, key: &str) -> Option<&Item> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, item)| item),
            _ => None,
        }
    }

    /// The value at a dotted path; list items by `name` or index.
    pub fn at(&self, path: &str) -> Option<&Item> {
        path.split('.').filter(|part| !part.is_empty()).try_fold(self, |item, part| match &item.value {
            Value::List(items) => {
                let by_index = part.parse::<usize>().ok().and_then(|index| items.get(index));
                // An item without a name can only be meant by its index; this spares a search in long lists.
                if let Some(nameless) = by_index.filter(|item| item.get("name").is_none()) {
                    return Some(nameless);
                }
                items.iter().find(|item| item.get("name").is_some_and(|name| name.text() == part)).or(by_index)
            }
            _ => item.get(part),
        })
    }

    /// The items of a list, or nothing.
    pub fn items(&self) -> &[Item] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The keys of a map, or nothing.
    pub fn entries(&self) -> &[(String, Item)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// A word or text, else nothing.
    pub fn text(&self) -> &str {
        match &self.value {
            Value::Word(word) => word,
            Value::Text(text) => text,
            _ => "",
        }
    }
}

impl Value {
    /// Order within one form of quantity, for limits.
    pub(crate) fn is_below(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Count(a), Value::Count(b)) => a < b,
            (Value::Time(a), Value::Time(b)) => a < b,
            (Value::Bytes(a), Value::Bytes(b)) => a < b,
            (Value::Rate(a), Value::Rate(b)) => a < b,
            (Value::Length(a), Value::Length(b)) => a < b,
            (Value::Fraction(a), Value::Fraction(b)) => a < b,
            (Value::Blocks(a), Value::Blocks(b)) => a < b,
            _ => false,
        }
    }

    /// As written in a file; `None` for lists, maps and anything.
    pub(crate) fn scalar(&self) -> Option<String> {
        Some(match self {
            Value::Word(word) => word.to_string(),
            Value::Text(text) => text.clone(),
            Value::Bool(value) => value.to_string(),
            Value::Count(value) => Count(*value).to_string(),
            Value::Time(value) => value.to_string(),
            Value::Bytes(value) => value.to_string(),
            Value::Rate(value) => value.to_string(),
            Value::Length(value) => value.to_string(),
            Value::Fraction(value) => value.to_string(),
            Value::Ratio(value) => value.to_string(),
            Value::Blocks(value) => value.to_string(),
            Value::Link(_) | Value::Any(_) | Value::List(_) | Value::Map(_) => return None,
        })
    }
}
