use crate::keys::{Key, all};

/// A commented file to start from.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    text: &'static str,
}

/// Every template; the first is the default.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "collective",
        about: "a collective on a spine-leaf cluster",
        text: include_str!("../templates/collective.yaml"),
    },
    Template {
        name: "flows",
        about: "switches, links and flows by hand",
        text: include_str!("../templates/flows.yaml"),
    },
    Template {
        name: "sweep",
        about: "two fabrics, several sizes and seeds",
        text: include_str!("../templates/sweep.yaml"),
    },
];

impl Template {
    /// By name.
    pub fn find(name: &str) -> Option<&'static Template> {
        TEMPLATES.iter().find(|template| template.name == name)
    }

    /// The file: the template, with the meaning of each key from the table beside it.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut path: Vec<(usize, String)> = Vec::new();
        for line in self.text.lines() {
            out.push_str(&annotated(line, &mut path));
            out.push('\n');
        }
        out
    }
}

/// Adds the meaning of the key that a line begins with, unless it has a comment.
fn annotated(line: &str, path: &mut Vec<(usize, String)>) -> String {
    let indent = line.len() - line.trim_start().len();
    let Some((name, _)) = line.trim_start().split_once(':').filter(|(name, _)| is_key(name)) else {
        return line.to_string();
    };
    path.retain(|(depth, _)| *depth < indent);
    path.push((indent, name.to_string()));
    let dotted: Vec<&str> = path.iter().map(|(_, name)| name.as_str()).collect();
    let dotted = dotted.join(".");
    match all().find(|key: &&Key| key.path == dotted) {
        Some(key) if !line.contains('#') && line.len() < 58 => format!("{line:<58}# {}", key.meaning),
        _ => line.to_string(),
    }
}

fn is_key(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Report};

    #[test]
    fn templates_are_good_scenarios_without_warnings() {
        for template in TEMPLATES {
            let text = template.text();
            let check = || -> Result<(), Report> {
                let document = Document::parse("new.yaml", &text)?;
                assert_eq!(document.check()?.warnings, [], "{}", template.name);
                let sweep = document.sweep()?;
                sweep.points().try_for_each(|point| document.check_point(&point).map(|_| ()))
            };
            check().unwrap_or_else(|report| panic!("{}: {report}", template.name));
            assert!(text.contains("# Name of the scenario"), "{text}");
        }
    }
}
