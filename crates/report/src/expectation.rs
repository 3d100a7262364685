use serde::Serialize;
use serde_json::{Number, Value as Json};

use crate::metric::Tables;

/// A claim about a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Dotted name: into the summary, or `flow.NAME.COLUMN`, `port.NAME.COLUMN` into the tables.
    pub metric: String,
    /// What must hold.
    pub condition: Condition,
    /// Where the claim comes from.
    pub source: Option<String>,
}

/// What must hold of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Equal; numbers within a share of the expected one.
    Equals(Value, f64),
    /// Not below.
    AtLeast(f64),
    /// Not above.
    AtMost(f64),
    /// Between the two, bounds included.
    Within(f64, f64),
}

/// What a result is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number in the unit of the metric.
    Number(f64),
    /// A word, such as an outcome.
    Word(String),
    /// True or false.
    Flag(bool),
    /// No value: the metric does not apply.
    Nothing,
}

/// A row of `expectations` in the summary.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// As in the expectation.
    pub metric: String,
    /// `equals`, `at_least`, `at_most` or `within`.
    pub op: &'static str,
    /// What was expected; two numbers for `within`.
    pub value: Json,
    /// What came out; `null` if there is no such value.
    pub actual: Json,
    /// Whether it holds.
    pub pass: bool,
    /// As in the expectation.
    pub source: Option<String>,
    /// Share of the expected value by which the found one may differ.
    #[serde(skip)]
    pub tolerance: f64,
    /// Why there is nothing to compare, for people.
    #[serde(skip)]
    pub note: Option<String>,
}

/// Numbers print with fewer digits than they have, so equality allows for the last few bits.
const ROUNDING: f64 = 1e-12;

impl Condition {
    /// The word for it in files.
    pub fn op(&self) -> &'static str {
        match self {
            Condition::Equals(..) => "equals",
            Condition::AtLeast(_) => "at_least",
            Condition::AtMost(_) => "at_most",
            Condition::Within(..) => "within",
        }
    }

    /// What is compared with, as JSON.
    pub fn value(&self) -> Json {
        match self {
            Condition::Equals(value, _) => value.to_json(),
            Condition::AtLeast(bound) | Condition::AtMost(bound) => number_json(*bound),
            Condition::Within(low, high) => Json::Array(vec![number_json(*low), number_json(*high)]),
        }
    }

    /// Whether a value meets it.
    pub fn holds(&self, actual: &Json) -> bool {
        let number = actual.as_f64();
        match self {
            Condition::Equals(Value::Number(wanted), tolerance) => {
                number.is_some_and(|n| (n - wanted).abs() <= wanted.abs() * tolerance.max(ROUNDING))
            }
            Condition::Equals(value, _) => *actual == value.to_json(),
            Condition::AtLeast(bound) => number.is_some_and(|n| n >= bound - bound.abs() * ROUNDING),
            Condition::AtMost(bound) => number.is_some_and(|n| n <= bound + bound.abs() * ROUNDING),
            Condition::Within(low, high) => {
                Condition::AtLeast(*low).holds(actual) && Condition::AtMost(*high).holds(actual)
            }
        }
    }
}

impl Value {
    fn to_json(&self) -> Json {
        match self {
            Value::Number(number) => number_json(*number),
            Value::Word(word) => Json::from(word.as_str()),
            Value::Flag(flag) => Json::from(*flag),
            Value::Nothing => Json::Null,
        }
    }
}

/// Whole numbers without a decimal point.
fn number_json(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        return Json::from(number as i64);
    }
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

impl Expectation {
    /// Compares with what came out.
    pub fn judge(&self, tables: &Tables<'_>) -> Judged {
        match tables.find(&self.metric) {
            Ok(metric) => self.judge_value(metric),
            Err(note) => self.judged(Json::Null, false, Some(note)),
        }
    }

    /// Compares with a value.
    pub fn judge_value(&self, actual: Json) -> Judged {
        let pass = self.condition.holds(&actual);
        let numeric = !matches!(self.condition, Condition::Equals(Value::Word(_) | Value::Flag(_) | Value::Nothing, _));
        let note = match &actual {
            Json::Null if !pass => Some(format!("`{}` has no value in this run", self.metric)),
            Json::String(word) if numeric => Some(format!("`{}` is the word `{word}`, not a number", self.metric)),
            Json::Bool(flag) if numeric => Some(format!("`{}` is {flag}, not a number", self.metric)),
            _ => None,
        };
        self.judged(actual, pass, note)
    }

    fn judged(&self, actual: Json, pass: bool, note: Option<String>) -> Judged {
        Judged {
            metric: self.metric.clone(),
            op: self.condition.op(),
            value: self.condition.value(),
            actual,
            pass,
            source: self.source.clone(),
            tolerance: match self.condition {
                Condition::Equals(_, tolerance) => tolerance,
                _ => 0.0,
            },
            note,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_belong_to_the_range() {
        let within = Condition::Within(18e9, 19e9);
        assert!(within.holds(&Json::from(18e9)) && within.holds(&Json::from(19_000_000_000u64)));
        assert!(!within.holds(&Json::from(17.99e9)) && !within.holds(&Json::from(19.01e9)));
        assert!(!within.holds(&Json::Null) && !within.holds(&Json::from("18e9")));
    }

    #[test]
    fn equality_forgives_the_last_bits_and_the_tolerance_only() {
        let exact = Condition::Equals(Value::Number(1.5e-6), 0.0);
        assert!(exact.holds(&Json::from(1_500_000.0 / 1e12)));
        assert!(!exact.holds(&Json::from(1_500_001.0 / 1e12)));
        let near = Condition::Equals(Value::Number(1e-3), 0.05);
        assert!(near.holds(&Json::from(1.05e-3)) && !near.holds(&Json::from(1.06e-3)));
        assert!(Condition::Equals(Value::Number(0.0), 0.0).holds(&Json::from(0u64)));
    }

    #[test]
    fn words_compare_as_words() {
        let stalled = Condition::Equals(Value::Word("stalled".to_string()), 0.0);
        assert!(stalled.holds(&Json::from("stalled")) && !stalled.holds(&Json::from("finished")));
        let not = Condition::Equals(Value::Flag(false), 0.0);
        assert!(not.holds(&Json::from(false)) && !not.holds(&Json::Null));
        assert!(Condition::Equals(Value::Nothing, 0.0).holds(&Json::Null));
    }
}
