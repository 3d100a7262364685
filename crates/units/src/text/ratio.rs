use std::fmt;
use std::str::FromStr;

use super::decimal::Decimal;
use super::fraction::decimal;
use super::{Fault, Fraction, TextError};

/// A ratio of two positive quantities such as oversubscription, exact and reduced.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    left: u64,
    right: u64,
}

impl Ratio {
    /// `left : right`, reduced; `None` unless both are positive.
    pub fn new(left: u64, right: u64) -> Option<Ratio> {
        if left == 0 || right == 0 {
            return None;
        }
        let (left, right) = reduce(u128::from(left), u128::from(right))?;
        Some(Ratio { left, right })
    }

    /// The part before the colon.
    pub const fn left(self) -> u64 {
        self.left
    }

    /// The part after the colon.
    pub const fn right(self) -> u64 {
        self.right
    }
}

impl FromStr for Ratio {
    type Err = TextError;
    /// Reads `2:1` or `1.5:1`.
    fn from_str(text: &str) -> Result<Ratio, TextError> {
        let text = text.trim();
        let (left, rest) = Decimal::split(text, WHAT)?;
        if rest.is_empty() {
            let reason = format!("`{text}` is one number, and {WHAT} has two");
            return Err(TextError::new(Fault::MissingUnit, reason).help(format!("write `{text}:1`")));
        }
        let Some(right) = rest.strip_prefix(':') else {
            return Err(TextError::new(Fault::UnknownUnit, format!("`{text}` is not {WHAT}")).help("write `2:1`"));
        };
        let (right, rest) = Decimal::split(right, WHAT)?;
        if !rest.is_empty() {
            return Err(TextError::new(Fault::UnknownUnit, format!("`{text}` is not {WHAT}")).help("write `2:1`"));
        }
        if left.mantissa == 0 || right.mantissa == 0 {
            return Err(TextError::new(Fault::OutOfRange, format!("`{text}` has a side of zero")));
        }
        exact_ratio(left, right)
            .ok_or_else(|| TextError::new(Fault::OutOfRange, format!("`{text}` has too many digits for {WHAT}")))
    }
}

const WHAT: &str = "a ratio";

fn exact_ratio(left: Decimal, right: Decimal) -> Option<Ratio> {
    let ((a, b), (c, d)) = (left.as_parts()?, right.as_parts()?);
    let (left, right) = reduce(a.checked_mul(d)?, b.checked_mul(c)?)?;
    Some(Ratio { left, right })
}

impl fmt::Display for Ratio {
    /// As `x:1` where `x` ends as a decimal, else in whole numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = Fraction::new(self.left, self.right).and_then(decimal).filter(|text| text.len() <= 6);
        f.pad(&match short {
            Some(text) => format!("{text}:1"),
            None => format!("{}:{}", self.left, self.right),
        })
    }
}

/// Lowest terms, if they fit 64 bits; `below` is not zero.
pub(super) fn reduce(above: u128, below: u128) -> Option<(u64, u64)> {
    let (mut a, mut b) = (above, below);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Some((u64::try_from(above / a).ok()?, u64::try_from(below / a).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ratios_are_reduced_exactly() {
        assert_eq!("2:1".parse(), Ok(Ratio { left: 2, right: 1 }));
        assert_eq!("1.5:1".parse(), Ok(Ratio { left: 3, right: 2 }));
        assert_eq!("38 : 25".parse(), Ok(Ratio { left: 38, right: 25 }));
        assert_eq!("1:1.125".parse(), Ok(Ratio { left: 8, right: 9 }));
        assert_eq!("1.5:1".parse::<Ratio>().unwrap().to_string(), "1.5:1");
    }

    #[test]
    fn half_ratios_are_refused_with_the_fix() {
        assert_eq!("2".parse::<Ratio>().unwrap_err().help.as_deref(), Some("write `2:1`"));
        for text in ["0:1", "2:0", "2:", ":1", "2:1:1", "2/1", "-2:1", "x:1", "1e400:1"] {
            assert!(text.parse::<Ratio>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(left in 1..=u64::MAX, right in 1..=u64::MAX, shift in 0u32..63) {
            let value = Ratio::new((left >> shift).max(1), (right >> shift).max(1)).unwrap();
            prop_assert_eq!(value.to_string().parse(), Ok(value));
        }
    }
}
