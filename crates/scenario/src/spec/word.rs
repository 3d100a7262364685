/// A closed set of words that the table of keys accepts.
pub(crate) trait Word: Sized {
    /// The value for a word, if there is one.
    fn from_word(word: &str) -> Option<Self>;
}

/// An enum whose variants are words of the scenario file.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// As written in a scenario.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }

        impl $crate::spec::word::Word for $name {
            fn from_word(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use words;
