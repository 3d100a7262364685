use serde_json::{Number, Value as Json};
use units::text::{Count, Fraction, Ratio};
use units::{Bytes, Rate, Time};

/// What an expectation compares with.
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

impl Value {
    /// Reads a value as written in a scenario: a bare number in the unit of the metric, a quantity with
    /// a unit that fits the metric, or a word.
    ///
    /// # Errors
    /// Says what is wrong with a text that begins like a number.
    pub fn read(metric: &str, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
        match text {
            "true" => Ok(Value::Flag(true)),
            "false" => Ok(Value::Flag(false)),
            "null" | "~" | "" => Ok(Value::Nothing),
            _ if numeric => Unit::of(metric).read(text).map(Value::Number),
            _ => Ok(Value::Word(text.to_string())),
        }
    }

    /// As JSON; whole numbers without a decimal point.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Value::Number(number) => number_json(*number),
            Value::Word(word) => Json::from(word.as_str()),
            Value::Flag(flag) => Json::from(*flag),
            Value::Nothing => Json::Null,
        }
    }
}

pub(crate) fn number_json(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        return Json::from(number as i64);
    }
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// The unit that the name of a metric ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Bytes,
    BitsPerSecond,
    BytesPerSecond,
    None,
}

impl Unit {
    /// The unit of the innermost key that has one: `steps.p50_s`, but also `flows.fct_s.p50`. Names of
    /// flows and ports are no keys.
    pub(crate) fn of(metric: &str) -> Unit {
        let in_table = metric.starts_with("flow.") || metric.starts_with("port.");
        let keys = metric.rsplit('.').take(if in_table { 1 } else { 2 });
        keys.map(Unit::of_key).find(|unit| *unit != Unit::None).unwrap_or(Unit::None)
    }

    fn of_key(key: &str) -> Unit {
        if key.ends_with("_bytes_per_s") {
            Unit::BytesPerSecond
        } else if key.ends_with("_per_s") {
            Unit::None
        } else if key.ends_with("_bps") {
            Unit::BitsPerSecond
        } else if key.ends_with("_bytes") || key == "bytes" || key.starts_with("bytes_") {
            Unit::Bytes
        } else if key.ends_with("_s") {
            Unit::Seconds
        } else {
            Unit::None
        }
    }

    fn read(self, text: &str) -> Result<f64, String> {
        if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) {
            return Ok(number);
        }
        let read = match self {
            Unit::Seconds => text.parse::<Time>().map(Time::as_secs_f64),
            Unit::Bytes => text.parse::<Bytes>().map(|size| size.get() as f64),
            Unit::BitsPerSecond => text.parse::<Rate>().map(|rate| rate.bps() as f64),
            Unit::BytesPerSecond => text.parse::<Rate>().map(|rate| rate.bps() as f64 / 8.0),
            Unit::None if text.contains(':') => {
                text.parse::<Ratio>().map(|ratio| ratio.left() as f64 / ratio.right() as f64)
            }
            Unit::None if text.contains(['%', '/']) => text.parse::<Fraction>().map(Fraction::as_f64),
            Unit::None => text.parse::<Count>().map(|count| count.0 as f64),
        };
        read.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_in_the_unit_of_the_metric() {
        let number = |metric, text| match Value::read(metric, text) {
            Ok(Value::Number(number)) => number,
            other => panic!("{metric} {text}: {other:?}"),
        };
        assert_eq!(number("steps.p50_s", "12ms"), 0.012);
        assert_eq!(number("flows.fct_s.p99", "1.5us"), 1.5e-6);
        assert_eq!(number("flow.f.1_s.goodput_bps", "18Gbps"), 18e9);
        assert_eq!(number("collectives.0.busbw_bytes_per_s", "450GB/s"), 450e9);
        assert_eq!(number("network.bytes_delivered", "1KiB"), 1024.0);
        assert_eq!(number("port.a->b.bytes", "1KB"), 1000.0);
        assert_eq!(number("port.a->b.utilisation", "95%"), 0.95);
        assert_eq!(number("topology.oversubscription", "2:1"), 2.0);
        assert_eq!(number("network.packet_hops", "3M"), 3e6);
        assert_eq!(number("steps.p50_s", "0.012"), 0.012);
        assert_eq!(number("steps.p50_s", "-1"), -1.0);
    }

    #[test]
    fn words_flags_and_nothing_are_no_numbers() {
        assert_eq!(Value::read("outcome", "stalled"), Ok(Value::Word("stalled".to_string())));
        assert_eq!(Value::read("deadlock.detected", "false"), Ok(Value::Flag(false)));
        assert_eq!(Value::read("deadlock.onset_s", "null"), Ok(Value::Nothing));
    }

    #[test]
    fn a_unit_of_another_quantity_is_refused() {
        assert!(Value::read("steps.p50_s", "12Gbps").is_err());
        assert!(Value::read("flows.goodput_bps", "3ms").is_err());
        assert!(Value::read("steps.p50_s", "1e999").is_err());
        assert!(Value::read("training.tokens_per_s", "3s").is_err());
    }
}
