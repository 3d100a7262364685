//! The only module that knows the YAML library.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Error, MessageFormatter, Options, Spanned, UserMessageFormatter};

use crate::diagnostic::{Code, Diagnostic};
use crate::node::{Entry, Node, Tree};
use crate::source::{Place, Source};

/// Reads one document into located nodes. Repeated keys are kept; [`duplicates`] reports them.
pub(crate) fn parse(source: &Source, id: u32) -> Result<Node, Diagnostic> {
    match serde_saphyr::from_str_with_options::<Spanned<Raw>>(&source.text, options()) {
        Ok(raw) => Ok(Converter { source, id }.node(raw)),
        Err(error) => Err(diagnostic(&error, source, id)),
    }
}

/// Every key that stands twice in one map.
pub(crate) fn duplicates(node: &Node, sources: &[Source], out: &mut Vec<Diagnostic>) {
    match &node.tree {
        Tree::List(items) => items.iter().for_each(|item| duplicates(item, sources, out)),
        Tree::Map(entries) => {
            let mut seen = std::collections::BTreeMap::new();
            for entry in entries {
                if let Some(first) = seen.insert(entry.key.as_str(), entry.place) {
                    let line = sources[first.source as usize].line_and_column(first.start).0;
                    let text = format!("`{}` is given twice in this map", entry.key);
                    let help = format!("first given in line {line}; keep one of them");
                    out.push(Diagnostic::new(Code::DuplicateKey, text).at(entry.place).help(help));
                }
                duplicates(&entry.value, sources, out);
            }
        }
        Tree::Null | Tree::Scalar { .. } => {}
    }
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: 4_000_000,
            max_events: 10_000_000,
            max_documents: 16,
            // One anchor for all links of a topology is a good use of YAML.
            enforce_alias_anchor_ratio: false,
            max_depth: 64,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 300_000 },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::AsString,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn diagnostic(error: &Error, source: &Source, id: u32) -> Diagnostic {
    let text = UserMessageFormatter.format_message(error.without_snippet()).into_owned();
    let place = error.location().map(|location| {
        let span = location.span();
        let start = span.byte_offset().unwrap_or_else(|| offset_of(source, location.line(), location.column()));
        let start = u32::try_from(start).unwrap_or(u32::MAX).min(source.text.len() as u32);
        let length = u32::try_from(span.byte_len().unwrap_or(1)).unwrap_or(1).max(1);
        Place { source: id, start, end: start.saturating_add(length) }
    });
    let place = place.unwrap_or(Place { source: id, start: 0, end: 1 });
    match error.without_snippet() {
        Error::MultipleDocuments { .. } => {
            let help = "a scenario is one document: remove the `---` and what follows, or split the file";
            Diagnostic::new(Code::NotAScenario, "the file has more than one YAML document").at(place).help(help)
        }
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => too_complex(&text, place),
        _ if text.contains("recursion") || text.contains("nesting") || text.contains("too complex") => {
            too_complex(&text, place)
        }
        _ => Diagnostic::new(Code::Syntax, format!("this is not valid YAML: {text}")).at(place),
    }
}

fn too_complex(text: &str, place: Place) -> Diagnostic {
    Diagnostic::new(Code::TooComplex, format!("the YAML is too complex to be a scenario: {text}")).at(place)
}

fn offset_of(source: &Source, line: u64, column: u64) -> u64 {
    let mut offset = 0;
    for text in source.text.split_inclusive('\n').take(usize::try_from(line.saturating_sub(1)).unwrap_or(0)) {
        offset += text.len() as u64;
    }
    offset + column.saturating_sub(1)
}

/// Turns what serde saw into nodes, taking plain scalars from the source text.
struct Converter<'a> {
    source: &'a Source,
    id: u32,
}

impl Converter<'_> {
    fn node(&self, raw: Spanned<Raw>) -> Node {
        let place = self.place(&raw.referenced);
        let tree = match raw.value {
            Raw::Null => Tree::Null,
            Raw::Scalar(seen) => self.scalar(seen, self.place(&raw.defined)),
            Raw::List(items) => Tree::List(items.into_iter().map(|item| self.node(item)).collect()),
            Raw::Map(entries) => Tree::Map(entries.into_iter().map(|(key, value)| self.entry(key, value)).collect()),
        };
        Node { tree, place }
    }

    fn entry(&self, key: Spanned<Raw>, value: Spanned<Raw>) -> Entry {
        let key = self.node(key);
        let text = match &key.tree {
            Tree::Null => self.source.slice(key.place).to_string(),
            _ => key.label(),
        };
        Entry { key: text, place: key.place, value: self.node(value) }
    }

    fn scalar(&self, seen: Option<String>, defined: Place) -> Tree {
        let written = self.source.slice(defined).trim();
        let quoted = written.starts_with(['"', '\'', '|', '>']);
        match seen {
            Some(text) if quoted => Tree::Scalar { text, quoted: true },
            // Folded plain scalars come from the library; the spellings of not-a-number from the source.
            Some(text) if !text.trim_start_matches(['+', '-']).starts_with('.') => Tree::Scalar { text, quoted: false },
            _ => Tree::Scalar { text: written.to_string(), quoted: false },
        }
    }

    fn place(&self, location: &serde_saphyr::Location) -> Place {
        let span = location.span();
        let start = span.byte_offset().unwrap_or_else(|| offset_of(self.source, location.line(), location.column()));
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let length = u32::try_from(span.byte_len().unwrap_or(0)).unwrap_or(0);
        Place { source: self.id, start, end: start.saturating_add(length) }
    }
}

/// What the library makes of a node, before the source text is looked at.
enum Raw {
    Null,
    /// The text of a string; `None` for a number or truth value, whose text is in the source.
    Scalar(Option<String>),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(None))
    }

    fn visit_i128<E>(self, _: i128) -> Result<Raw, E> {
        Ok(Raw::Scalar(None))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Raw, E> {
        Ok(Raw::Scalar(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(None))
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(Some(text.to_string())))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Node, Diagnostic> {
        parse(&Source::new("test.yaml", text), 0)
    }

    fn scalar(text: &str) -> String {
        read(&format!("a: {text}")).unwrap().get("a").unwrap().as_text().unwrap().to_string()
    }

    #[test]
    fn scalars_stay_what_was_written() {
        for text in [
            "0755",
            ".nan",
            ".inf",
            "-.inf",
            "18446744073709551616",
            "1e3",
            "1_000",
            "0xff",
            "no",
            "true",
            "12:30:45",
            "1.50",
        ] {
            assert_eq!(scalar(text), text);
        }
        assert_eq!(scalar("\"0.5\""), "0.5");
        assert_eq!(scalar("'it''s'"), "it's");
        assert_eq!(scalar("one\n  two"), "one two");
        assert_eq!(scalar("|\n  block"), "block\n");
    }

    #[test]
    fn keys_that_look_like_something_else_stay_keys() {
        let node = read("n: 1\ny: 2\non: 3\n0755: 4\nnull: 5\ntrue: 6\n1.50: 7").unwrap();
        let keys: Vec<&str> = node.entries().iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["n", "y", "on", "0755", "null", "true", "1.50"]);
    }

    #[test]
    fn places_are_bytes_of_the_source() {
        let source = Source::new("t", "\u{feff}é: [a, {b: 12}]\r\nc: \"x\"\r\n");
        let node = parse(&source, 0).unwrap();
        let item = node.get("é").map(|list| match &list.tree {
            Tree::List(items) => items[1].get("b").unwrap().clone(),
            _ => unreachable!(),
        });
        assert_eq!(source.slice(item.unwrap().place), "12");
        assert_eq!(source.slice(node.get("c").unwrap().place), "\"x\"");
        assert_eq!(source.slice(node.entries()[1].place), "c");
    }

    #[test]
    fn aliases_and_merges_are_expanded_and_placed_where_they_are_used() {
        let source = Source::new("t", "x-d: &d {rate: 5, n: 1}\nuse: {<<: *d, n: 2}\nagain: *d\n");
        let node = parse(&source, 0).unwrap();
        assert_eq!(node.get("use").unwrap().get("rate").unwrap().as_text(), Some("5"));
        assert_eq!(node.get("use").unwrap().get("n").unwrap().as_text(), Some("2"));
        assert_eq!(node.get("again").unwrap().get("n").unwrap().as_text(), Some("1"));
    }

    #[test]
    fn a_repeated_key_is_reported_at_its_second_place() {
        let source = Source::new("t", "a: 1\nb: {c: 1, c: 2}\na: 3\n");
        let node = parse(&source, 0).unwrap();
        let mut out = Vec::new();
        duplicates(&node, &[source], &mut out);
        let places: Vec<u32> = out.iter().map(|d| d.place.unwrap().start).collect();
        assert_eq!(places, [15, 21]);
    }

    #[test]
    fn many_uses_of_one_anchor_are_fine() {
        let text = format!("x-l: &l {{rate: 1}}\nlist:\n{}", "  - *l\n".repeat(3000));
        assert!(read(&text).is_ok());
    }

    #[test]
    fn pathological_files_are_refused_quickly_and_with_a_place() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_string();
        for level in 1..9 {
            let below = format!("*a{}, ", level - 1).repeat(9);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(", ")));
        }
        let cases = [
            (Code::TooComplex, bomb),
            (Code::TooComplex, "a: ".to_string() + &"[".repeat(10_000) + &"]".repeat(10_000)),
            (Code::TooComplex, "a: ".to_string() + &"[".repeat(1_000_000)),
            (Code::TooComplex, "a: ".to_string() + &"{b: ".repeat(10_000)),
            (Code::Syntax, "a: \"unclosed\nb: 1\n".to_string()),
            (Code::Syntax, "a:\n\t- tab\n".to_string()),
            (Code::Syntax, "a: 1\n  b: 2\n".to_string()),
            (Code::Syntax, "a: !weird 1\n".to_string()),
            (Code::Syntax, "a: *nowhere\n".to_string()),
            (Code::NotAScenario, "a: 1\n---\nb: 2\n".to_string()),
        ];
        for (code, text) in cases {
            let begin = std::time::Instant::now();
            let error = read(&text).unwrap_err();
            assert_eq!(error.code, code, "{}: {}", &text[..text.len().min(40)], error.text);
            assert!(error.place.is_some());
            assert!(begin.elapsed().as_secs_f64() < 2.0, "{}", &text[..text.len().min(40)]);
        }
    }

    #[test]
    fn a_wide_file_is_not_too_complex() {
        let text = format!("links:\n{}", "  - {a: leaf0, b: spine0, rate: 400Gbps, length: 5m}\n".repeat(32_000));
        assert!(read(&text).is_ok());
    }
}
