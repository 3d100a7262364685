use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Simulates the network fabrics of AI clusters, packet by packet.
#[derive(Debug, Parser)]
#[command(name = "fabricsim", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scenario and write its results
    Run(Run),
    /// Run every point of a sweep on all cores
    Sweep(Sweep),
    /// Run scenarios and judge what they expect
    Check(Check),
    /// Read and cross-check scenarios without simulating
    Validate(Validate),
    /// Show what would be built
    Topo(Topo),
    /// Say from the routes whether anything could deadlock
    Deadlock(Topo),
    /// List the presets, or print one
    Presets(Presets),
    /// Print the JSON Schema of scenario files, for editors
    Schema,
    /// Print or write a commented scenario to start from
    New(New),
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Scenario to simulate
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Folder for the results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads to use; one run is simulated by one thread
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Scenario with a sweep
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Folder for the results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Points to run at a time [default: one a core]
    #[arg(long, visible_alias = "jobs", value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Scenarios to run and judge
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Also write the results of each scenario into DIR/NAME (of points of sweeps, the table)
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Runs at a time [default: one a core]
    #[arg(long, visible_alias = "jobs", value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Scenarios to read
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Args)]
pub(crate) struct Topo {
    /// Scenario to look at
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// How to show it
    #[arg(long, value_enum, default_value_t = TopoFormat::Table)]
    pub(crate) format: TopoFormat,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Presets {
    /// Preset to print
    pub(crate) name: Option<String>,
    /// How to show the list
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// File to write; it must not exist [default: standard output]
    pub(crate) file: Option<PathBuf>,
    /// Which one
    #[arg(long, value_name = "NAME")]
    pub(crate) template: Option<String>,
}

/// Changes to what the file says.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Master seed of everything random
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Override a setting, such as `topology.oversubscription=2:1`; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

/// What is printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Shown {
    /// Format of the results on standard output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// No progress, no messages, no table; errors still print
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Table,
    /// JSON for programs, and nothing else on standard output
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TopoFormat {
    /// Text for people
    Table,
    /// JSON for programs
    Json,
    /// Graphviz
    Dot,
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=4096) => Ok(count),
        _ => Err("a number from 1 to 4096 is needed".to_string()),
    }
}
