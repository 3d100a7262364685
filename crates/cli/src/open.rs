use std::path::{Path, PathBuf};

use scenario::{Document, Point, Report, Sweep};

use crate::arguments::Settings;
use crate::simulate::Prepared;

/// Reads a scenario and lays the settings of the command line on it.
pub(crate) fn document(file: &Path, settings: &Settings) -> Result<Document, Report> {
    let mut document = Document::load(file)?;
    if let Some(seed) = settings.seed {
        document.set(&format!("seed={seed}"))?;
    }
    settings.set.iter().try_for_each(|assignment| document.set(assignment))?;
    Ok(document)
}

/// Every scenario of a command line with its points, or everything that is wrong with any of them. One
/// point of each choice of labels is built on trial: seeds cannot make a scenario impossible.
pub(crate) fn grids(files: &[PathBuf], settings: &Settings) -> Result<Vec<Opened>, Vec<Report>> {
    let mut opened = Vec::new();
    let mut reports = Vec::new();
    for file in files {
        match Opened::new(file, settings) {
            Ok(grid) => opened.push(grid),
            Err(faults) => reports.extend(faults),
        }
    }
    if reports.is_empty() { Ok(opened) } else { Err(reports) }
}

/// A scenario with its points, all of which can be built.
pub(crate) struct Opened {
    pub(crate) document: Document,
    pub(crate) sweep: Sweep,
    pub(crate) name: String,
    /// Whether the file has a sweep; otherwise there is one point.
    pub(crate) has_sweep: bool,
    /// Claims about pairs of variants.
    pub(crate) claims: Vec<scenario::spec::Expect>,
    /// What is doubtful, at any point.
    pub(crate) warnings: Vec<Report>,
}

impl Opened {
    pub(crate) fn new(file: &Path, settings: &Settings) -> Result<Opened, Vec<Report>> {
        let document = document(file, settings).map_err(|report| vec![report])?;
        let base = document.check().map_err(|report| vec![report])?;
        let sweep = document.sweep().map_err(|report| vec![report])?;
        let (mut faults, mut warnings) = (Vec::new(), Vec::new());
        let mut last: Option<Point> = None;
        for point in sweep.points() {
            if last.as_ref().is_some_and(|last| last.labels == point.labels) {
                continue;
            }
            match Prepared::at_point(&document, &point) {
                Ok(prepared) => warnings.push(prepared.warnings()),
                Err(report) => faults.push(report),
            }
            last = Some(point);
        }
        // Points of a sweep mostly share their faults.
        faults.dedup();
        warnings.retain(|report: &Report| !report.diagnostics.is_empty());
        warnings.dedup_by(|a, b| a.diagnostics == b.diagnostics);
        if !faults.is_empty() {
            return Err(faults);
        }
        let claims = base.spec.expect.iter().filter(|expect| expect.relative_to.is_some()).cloned().collect();
        Ok(Opened { document, sweep, name: base.spec.name, has_sweep: base.spec.has_sweep, claims, warnings })
    }
}
