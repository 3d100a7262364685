//! Typed access to checked items. The table of keys has made sure that each is there and of the right form; a
//! disagreement between table and reader is a bug, and a test reads every kind of everything.

use units::text::{Fraction, Length, Ratio};
use units::{Bytes, Rate, Time};

use super::word::Word;
use crate::item::{Item, Value};

const HOLDS: &str = "the table of keys requires the key and fixes its form";

macro_rules! getters {
    ($($get:ident $opt:ident $variant:ident $ty:ty;)+) => {
        impl Item {
            $(
                pub(crate) fn $opt(&self, key: &str) -> Option<$ty> {
                    match self.get(key)?.value {
                        Value::$variant(value) => Some(value),
                        _ => None,
                    }
                }

                #[allow(dead_code, reason = "not every form has a required key")]
                pub(crate) fn $get(&self, key: &str) -> $ty {
                    self.$opt(key).expect(HOLDS)
                }
            )+
        }
    };
}

getters! {
    bool opt_bool Bool bool;
    count opt_count Count u64;
    time opt_time Time Time;
    bytes opt_bytes Bytes Bytes;
    rate opt_rate Rate Rate;
    length opt_length Length Length;
    fraction opt_fraction Fraction Fraction;
    ratio opt_ratio Ratio Ratio;
}

impl Item {
    pub(crate) fn opt_string(&self, key: &str) -> Option<String> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(crate) fn string(&self, key: &str) -> String {
        self.opt_string(key).expect(HOLDS)
    }

    pub(crate) fn string_or_word(&self, key: &str) -> &str {
        self.get(key).map_or("", Item::text)
    }

    pub(crate) fn as_small(&self) -> Option<u32> {
        match self.value {
            Value::Count(value) => u32::try_from(value).ok(),
            _ => None,
        }
    }

    pub(crate) fn small(&self, key: &str) -> u32 {
        self.opt_small(key).expect(HOLDS)
    }

    /// A count whose largest value in the table fits; larger ones without a limit are held at the top.
    pub(crate) fn opt_small(&self, key: &str) -> Option<u32> {
        self.opt_count(key).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
    }

    pub(crate) fn opt_word<W: Word>(&self, key: &str) -> Option<W> {
        match self.get(key)?.value {
            Value::Word(word) => W::from_word(word),
            _ => None,
        }
    }

    pub(crate) fn word<W: Word>(&self, key: &str) -> W {
        self.opt_word(key).expect(HOLDS)
    }

    pub(crate) fn group(&self, key: &str) -> &Item {
        self.get(key).expect(HOLDS)
    }

    /// A map that may be absent or replaced by a word.
    pub(crate) fn opt_group(&self, key: &str) -> Option<&Item> {
        self.get(key).filter(|item| matches!(item.value, Value::Map(_)))
    }

    pub(crate) fn list(&self, key: &str) -> &[Item] {
        self.get(key).map_or(&[], Item::items)
    }

    pub(crate) fn strings(&self, key: &str) -> Vec<String> {
        self.list(key).iter().map(|item| item.text().to_string()).collect()
    }
}
