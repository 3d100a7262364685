//! `fabricsim`: simulates the network fabrics of AI clusters. One file a command.

mod arguments;
mod commands;
mod console;
mod ending;
mod grid;
mod interrupt;
mod meter;
mod open;
mod progress;
mod simulate;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::ending::{Ending, Failure};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(usage) => return ending::of_usage(&usage),
    };
    ending::report_panics();
    interrupt::listen();
    ending::guarded(|| dispatch(arguments.command))
}

fn dispatch(command: Command) -> Result<Ending, Failure> {
    match command {
        Command::Run(run) => commands::run::run(&run),
        Command::Sweep(sweep) => commands::sweep::run(&sweep),
        Command::Check(check) => commands::check::run(&check),
        Command::Validate(validate) => commands::validate::run(&validate),
        Command::Topo(topo) => commands::topo::run(&topo),
        Command::Deadlock(deadlock) => commands::deadlock::run(&deadlock),
        Command::Presets(presets) => commands::presets::run(&presets),
        Command::Schema => commands::schema::run(),
        Command::New(new) => commands::new::run(&new),
    }
}
