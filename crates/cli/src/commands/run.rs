use report::screen;
use sim::Control;
use sweep::expectation;

use crate::arguments::{Format, Run};
use crate::console;
use crate::ending::{Ending, Failure};
use crate::interrupt;
use crate::open;
use crate::progress::RunProgress;
use crate::simulate::{Prepared, Ran, folder};

/// Simulates a scenario, writes its results and judges what it expects.
pub(crate) fn run(arguments: &Run) -> Result<Ending, Failure> {
    let document = open::document(&arguments.file, &arguments.settings)?;
    let prepared = Prepared::base(&document)?;
    let folder = folder(arguments.out.as_deref(), &prepared.scenario.spec.name);
    let quiet = arguments.shown.quiet;
    if !quiet {
        console::diagnostics(&prepared.warnings());
    }
    let mut ran = simulate(&prepared, quiet);
    judge(&prepared, &mut ran);
    ran.write(&folder).map_err(|error| Failure::file(&folder, &error))?;
    show(arguments, &ran, &folder.display().to_string())?;
    Ok(if ran.results.pass() && !is_interrupted(&ran) { Ending::Done } else { Ending::Failed })
}

fn simulate(prepared: &Prepared, quiet: bool) -> Ran {
    let mut progress = RunProgress::new(quiet);
    let ran = prepared.run(&mut |now| {
        progress.show(now);
        if interrupt::is_requested() { Control::Stop } else { Control::Continue }
    });
    progress.finish();
    ran
}

fn judge(prepared: &Prepared, ran: &mut Ran) {
    let spec = &prepared.scenario.spec;
    if spec.has_sweep {
        let text = "this is the base point of a scenario with a sweep; `fabricsim sweep` and `check` run all points";
        ran.results.summary.warnings.push(text.to_string());
    }
    if is_interrupted(ran) {
        let at = ran.results.outcome.simulated;
        let text = format!("interrupted at {at} of simulated time: the results are incomplete, nothing was judged");
        ran.results.summary.warnings.push(text);
        return;
    }
    let expectations: Vec<_> = spec.expect.iter().filter(|e| e.is_absolute()).filter_map(expectation).collect();
    ran.results.judge(&expectations);
}

fn is_interrupted(ran: &Ran) -> bool {
    ran.results.outcome.ending == sim::Ending::Interrupted
}

fn show(arguments: &Run, ran: &Ran, folder: &str) -> Result<(), Failure> {
    match arguments.shown.format {
        Format::Json => console::results(&ran.results.summary.to_json())?,
        Format::Table if arguments.shown.quiet => {}
        Format::Table => console::results(&screen(&ran.results, &ran.record, Some(folder)))?,
    }
    Ok(())
}
