use std::fmt;
use std::str::FromStr;

use super::decimal::Decimal;
use super::ratio::reduce;
use super::{Fault, TextError};

/// A dimensionless value as an exact, reduced fraction; not below zero, and perhaps above one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fraction {
    numerator: u64,
    denominator: u64,
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// The whole.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// `numerator / denominator`, reduced; `None` for a denominator of zero.
    pub fn new(numerator: u64, denominator: u64) -> Option<Fraction> {
        if denominator == 0 {
            return None;
        }
        let (numerator, denominator) = reduce(u128::from(numerator), u128::from(denominator))?;
        Some(Fraction { numerator, denominator })
    }

    /// The upper part of the reduced fraction.
    pub const fn numerator(self) -> u64 {
        self.numerator
    }

    /// The lower part of the reduced fraction; never zero.
    pub const fn denominator(self) -> u64 {
        self.denominator
    }

    /// In units of 2^-32, rounded to the nearest; one is 2^32. `None` when that does not fit 64 bits.
    pub fn parts(self) -> Option<u64> {
        let (n, d) = (u128::from(self.numerator), u128::from(self.denominator));
        u64::try_from(((n << 33) + d) / (2 * d)).ok()
    }

    /// The nearest double, for real-valued models and reports.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> std::cmp::Ordering {
        let left = u128::from(self.numerator) * u128::from(other.denominator);
        left.cmp(&(u128::from(other.numerator) * u128::from(self.denominator)))
    }
}

impl FromStr for Fraction {
    type Err = TextError;
    /// Reads `0.05`, `5%`, `1/8` or `1e-5`.
    fn from_str(text: &str) -> Result<Fraction, TextError> {
        let text = text.trim();
        let (number, rest) = Decimal::split(text, WHAT)?;
        let too_long = || TextError::new(Fault::OutOfRange, format!("`{text}` is too large or too fine for {WHAT}"));
        let (above, below) = number.as_parts().ok_or_else(too_long)?;
        let (more_above, more_below) = match rest {
            "" => (1, 1),
            "%" => (1, 100),
            _ => {
                let Some(divisor) = rest.strip_prefix('/') else {
                    let reason = format!("`{rest}` is not a unit of {WHAT}");
                    return Err(TextError::new(Fault::UnknownUnit, reason).help(FORMS));
                };
                let (divisor, rest) = Decimal::split(divisor, WHAT)?;
                if !rest.is_empty() || divisor.mantissa == 0 {
                    return Err(TextError::new(Fault::NotANumber, format!("`{text}` is not {WHAT}")).help(FORMS));
                }
                let (d_above, d_below) = divisor.as_parts().ok_or_else(too_long)?;
                (d_below, d_above)
            }
        };
        let above = above.checked_mul(more_above).ok_or_else(too_long)?;
        let below = below.checked_mul(more_below).ok_or_else(too_long)?;
        let (numerator, denominator) = reduce(above, below).ok_or_else(too_long)?;
        Ok(Fraction { numerator, denominator })
    }
}

const WHAT: &str = "a fraction";
const FORMS: &str = "write `0.05`, `5%` or `1/20`";

impl fmt::Display for Fraction {
    /// As a decimal where it ends, else as `a/b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match decimal(*self) {
            Some(text) => text,
            None => format!("{}/{}", self.numerator, self.denominator),
        })
    }
}

/// The fraction as a terminating decimal of at most 18 places.
pub(super) fn decimal(value: Fraction) -> Option<String> {
    let mut scale = 1u64;
    for _ in 0..=18 {
        if scale.is_multiple_of(value.denominator) {
            let scaled = value.numerator.checked_mul(scale / value.denominator)?;
            return Some(super::decimal::exact(scaled, scale));
        }
        scale = scale.checked_mul(10)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bare_percent_and_quotient_are_one_value() {
        for text in ["0.125", "12.5%", "1/8", "12.5 %", "125e-3"] {
            assert_eq!(text.parse(), Ok(Fraction { numerator: 1, denominator: 8 }), "{text}");
        }
        assert_eq!("1e-5".parse::<Fraction>().unwrap().to_string(), "0.00001");
        assert_eq!("1/3".parse::<Fraction>().unwrap().to_string(), "1/3");
        assert_eq!("1.05".parse::<Fraction>().unwrap().to_string(), "1.05");
    }

    #[test]
    fn a_part_in_two_to_the_32_is_rounded_once() {
        assert_eq!(Fraction::ONE.parts(), Some(1 << 32));
        assert_eq!("1/3".parse::<Fraction>().unwrap().parts(), Some(1_431_655_765));
        assert_eq!("50%".parse::<Fraction>().unwrap().parts(), Some(1 << 31));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["1/0", "five", ".nan", "-5%", "5 parts", "1/2/3", "", "1e-99", "%"] {
            assert!(text.parse::<Fraction>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(above in any::<u64>(), below in 1..=u64::MAX, shift in 0u32..63) {
            let value = Fraction::new(above >> shift, (below >> shift).max(1)).unwrap();
            prop_assert_eq!(value.to_string().parse(), Ok(value));
        }

        #[test]
        fn no_text_panics(text in "[-+0-9._e/% ]{0,14}") {
            let _ = text.parse::<Fraction>();
        }
    }
}
