use std::path::{Path, PathBuf};

use report::{Judged, Tables};
use scenario::Point;
use sim::Control;
use sweep::{End, Pairs, Row, Threads, expectation, in_parallel};

use crate::ending::Ending;
use crate::interrupt;
use crate::open::Opened;
use crate::progress::GridProgress;
use crate::simulate::Prepared;

/// Points of one or more scenarios that have been run.
pub(crate) struct Grid {
    /// Of each scenario, in the order of its points.
    pub(crate) rows: Vec<Vec<Row>>,
}

/// How to run them.
pub(crate) struct Means<'a> {
    pub(crate) threads: Option<usize>,
    pub(crate) quiet: bool,
    /// Where scenarios without a sweep write their results, each into a folder of its name.
    pub(crate) out: Option<&'a Path>,
}

impl Grid {
    /// Runs all points of all scenarios on all cores.
    pub(crate) fn run(opened: &[Opened], means: &Means<'_>) -> Grid {
        let points = |(index, grid): (usize, &Opened)| grid.sweep.points().map(move |p| (index, p)).collect::<Vec<_>>();
        let jobs: Vec<(usize, Point)> = opened.iter().enumerate().flat_map(points).collect();
        let progress = GridProgress::new(jobs.len() as u64, means.quiet);
        let threads = means.threads.map_or(Threads::All, Threads::Count);
        let work = |(index, point): &(usize, Point)| run_point(&opened[*index], point, means.out);
        let ended = in_parallel(jobs, threads, interrupt::flag(), work, |_, _| progress.step());
        progress.finish();
        let mut rows: Vec<Vec<Row>> = opened.iter().map(|_| Vec::new()).collect();
        for ((index, point), ended) in ended {
            rows[index].push(Row::new(point, ended));
        }
        Grid { rows }
    }
}

fn run_point(opened: &Opened, point: &Point, out: Option<&Path>) -> End {
    let prepared = match Prepared::at_point(&opened.document, point) {
        Ok(prepared) => prepared,
        Err(report) => return End::Refused(report.to_string()),
    };
    let mut ran = prepared.run(&mut |_| if interrupt::is_requested() { Control::Stop } else { Control::Continue });
    if ran.results.outcome.ending == sim::Ending::Interrupted {
        return End::Interrupted;
    }
    let expectations: Vec<_> = prepared.scenario.spec.expect.iter().filter_map(expectation).collect();
    ran.results.judge(&expectations);
    if let Some(out) = out.filter(|_| !opened.has_sweep) {
        let folder: PathBuf = out.join(&opened.name);
        if let Err(error) = ran.write(&folder) {
            return End::Refused(format!("cannot write the results: {error}"));
        }
    }
    let results = ran.results;
    let tables = Tables::new(&results.outcome, &results.context, &results.summary);
    let compared = opened.claims.iter().map(|claim| tables.find(&claim.metric)).collect();
    End::Ran { summary: Box::new(results.summary), compared }
}

/// An expectation and the points at which it was judged.
pub(crate) struct Verdict {
    /// What was found at the first point where it fails, else at the first.
    pub(crate) judged: Judged,
    /// Point and labels of that one.
    pub(crate) at: String,
    /// Points at which it holds, and all at which it was judged.
    pub(crate) holds: u64,
    pub(crate) points: u64,
}

/// Every expectation of a scenario once, over its points; then the claims about pairs of them.
pub(crate) fn verdicts(opened: &Opened, rows: &[Row]) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    for row in rows {
        for judged in row.summary().map(|summary| &summary.expectations[..]).unwrap_or_default() {
            let same = |known: &&mut Verdict| {
                let known = &known.judged;
                (&known.metric, known.op, &known.value, &known.source)
                    == (&judged.metric, judged.op, &judged.value, &judged.source)
            };
            match verdicts.iter_mut().find(same) {
                Some(known) => known.add(judged, row),
                None => verdicts.push(Verdict::new(judged.clone(), place(row))),
            }
        }
    }
    let pairs = Pairs::new(rows).judge(&opened.claims).into_iter();
    verdicts.extend(pairs.map(|judged| Verdict::new(judged, String::new())));
    verdicts
}

impl Verdict {
    fn new(judged: Judged, at: String) -> Verdict {
        Verdict { holds: u64::from(judged.pass), points: 1, judged, at }
    }

    fn add(&mut self, judged: &Judged, row: &Row) {
        if self.judged.pass && !judged.pass {
            (self.judged, self.at) = (judged.clone(), place(row));
        }
        self.points += 1;
        self.holds += u64::from(judged.pass);
    }
}

/// A point in words.
pub(crate) fn place(row: &Row) -> String {
    let labels: String = row.point.labels.iter().map(|(axis, label)| format!(", {axis}={label}")).collect();
    format!("point {}{labels}, seed {}", row.point.index, row.point.seed)
}

/// How a set of rows ended, by the accidents among them.
pub(crate) fn ending(rows: &[Row]) -> Ending {
    let of_row = |row: &Row| match &row.end {
        End::Ran { summary, .. } if summary.expectations.iter().all(|row| row.pass) => Ending::Done,
        End::Ran { .. } | End::Interrupted => Ending::Failed,
        End::Refused(_) => Ending::BadInput,
        End::Failed(_) => Ending::Internal,
    };
    rows.iter().map(of_row).fold(Ending::Done, Ending::and)
}
