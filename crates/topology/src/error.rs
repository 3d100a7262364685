use std::fmt;

/// Why a topology cannot be built, in the words of the one who asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopologyError {
    /// The key at fault, relative to `topology`: `oversubscription`, `leaf.ports`, `links[3].b`.
    pub field: String,
    /// What is wrong.
    pub reason: String,
    /// What would mend it; empty when the reason says so already.
    pub fix: String,
    /// The name that was looked for and not found, so that the caller can suggest one that exists.
    pub unknown: Option<String>,
}

impl TopologyError {
    pub(crate) fn new(field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> TopologyError {
        TopologyError { field: field.into(), reason: reason.into(), fix: fix.into(), unknown: None }
    }
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)?;
        if !self.fix.is_empty() {
            write!(f, " ({})", self.fix)?;
        }
        Ok(())
    }
}

impl std::error::Error for TopologyError {}

/// Why no routing tables can be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoutesError {
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for RoutesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for RoutesError {}
