use report::{Condition, Expectation, Value};
use scenario::spec::{Bound, Expect, Expected};

/// The claim of a scenario in the terms of a report. `None` when its value does not fit the unit of the
/// metric, which reading the scenario has refused already.
pub fn expectation(expect: &Expect) -> Option<Expectation> {
    let metric = expect.metric.as_str();
    // A ratio has no unit, whatever the metric has.
    let unit = if expect.relative_to.is_some() { "ratio" } else { metric };
    let number = |value: &Expected| value.in_unit_of(unit);
    let condition = match &expect.bound {
        Bound::Equals { value, tolerance } => {
            Condition::Equals(self::value(value, unit)?, tolerance.map_or(0.0, |tolerance| tolerance.as_f64()))
        }
        Bound::AtLeast(bound) => Condition::AtLeast(number(bound)?),
        Bound::AtMost(bound) => Condition::AtMost(number(bound)?),
        Bound::Within(low, high) => Condition::Within(number(low)?, number(high)?),
    };
    Some(Expectation { metric: metric.to_string(), condition, source: expect.source.clone() })
}

fn value(expected: &Expected, unit: &str) -> Option<Value> {
    Some(match expected {
        Expected::Bool(flag) => Value::Flag(*flag),
        Expected::Word(word) => Value::Word(word.clone()),
        Expected::Null => Value::Nothing,
        quantity => Value::Number(quantity.in_unit_of(unit)?),
    })
}
