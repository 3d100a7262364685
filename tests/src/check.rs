use std::fmt::Debug;

/// One comparison of a measurement with what a law says.
#[derive(Clone, Debug)]
pub struct Check {
    /// Parameters.
    pub case: String,
    /// What the law says.
    pub expected: String,
    /// What the simulator says.
    pub measured: String,
    /// How far they may be apart.
    pub tolerance: String,
    /// Whether they are no further apart.
    pub pass: bool,
}

impl Check {
    /// Both are the same.
    pub fn exact<T: PartialEq + Debug>(case: impl Into<String>, expected: T, measured: T) -> Check {
        let pass = expected == measured;
        Check::new(case, format!("{expected:?}"), format!("{measured:?}"), "exact".into(), pass)
    }

    /// The measurement is within `tolerance` of the expectation, relative to it.
    pub fn near(case: impl Into<String>, expected: f64, measured: f64, tolerance: f64) -> Check {
        let pass = (measured - expected).abs() <= tolerance * expected.abs();
        Check::new(case, digits(expected), digits(measured), format!("{} %", digits(tolerance * 100.0)), pass)
    }

    /// The measurement lies between two bounds, both included.
    pub fn within(case: impl Into<String>, lowest: f64, highest: f64, measured: f64) -> Check {
        let expected = format!("{} to {}", digits(lowest), digits(highest));
        let pass = (lowest..=highest).contains(&measured);
        Check::new(case, expected, digits(measured), "bounds".into(), pass)
    }

    /// The measurement is at most this many times more or less than the expectation.
    pub fn factor(case: impl Into<String>, expected: f64, measured: f64, factor: f64) -> Check {
        let pass = measured >= expected / factor && measured <= expected * factor;
        Check::new(case, digits(expected), digits(measured), format!("x {}", digits(factor)), pass)
    }

    fn new(case: impl Into<String>, expected: String, measured: String, tolerance: String, pass: bool) -> Check {
        Check { case: case.into(), expected, measured, tolerance, pass }
    }
}

/// A number with the digits that matter.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let decimals = (5 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}
