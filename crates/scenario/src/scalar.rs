use units::text::{Blocks, Count, Fault, Length, TextError};
use units::{Bytes, Rate, Time};

use crate::diagnostic::{Code, Diagnostic};
use crate::item::{LinkName, Value};
use crate::keys::{Key, Type};
use crate::node::{Node, Tree};
use crate::suggest::nearest;

/// Reads one value of a form that is neither map nor list.
pub(crate) fn read(key: &Key, node: &Node, path: &str) -> Result<Value, Diagnostic> {
    if key.ty == Type::Any {
        return Ok(Value::Any(node.clone()));
    }
    if key.ty == Type::Link {
        return link(node, path);
    }
    let Some(text) = node.as_text().map(str::trim) else {
        return Err(wrong_form(key, node, path));
    };
    if let Some(word) = key.ready_words().find(|word| *word == text) {
        return Ok(Value::Word(word));
    }
    if key.later_words().any(|word| word == text) {
        return Err(later_word(key, text, path).at(node.place));
    }
    let value = quantity(key, text, path).map_err(|diagnostic| diagnostic.at(node.place))?;
    limits(key, &value, path).map_err(|diagnostic| diagnostic.at(node.place))?;
    Ok(value)
}

fn quantity(key: &Key, text: &str, path: &str) -> Result<Value, Diagnostic> {
    let wrong = |error: TextError| refused(key, &error, path);
    Ok(match key.ty {
        Type::Time => Value::Time(text.parse::<Time>().map_err(wrong)?),
        Type::Bytes => Value::Bytes(text.parse::<Bytes>().map_err(wrong)?),
        Type::Rate => Value::Rate(text.parse::<Rate>().map_err(wrong)?),
        Type::Length => Value::Length(text.parse::<Length>().map_err(wrong)?),
        Type::Fraction => Value::Fraction(text.parse().map_err(wrong)?),
        Type::Ratio => Value::Ratio(text.parse().map_err(wrong)?),
        Type::Count => Value::Count(text.parse::<Count>().map_err(wrong)?.0),
        Type::Blocks => Value::Blocks(text.parse::<Blocks>().map_err(wrong)?),
        Type::Bool => match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => {
                let message = format!("`{path}` is true or false, not `{text}`");
                return Err(Diagnostic::new(Code::WrongType, message).help("YAML's yes, no, on and off are texts here"));
            }
        },
        Type::Name => Value::Text(name(text, path)?),
        Type::Text | Type::Value => Value::Text(text.to_string()),
        Type::Word => return Err(unknown_word(key, text, path)),
        Type::Link | Type::Any | Type::Map | Type::List => Value::Text(text.to_string()),
    })
}

fn name(text: &str, path: &str) -> Result<String, Diagnostic> {
    let is_allowed = |c: char| c.is_alphanumeric() || "-_.:+@()=,".contains(c);
    let problem = match text.chars().find(|&c| !is_allowed(c)) {
        Some(c) => format!("holds {c:?}"),
        None if text.is_empty() => "is empty".to_string(),
        None if text.starts_with('.') => "begins with a point".to_string(),
        None if text.chars().count() > 120 => "is longer than 120 characters".to_string(),
        None => return Ok(text.to_string()),
    };
    let diagnostic = Diagnostic::new(Code::Impossible, format!("`{path}` cannot be a name: it {problem}"));
    Err(diagnostic.help("names have letters, digits and - _ . : + @ ( ) = ,"))
}

fn link(node: &Node, path: &str) -> Result<Value, Diagnostic> {
    let found = match &node.tree {
        Tree::List(ends) => match ends.as_slice() {
            [a, b] => a.as_text().zip(b.as_text()).map(|(from, to)| LinkName {
                from: from.to_string(),
                to: to.to_string(),
                parallel: None,
                is_both: true,
            }),
            _ => None,
        },
        Tree::Scalar { text, .. } => LinkName::parse(text),
        Tree::Null | Tree::Map(_) => None,
    };
    found.map(Value::Link).ok_or_else(|| {
        let text = format!("`{path}` is a link, and `{}` does not name one", node.label());
        let help = "write \"leaf0->spine1\" for one direction, [leaf0, spine1] for both";
        Diagnostic::new(Code::WrongType, text).at(node.place).help(help)
    })
}

fn limits(key: &Key, value: &Value, path: &str) -> Result<(), Diagnostic> {
    let limit = |text: Option<&'static str>| text.and_then(|text| Some((text, quantity(key, text, path).ok()?)));
    let out = |what: &str, bound: &str| {
        let shown = value.scalar().unwrap_or_default();
        let text = format!("`{path}` is {shown}, and the {what} is {bound}");
        Err(Diagnostic::new(Code::OutOfRange, text))
    };
    if let Some((bound, least)) = limit(key.least)
        && value.is_below(&least)
    {
        return out("least it can be", bound);
    }
    if let Some((bound, most)) = limit(key.most)
        && most.is_below(value)
    {
        return out("most it can be", bound);
    }
    Ok(())
}

fn refused(key: &Key, error: &TextError, path: &str) -> Diagnostic {
    let code = match error.fault {
        Fault::NotANumber => Code::NotANumber,
        Fault::MissingUnit => Code::MissingUnit,
        Fault::UnknownUnit => Code::UnknownUnit,
        Fault::BitsAndBytes => Code::BitsAndBytes,
        Fault::Negative => Code::Negative,
        Fault::OutOfRange => Code::OutOfRange,
    };
    let mut diagnostic = Diagnostic::new(code, format!("`{path}`: {}", error.reason));
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help.clone());
    } else if code == Code::NotANumber {
        diagnostic = diagnostic.help(format!("write for example `{}`", key.ty.example()));
    }
    if code == Code::NotANumber && key.words.is_empty().eq(&false) {
        let words: Vec<&str> = key.ready_words().collect();
        diagnostic = diagnostic.help(format!("words accepted here: {}", words.join(", ")));
    }
    diagnostic
}

pub(crate) fn wrong_form(key: &Key, node: &Node, path: &str) -> Diagnostic {
    let text = match node.tree {
        Tree::Null => format!("`{path}` has no value"),
        _ => format!("`{path}` is {}, and {} is needed", node.form(), article(key)),
    };
    Diagnostic::new(Code::WrongType, text).at(node.place).help(format!("write for example `{}`", key.ty.example()))
}

fn article(key: &Key) -> String {
    match key.ty {
        Type::Bool => "true or false".to_string(),
        ty => format!("a {}", ty.name()),
    }
}

fn later_word(key: &Key, text: &str, path: &str) -> Diagnostic {
    let ready: Vec<&str> = key.ready_words().collect();
    let diagnostic = Diagnostic::new(Code::NotYet, format!("`{path}: {text}` is not supported yet"));
    if ready.is_empty() { diagnostic } else { diagnostic.help(format!("supported: {}", ready.join(", "))) }
}

fn unknown_word(key: &Key, text: &str, path: &str) -> Diagnostic {
    let words: Vec<&str> = key.ready_words().collect();
    let diagnostic = Diagnostic::new(Code::UnknownWord, format!("`{text}` is not a word that `{path}` takes"));
    let all: Vec<&str> = words.iter().copied().chain(key.later_words()).collect();
    match nearest(text, all.iter().copied()) {
        Some(near) => {
            diagnostic.help(format!("did you mean `{near}`?")).help(format!("accepted: {}", words.join(", ")))
        }
        None => diagnostic.help(format!("accepted: {}", words.join(", "))),
    }
}
