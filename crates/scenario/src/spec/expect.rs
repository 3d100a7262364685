use std::fmt;

use units::text::Fraction;
use units::{Bytes, Rate, Time};

use crate::item::{Item, Value};

/// Something that must come out.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Dotted name of a result.
    pub metric: String,
    /// The comparison.
    pub bound: Bound,
    /// In a sweep: the variant it is about.
    pub of: Option<String>,
    /// In a sweep: the variant to divide by.
    pub relative_to: Option<String>,
    /// In a sweep: only at points with these settings.
    pub when: Vec<(String, String)>,
    /// Where the expectation comes from.
    pub source: Option<String>,
}

/// How a result is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// Equal, within a relative tolerance.
    Equals {
        /// To this.
        value: Expected,
        /// `None`: exactly.
        tolerance: Option<Fraction>,
    },
    /// Not below.
    AtLeast(Expected),
    /// Not above.
    AtMost(Expected),
    /// Neither below nor above.
    Within(Expected, Expected),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// In the unit of the metric.
    Number(f64),
    /// A time.
    Time(Time),
    /// A size.
    Bytes(Bytes),
    /// A rate.
    Rate(Rate),
    /// A percentage or quotient.
    Fraction(Fraction),
    /// True or false.
    Bool(bool),
    /// Nothing there.
    Null,
    /// A word.
    Word(String),
}

impl Expected {
    /// Reads a value of an expectation. Every text has a meaning; `None` for numbers out of range.
    pub fn parse(text: &str) -> Option<Expected> {
        let text = text.trim();
        let plain = text.replace('_', "");
        let is_decimal = plain.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && !plain.contains(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
        if is_decimal && let Ok(number) = plain.parse::<f64>() {
            return number.is_finite().then_some(Expected::Number(number));
        }
        let quantity = text.parse().map(Expected::Time).or_else(|_| text.parse().map(Expected::Bytes));
        let quantity = quantity.or_else(|_| text.parse().map(Expected::Rate));
        if let Ok(quantity) = quantity.or_else(|_| text.parse().map(Expected::Fraction)) {
            return Some(quantity);
        }
        match text {
            "true" => Some(Expected::Bool(true)),
            "false" => Some(Expected::Bool(false)),
            "null" | "~" => Some(Expected::Null),
            // What begins like a number and is none is a mistake, not a word.
            _ if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => None,
            _ => Some(Expected::Word(text.to_string())),
        }
    }

    /// The number to compare a metric with, in the unit that the metric's name ends with; `None` for words and for
    /// quantities of another kind.
    pub fn in_unit_of(&self, metric: &str) -> Option<f64> {
        let unit = MetricUnit::of(metric);
        match (self, unit) {
            (Expected::Number(number), _) => Some(*number),
            (Expected::Time(time), MetricUnit::Seconds) => Some(time.as_secs_f64()),
            (Expected::Bytes(bytes), MetricUnit::Bytes) => Some(bytes.get() as f64),
            (Expected::Rate(rate), MetricUnit::BitsPerSecond) => Some(rate.bps() as f64),
            (Expected::Rate(rate), MetricUnit::BytesPerSecond) => Some(rate.bps() as f64 / 8.0),
            (Expected::Fraction(fraction), MetricUnit::None) => Some(fraction.as_f64()),
            _ => None,
        }
    }

    /// Whether it is compared as a number.
    pub fn is_quantity(&self) -> bool {
        !matches!(self, Expected::Bool(_) | Expected::Word(_) | Expected::Null)
    }
}

/// The unit in which a metric is written, from the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricUnit {
    Seconds,
    Bytes,
    BitsPerSecond,
    BytesPerSecond,
    None,
}

impl MetricUnit {
    pub(crate) fn of(metric: &str) -> MetricUnit {
        // `flows.fct_s.p50` carries its unit in the part before the last.
        let of_part = |part: &str| match part {
            _ if part.ends_with("_bytes_per_s") => MetricUnit::BytesPerSecond,
            _ if part.ends_with("tokens_per_s") => MetricUnit::None,
            _ if part.ends_with("_bps") => MetricUnit::BitsPerSecond,
            "bytes" => MetricUnit::Bytes,
            _ if part.ends_with("_bytes") || part.ends_with("bytes_delivered") => MetricUnit::Bytes,
            _ if part.ends_with("_s") => MetricUnit::Seconds,
            _ => MetricUnit::None,
        };
        let mut parts = metric.rsplit('.').map(of_part).take(2);
        parts.find(|unit| *unit != MetricUnit::None).unwrap_or(MetricUnit::None)
    }
}

impl fmt::Display for MetricUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MetricUnit::Seconds => "a time",
            MetricUnit::Bytes => "a size",
            MetricUnit::BitsPerSecond | MetricUnit::BytesPerSecond => "a rate",
            MetricUnit::None => "a plain number",
        })
    }
}

impl Expect {
    /// `None` when the entry is incomplete, which the rules report.
    pub(crate) fn of(item: &Item) -> Option<Expect> {
        let value = |key: &str| item.get(key).and_then(|value| Expected::parse(value.text()));
        let bound = match item.list("within") {
            [low, high] => Bound::Within(Expected::parse(low.text())?, Expected::parse(high.text())?),
            _ => match (value("equals"), value("at_least"), value("at_most")) {
                (Some(value), _, _) => Bound::Equals { value, tolerance: item.opt_fraction("tolerance") },
                (_, Some(low), Some(high)) => Bound::Within(low, high),
                (_, Some(value), _) => Bound::AtLeast(value),
                (_, _, Some(value)) => Bound::AtMost(value),
                _ => return None,
            },
        };
        Some(Expect {
            metric: item.string("metric"),
            bound,
            of: item.opt_string("of"),
            relative_to: item.opt_string("relative_to"),
            when: item.opt_group("when").map(conditions).unwrap_or_default(),
            source: item.opt_string("source"),
        })
    }

    /// Whether it can be judged without a sweep.
    pub fn is_absolute(&self) -> bool {
        self.of.is_none() && self.relative_to.is_none() && self.when.is_empty()
    }
}

fn conditions(item: &Item) -> Vec<(String, String)> {
    let label = |item: &Item| match &item.value {
        Value::Any(node) => node.label(),
        other => other.scalar().unwrap_or_default(),
    };
    item.entries().iter().map(|(path, value)| (path.clone(), label(value))).collect()
}
