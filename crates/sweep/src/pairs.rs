use std::collections::BTreeMap;

use report::{Expectation, Judged};
use scenario::VARIANT;
use scenario::spec::Expect;
use serde_json::Value as Json;

use crate::expectation::expectation;
use crate::row::{End, Row};

/// Points of a sweep by what they have in common: two variants at the same labels and seed are a pair.
pub struct Pairs<'r> {
    rows: &'r [Row],
    by_key: BTreeMap<(&'r str, Setting<'r>, u64), &'r Row>,
}

/// Labels on all axes but that of variants.
type Setting<'r> = Vec<(&'r str, &'r str)>;

impl<'r> Pairs<'r> {
    /// Of the rows of a sweep.
    pub fn new(rows: &'r [Row]) -> Pairs<'r> {
        let key = |row: &'r Row| Some((row.point.label(VARIANT)?, setting(row), row.point.seed));
        Pairs { rows, by_key: rows.iter().filter_map(|row| Some((key(row)?, row))).collect() }
    }

    /// The point of a variant with the labels and the seed of `row`.
    pub fn partner(&self, row: &'r Row, variant: &'r str) -> Option<&'r Row> {
        self.by_key.get(&(variant, setting(row), row.point.seed)).copied()
    }

    /// Judges the claims that compare two variants: for each choice of labels on the other axes, the mean
    /// over seeds of the metric of one variant divided by that of the other at the same seed. `claims` are
    /// those that the values in [`End::Ran`] belong to; those that compare nothing are passed over.
    pub fn judge(&self, claims: &'r [Expect]) -> Vec<Judged> {
        let judged = claims.iter().enumerate().flat_map(|(index, claim)| {
            let (of, base) = (claim.of.as_deref()?, claim.relative_to.as_deref()?);
            let claim = Claim { index, claim, of, base, expectation: expectation(claim)? };
            Some(self.judge_claim(&claim))
        });
        judged.flatten().collect()
    }

    fn judge_claim(&self, claim: &Claim<'r>) -> Vec<Judged> {
        let mut settings: BTreeMap<Setting<'r>, Vec<&'r Row>> = BTreeMap::new();
        let is_of = |row: &&Row| row.point.label(VARIANT) == Some(claim.of) && claim.holds_at(row);
        for row in self.rows.iter().filter(is_of) {
            settings.entry(setting(row)).or_default().push(row);
        }
        if settings.is_empty() {
            let note = format!("no point is `{}` with the settings of `when`", claim.of);
            return vec![claim.judge(&Vec::new(), Err(note))];
        }
        let judged = settings.iter().map(|(setting, rows)| {
            let ratios: Result<Vec<f64>, String> = rows.iter().map(|row| self.ratio(claim, row)).collect();
            claim.judge(setting, ratios.map(|ratios| ratios.iter().sum::<f64>() / ratios.len() as f64))
        });
        judged.collect()
    }

    fn ratio(&self, claim: &Claim<'r>, row: &'r Row) -> Result<f64, String> {
        let partner = self.partner(row, claim.base).ok_or_else(|| format!("there is no point of `{}`", claim.base))?;
        let (ours, theirs) = (claim.value(row)?, claim.value(partner)?);
        if theirs == 0.0 {
            return Err(format!("`{}` is zero in the variant to divide by", claim.claim.metric));
        }
        Ok(ours / theirs)
    }
}

struct Claim<'r> {
    index: usize,
    claim: &'r Expect,
    of: &'r str,
    base: &'r str,
    expectation: Expectation,
}

impl Claim<'_> {
    fn holds_at(&self, row: &Row) -> bool {
        self.claim.when.iter().all(|(path, value)| row.point.matches(path, value))
    }

    fn value(&self, row: &Row) -> Result<f64, String> {
        let End::Ran { compared, .. } = &row.end else {
            return Err(format!("point {} has no result ({})", row.point.index, row.outcome()));
        };
        let value = compared.get(self.index).cloned().unwrap_or(Ok(Json::Null))?;
        value.as_f64().ok_or_else(|| format!("`{}` has no number at point {}", self.claim.metric, row.point.index))
    }

    fn judge(&self, setting: &Setting<'_>, ratio: Result<f64, String>) -> Judged {
        let labels: String = setting.iter().map(|(axis, label)| format!(", {axis}={label}")).collect();
        let metric = format!("{} ({} / {}{labels})", self.claim.metric, self.of, self.base);
        let named = Expectation { metric, ..self.expectation.clone() };
        match ratio {
            Ok(ratio) => named.judge_value(Json::from(ratio)),
            Err(note) => Judged { note: Some(note), ..named.judge_value(Json::Null) },
        }
    }
}

fn setting(row: &Row) -> Setting<'_> {
    let labels = row.point.labels.iter().filter(|(axis, _)| axis != VARIANT);
    labels.map(|(axis, label)| (axis.as_str(), label.as_str())).collect()
}
