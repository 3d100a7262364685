//! Writes `docs/validation.md`: every law, what it says and what was measured.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(validation::page().as_bytes())
}
