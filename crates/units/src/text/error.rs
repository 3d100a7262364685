use std::fmt;

/// Why a text is not the quantity that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The kind of fault.
    pub fault: Fault,
    /// What is wrong, with the value: one sentence without a full stop.
    pub reason: String,
    /// What to write instead, where that can be told.
    pub help: Option<String>,
}

/// Kinds of faults in a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no number to read.
    NotANumber,
    /// A number without the unit it needs.
    MissingUnit,
    /// A unit that nobody knows, or of another quantity.
    UnknownUnit,
    /// Bits where bytes are meant, or the other way round.
    BitsAndBytes,
    /// Below zero.
    Negative,
    /// Too large, or finer than the smallest step.
    OutOfRange,
}

impl TextError {
    pub(super) fn new(fault: Fault, reason: impl Into<String>) -> TextError {
        TextError { fault, reason: reason.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> TextError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TextError {}
