//! Standard output carries results, standard error everything else. A reader that goes away early
//! (`| head`) is no error.

use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints results.
pub(crate) fn results(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    forgive(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints a message.
pub(crate) fn message(text: &str) {
    // There is nowhere left to complain about standard error.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints an error.
pub(crate) fn error(text: &str) {
    message(&format!("error: {text}"));
}

/// Prints diagnostics with the lines they are about.
pub(crate) fn diagnostics(report: &scenario::Report) {
    let colour = is_interactive() && std::env::var_os("NO_COLOR").is_none();
    let _ = write!(io::stderr().lock(), "{}", report.render(colour));
}

/// Whether somebody watches standard error.
pub(crate) fn is_interactive() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn forgive(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
