use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;

use crate::console;

/// How a command ended, as its exit code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Done. A deadlock is a result, not a failure.
    Done = 0,
    /// An expectation failed, or the work was interrupted before it could hold.
    Failed = 1,
    /// Bad input or usage.
    BadInput = 2,
    /// A fault of the program.
    Internal = 3,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Scenarios that cannot be read or built.
    Input(Vec<scenario::Report>),
    /// Anything else about the command line or the file system, in one sentence.
    Usage(String),
}

impl Failure {
    pub(crate) fn file(path: &Path, error: &io::Error) -> Failure {
        Failure::Usage(format!("cannot write {}: {error}", path.display()))
    }
}

impl From<scenario::Report> for Failure {
    fn from(report: scenario::Report) -> Failure {
        Failure::Input(vec![report])
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl Ending {
    /// The worse of two.
    pub(crate) fn and(self, other: Ending) -> Ending {
        if other as u8 > self as u8 { other } else { self }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        ExitCode::from(ending as u8)
    }
}

/// Prints what is wrong with the command line, or the help that was asked for.
pub(crate) fn of_usage(usage: &clap::Error) -> ExitCode {
    // A reader that has gone away does not want the rest.
    let _ = usage.print();
    if usage.use_stderr() { Ending::BadInput.into() } else { Ending::Done.into() }
}

/// Runs a command, prints why it failed, and turns a panic into an exit code.
pub(crate) fn guarded(command: impl FnOnce() -> Result<Ending, Failure>) -> ExitCode {
    let ended = panic::catch_unwind(AssertUnwindSafe(command));
    let ending = match ended {
        Ok(Ok(ending)) => ending,
        Ok(Err(failure)) => {
            print(&failure);
            Ending::BadInput
        }
        Err(_) => Ending::Internal,
    };
    ending.into()
}

fn print(failure: &Failure) {
    match failure {
        Failure::Input(reports) => reports.iter().for_each(console::diagnostics),
        Failure::Usage(text) => console::error(text),
    }
}

/// Lets a panic say that it is a fault of the program, and where.
pub(crate) fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        console::error(&format!(
            "internal error: {text}{place}\nThis is a fault of fabricsim, not of the scenario. Please report it with \
             the scenario file."
        ));
    }));
}
