use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use scenario::Point;

use crate::row::{End, Row};

/// How many threads run points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// One for each core.
    #[default]
    All,
    /// This many.
    Count(usize),
}

/// Runs every point and gives one row each, in their order. `work` runs one of them; if it panics, the
/// others go on. `done` hears of each row as it ends, in no particular order. Once `stop` is set no
/// further point is begun.
pub fn run(
    points: Vec<Point>,
    threads: Threads,
    stop: &AtomicBool,
    work: impl Fn(&Point) -> End + Sync,
    done: impl Fn(&Row) + Sync,
) -> Vec<Row> {
    let one = |point: Point| {
        let end = match stop.load(Ordering::Relaxed) {
            true => End::Interrupted,
            false => guarded(&point, &work),
        };
        let row = Row { point, end };
        done(&row);
        row
    };
    // Points differ in length by orders of magnitude, so each is a task of its own.
    let all = || points.into_par_iter().with_max_len(1).map(one).collect();
    let count = match threads {
        Threads::All => 0,
        Threads::Count(count) => count,
    };
    match ThreadPoolBuilder::new().num_threads(count).build() {
        Ok(pool) => pool.install(all),
        // Without a pool of its own it runs on the shared one: slower or faster, with the same rows.
        Err(_) => all(),
    }
}

fn guarded(point: &Point, work: impl Fn(&Point) -> End) -> End {
    // Nothing of a broken point is looked at again, so no broken state can be seen.
    catch_unwind(AssertUnwindSafe(|| work(point))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        End::Failed(text.unwrap_or_else(|| "a panic without a message".to_string()))
    })
}
