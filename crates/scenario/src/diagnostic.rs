use std::fmt;

use crate::source::{Place, Source};

macro_rules! codes {
    ($($name:ident $code:literal $title:literal $meaning:literal)*) => {
        /// Stable codes of diagnostics. `E` stops, `W` warns. They are listed in `docs/errors.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// As printed: `E010`.
            pub const fn id(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// In a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// What it means and what to do.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)* }
            }
        }
    };
}

codes! {
    CannotRead "E001" "cannot read the file" "The scenario file is missing or cannot be opened. Check the path and the permissions."
    IsDirectory "E002" "a directory" "A directory was given where one YAML file is needed."
    NotUtf8 "E003" "not UTF-8" "The file is not UTF-8 text. The message gives the offset of the first bad byte."
    TooLarge "E004" "file too large" "The file is larger than a scenario may be. Large topologies are better imported or generated."
    Syntax "E005" "YAML syntax" "The text is not YAML. Only the first fault of this kind is shown."
    TooComplex "E006" "too complex" "The YAML nests too deeply, or its aliases expand to more than a scenario may hold."
    NotAScenario "E007" "not a scenario" "The file is empty, has more than one document, or is not a map of keys."
    UnknownKey "E010" "unknown key" "No such key exists here. `docs/scenario-reference.md` lists all of them."
    DuplicateKey "E011" "duplicate key" "A key stands twice in one map; YAML allows it once."
    WrongType "E012" "wrong type" "The value has another form than the key takes: a list for a map, a text for a count."
    MissingKey "E013" "missing key" "A key without a default was left out."
    UnknownWord "E014" "unknown word" "The key takes one of a few words, and this is not one of them."
    OtherKind "E015" "key of another kind" "The key exists, but not for the `kind` that was chosen."
    NotYet "E016" "not supported yet" "The key or word is part of the format, but what it asks for is not built yet."
    UnknownPreset "E017" "unknown preset" "There is no preset of this name. `fabricsim presets` lists them."
    MissingUnit "E020" "a unit is missing" "A bare number where a quantity with a unit is needed. The message shows the fix."
    UnknownUnit "E021" "unknown unit" "The unit does not exist or belongs to another quantity. Units are case-sensitive."
    NotANumber "E022" "not a number" "The text does not start with a number (also `.nan` and `.inf`)."
    Negative "E023" "negative" "The quantity cannot be below zero."
    OutOfRange "E024" "out of range" "The value is too large, too small, or finer than the smallest step."
    BitsAndBytes "E025" "bits or bytes" "A rate and a size, or bits and bytes, are mixed up: `b` is a bit, `B` a byte."
    Contradiction "E030" "contradiction" "Two settings cannot both hold."
    Impossible "E031" "impossible" "The setting cannot be built or simulated."
    UnknownName "E032" "unknown name" "A name refers to nothing in this scenario."
    BadOverride "E040" "bad override" "An override is not `path=value`, or its path leads nowhere."
    BadExpectation "E041" "bad expectation" "An entry of `expect` is incomplete or compares with nothing."
    BadSweep "E042" "bad sweep" "The sweep has no points, too many, or lists that do not fit together."
    NoEffect "W001" "no effect" "The setting changes nothing in this run."
    OddMtu "W002" "unusual MTU" "The technology does not have this MTU. It is simulated as written."
    NearestBuild "W003" "built as near as possible" "The ports cannot give exactly what was asked; the message says what was built."
    Suspicious "W004" "suspicious setting" "The setting is legal, but a common mistake."
}

/// Why something was refused or is doubtful, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// What is wrong, in one sentence.
    pub text: String,
    /// Where; `None` when it is about nothing that was written.
    pub place: Option<Place>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// Without a place yet.
    pub fn new(code: Code, text: impl Into<String>) -> Diagnostic {
        Diagnostic { code, text: text.into(), place: None, help: Vec::new() }
    }

    /// At a place.
    pub fn at(mut self, place: impl Into<Option<Place>>) -> Diagnostic {
        self.place = place.into().filter(|place: &Place| place.is_written());
        self
    }

    /// With advice.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }

    /// Warnings do not stop a run.
    pub fn is_warning(&self) -> bool {
        self.code.id().starts_with('W')
    }

    /// `text (file:line:column)`, for one-line lists.
    pub fn short(&self, sources: &[Source]) -> String {
        match self.place.and_then(|place| Some((place, sources.get(place.source as usize)?))) {
            Some((place, source)) if !source.text.is_empty() => {
                let (line, column) = source.line_and_column(place.start);
                format!("{}: {} ({}:{line}:{column})", self.code.id(), self.text, source.name)
            }
            _ => format!("{}: {}", self.code.id(), self.text),
        }
    }
}

/// Everything that is wrong, with the texts it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The texts that places refer to.
    pub sources: Vec<Source>,
    /// Sorted by place, errors and warnings mixed.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// The most messages that are rendered: one mistake in a generated file can be in each of its lines.
    pub const SHOWN: usize = 200;

    pub(crate) fn new(sources: Vec<Source>, mut diagnostics: Vec<Diagnostic>) -> Report {
        diagnostics.sort_by(|a, b| (a.place, a.code, &a.text).cmp(&(b.place, b.code, &b.text)));
        diagnostics.dedup();
        Report { sources, diagnostics }
    }

    /// Whether any of it stops a run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| !d.is_warning())
    }

    /// All of it as text for a terminal, with the lines underlined; `colour` adds ANSI colours.
    pub fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        for diagnostic in self.diagnostics.iter().take(Report::SHOWN) {
            render(&mut out, diagnostic, &self.sources, colour);
            out.push('\n');
        }
        let errors = self.diagnostics.iter().filter(|d| !d.is_warning()).count();
        let hidden = self.diagnostics.len().saturating_sub(Report::SHOWN);
        match (errors, hidden) {
            (0 | 1, 0) => {}
            (_, 0) => out.push_str(&format!("{errors} errors\n")),
            _ => out.push_str(&format!("{errors} errors, {hidden} messages more than are shown\n")),
        }
        out
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Report {}

fn render(out: &mut String, diagnostic: &Diagnostic, sources: &[Source], colour: bool) {
    let paint = |text: &str, ansi: &str| {
        if colour { format!("\u{1b}[{ansi}m{text}\u{1b}[0m") } else { text.to_string() }
    };
    let (level, ansi) = if diagnostic.is_warning() { ("warning", "1;33") } else { ("error", "1;31") };
    let head = paint(&format!("{level}[{}]", diagnostic.code.id()), ansi);
    out.push_str(&format!("{head}: {}\n", printable(&diagnostic.text)));
    let mut margin = 1;
    if let Some((place, source)) = diagnostic.place.and_then(|p| Some((p, sources.get(p.source as usize)?))) {
        if source.text.is_empty() {
            out.push_str(&format!("  --> {}\n", printable(&source.name)));
        } else {
            let (line, column) = source.line_and_column(place.start);
            margin = line.to_string().len();
            let excerpt = Excerpt::of(source, place);
            let blank = " ".repeat(margin);
            out.push_str(&format!("{blank} --> {}:{line}:{column}\n", printable(&source.name)));
            out.push_str(&format!("{blank} |\n{line} | {}\n", excerpt.line));
            let marks = paint(&"^".repeat(excerpt.width), ansi);
            out.push_str(&format!("{blank} | {}{marks}\n", " ".repeat(excerpt.indent)));
        }
    }
    for help in &diagnostic.help {
        out.push_str(&format!("{} = {}: {}\n", " ".repeat(margin), paint("help", "1"), printable(help)));
    }
}

/// The line of a place, cut to a readable width, and where to underline it.
struct Excerpt {
    line: String,
    indent: usize,
    width: usize,
}

impl Excerpt {
    const BEFORE: usize = 60;
    const WIDTH: usize = 110;

    fn of(source: &Source, place: Place) -> Excerpt {
        let text = &source.text;
        let start = source.slice(Place { start: 0, end: place.start, ..place }).len();
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
        let marked = source.slice(Place { end: place.end.min(line_end as u32), ..place }).chars().count();
        let before: Vec<char> = text[line_start..start].chars().collect();
        let cut = before.len() > Excerpt::BEFORE + 10;
        let kept = if cut { &before[before.len() - Excerpt::BEFORE..] } else { &before[..] };
        let mut line: String = if cut { "...".to_string() } else { String::new() };
        line.extend(kept.iter().map(|&c| plain(c)));
        let indent = line.chars().count();
        let mut rest = text[start..line_end].chars();
        let room = Excerpt::WIDTH.saturating_sub(indent).max(20);
        line.extend(rest.by_ref().take(room).map(plain));
        if rest.next().is_some() {
            line.push_str("...");
        }
        Excerpt { line, indent, width: marked.clamp(1, room) }
    }
}

fn plain(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

fn printable(text: &str) -> String {
    let mut short: String = text.chars().take(600).map(|c| if c == '\n' { ' ' } else { plain(c) }).collect();
    if text.chars().nth(600).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        let ids: Vec<&str> = Code::ALL.iter().map(|code| code.id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    }

    #[test]
    fn the_text_is_underlined_where_it_stands() {
        let source = Source::new("a.yaml", "name: x\nfabrik: ib\r\n");
        let place = Place { source: 0, start: 8, end: 14 };
        let diagnostic =
            Diagnostic::new(Code::UnknownKey, "unknown key `fabrik`").at(place).help("did you mean `fabric`?");
        let text = Report::new(vec![source], vec![diagnostic]).render(false);
        let expected = "error[E010]: unknown key `fabrik`\n  --> a.yaml:2:1\n  |\n2 | fabrik: ib\n  | ^^^^^^\n  = help: did you mean `fabric`?\n\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}bad{}", "x".repeat(5000), "y".repeat(5000));
        let place = Place { source: 0, start: 5000, end: 5003 };
        let excerpt = Excerpt::of(&Source::new("a", &text), place);
        assert!(excerpt.line.len() < 130);
        assert_eq!(&excerpt.line[excerpt.indent..excerpt.indent + 3], "bad");
    }
}
