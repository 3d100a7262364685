use std::fmt;
use std::str::FromStr;

use super::decimal::Decimal;
use super::{Fault, TextError};

/// A number of things. `K`, `M`, `B` and `T` stand for powers of 1000.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = TextError;
    /// Reads `64`, `70B` or `1.5M`.
    fn from_str(text: &str) -> Result<Count, TextError> {
        let text = text.trim();
        let (number, unit) = Decimal::split(text, "a count")?;
        let scale = match unit {
            "" => 1,
            "K" => 1_000,
            "M" => 1_000_000,
            "B" => 1_000_000_000,
            "T" => 1_000_000_000_000,
            _ => {
                let error = TextError::new(Fault::UnknownUnit, format!("`{unit}` is not a suffix of a count"));
                return Err(error.help("a count is a bare number, or has K, M, B (10^9) or T"));
            }
        };
        let whole = number.times(scale).map_err(|_| {
            TextError::new(Fault::OutOfRange, format!("`{text}` is not a whole number below 2^64, as a count must be"))
        })?;
        Ok(Count(whole))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_powers_of_a_thousand() {
        assert_eq!("64".parse(), Ok(Count(64)));
        assert_eq!("70B".parse(), Ok(Count(70_000_000_000)));
        assert_eq!("1.5M".parse(), Ok(Count(1_500_000)));
        assert_eq!("1e3".parse(), Ok(Count(1000)));
        assert_eq!(u64::MAX.to_string().parse(), Ok(Count(u64::MAX)));
    }

    #[test]
    fn parts_of_things_and_units_are_refused() {
        for text in ["1.5", "64k", "4096 B/s", "18446744073709551616", "-1", "0x10", "many"] {
            assert!(text.parse::<Count>().is_err(), "{text}");
        }
    }
}
