use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use report::{count, percent, seconds};
use sim::Progress;

use crate::console;

/// Time between two plain lines. A run that takes less prints none.
const LINES: Duration = Duration::from_secs(5);
/// Time between two looks of the bar.
const LOOKS: Duration = Duration::from_millis(100);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// Tells how far a run is, on standard error: a bar on a terminal, else plain lines now and then.
pub(crate) struct RunProgress {
    started: Instant,
    last: Instant,
    bar: Option<ProgressBar>,
    quiet: bool,
}

impl RunProgress {
    pub(crate) fn new(quiet: bool) -> RunProgress {
        let now = Instant::now();
        let bar = (!quiet && console::is_interactive()).then(|| bar(STEPS, "{bar:30} {percent:>3} %  {msg}"));
        RunProgress { started: now, last: now, bar, quiet }
    }

    pub(crate) fn show(&mut self, progress: &Progress) {
        let interval = if self.bar.is_some() { LOOKS } else { LINES };
        if self.quiet || self.last.elapsed() < interval {
            return;
        }
        self.last = Instant::now();
        let text = self.text(progress);
        match &self.bar {
            Some(bar) => {
                bar.set_position((progress.share * STEPS as f64) as u64);
                bar.set_message(text);
            }
            None => console::message(&format!("{} done, {text}", percent(progress.share))),
        }
    }

    /// Takes the bar off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn text(&self, progress: &Progress) -> String {
        let elapsed = self.started.elapsed().as_secs_f64();
        let simulated = seconds(progress.time.as_secs_f64());
        let hops = progress.packet_hops as f64 / 1e6;
        let speed = progress.events as f64 / elapsed / 1e6;
        let left = match progress.share {
            share if share > 0.005 => duration(elapsed * (1.0 - share) / share),
            _ => "?".to_string(),
        };
        format!("{simulated} simulated, {hops:.1} M packet-hops, {speed:.1} M events/s, {left} left")
    }
}

/// Tells how many runs of many have ended.
pub(crate) struct GridProgress {
    started: Instant,
    total: u64,
    bar: Option<ProgressBar>,
    /// How many have ended, and when that was last told.
    told: std::sync::Mutex<(u64, Instant)>,
    quiet: bool,
}

impl GridProgress {
    pub(crate) fn new(total: u64, quiet: bool) -> GridProgress {
        let now = Instant::now();
        let shown = !quiet && total > 1 && console::is_interactive();
        let bar = shown.then(|| bar(total, "{bar:30} {pos}/{len} runs, {eta} left"));
        GridProgress { started: now, total, bar, told: std::sync::Mutex::new((0, now)), quiet }
    }

    /// One more has ended.
    pub(crate) fn step(&self) {
        // A panic while the lock was held can have broken nothing but the telling.
        let mut told = self.told.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        told.0 += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(told.0);
        } else if !self.quiet && told.0 < self.total && told.1.elapsed() >= LINES {
            told.1 = Instant::now();
            let left = self.started.elapsed().as_secs_f64() * (self.total - told.0) as f64 / told.0 as f64;
            let (ended, total) = (count(told.0), count(self.total));
            console::message(&format!("{ended} of {total} runs done, about {} left", duration(left)));
        }
    }

    /// Takes the bar off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is one of ours").progress_chars("=> ");
    ProgressBar::new(length).with_style(style)
}

fn duration(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        short @ 0..100 => format!("{short} s"),
        medium @ 100..6000 => format!("{} min", medium.div_ceil(60)),
        long => format!("{:.1} h", long as f64 / 3600.0),
    }
}
