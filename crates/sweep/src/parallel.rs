use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// How many threads work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// One for each core.
    #[default]
    All,
    /// This many.
    Count(usize),
}

/// What became of a job.
#[derive(Clone, Debug)]
pub enum Ended<T> {
    /// It ended, with this.
    Done(T),
    /// It panicked, with this message.
    Panicked(String),
    /// It was not begun, because everything was to stop.
    NotBegun,
}

/// Does every job and gives what became of each, in their order. If one panics, the others go on. `done`
/// hears of each as it ends, in no particular order. Once `stop` is set no further job is begun.
pub fn in_parallel<J: Send, T: Send>(
    jobs: Vec<J>,
    threads: Threads,
    stop: &AtomicBool,
    work: impl Fn(&J) -> T + Sync,
    done: impl Fn(&J, &Ended<T>) + Sync,
) -> Vec<(J, Ended<T>)> {
    let one = |job: J| {
        let ended = match stop.load(Ordering::Relaxed) {
            true => Ended::NotBegun,
            false => guarded(|| work(&job)),
        };
        done(&job, &ended);
        (job, ended)
    };
    // Jobs differ in length by orders of magnitude, so each is a task of its own.
    let all = || jobs.into_par_iter().with_max_len(1).map(one).collect();
    let count = match threads {
        Threads::All => 0,
        Threads::Count(count) => count,
    };
    match ThreadPoolBuilder::new().num_threads(count).build() {
        Ok(pool) => pool.install(all),
        // Without a pool of its own it runs on the shared one: slower or faster, with the same results.
        Err(_) => all(),
    }
}

fn guarded<T>(work: impl FnOnce() -> T) -> Ended<T> {
    // Nothing of a broken job is looked at again, so no broken state can be seen.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => Ended::Done(value),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Ended::Panicked(text.unwrap_or_else(|| "a panic without a message".to_string()))
        }
    }
}
