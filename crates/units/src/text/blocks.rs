use std::fmt;
use std::str::FromStr;

use super::decimal::Decimal;
use super::{Fault, TextError};

/// A number of flow-control blocks of 64 bytes (InfiniBand architecture, volume 1, 7.9).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Blocks(pub u64);

impl FromStr for Blocks {
    type Err = TextError;
    /// Reads `2048 blocks`.
    fn from_str(text: &str) -> Result<Blocks, TextError> {
        let text = text.trim();
        let (number, unit) = Decimal::split(text, "a number of blocks")?;
        if unit.is_empty() {
            let reason = format!("`{text}` has no unit, and a number of blocks needs one");
            return Err(
                TextError::new(Fault::MissingUnit, reason).help(format!("write `{text} blocks` (64 bytes each)"))
            );
        }
        if unit != "blocks" && unit != "block" {
            let reason = format!("`{unit}` is not a unit of credit blocks");
            return Err(TextError::new(Fault::UnknownUnit, reason).help("accepted units: blocks (64 bytes each)"));
        }
        let whole = number.times(1).map_err(|_| {
            TextError::new(Fault::OutOfRange, format!("`{text}` is not a whole number of blocks below 2^64"))
        })?;
        Ok(Blocks(whole))
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} blocks", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_name_themselves() {
        assert_eq!("2048 blocks".parse(), Ok(Blocks(2048)));
        assert_eq!("1 block".parse(), Ok(Blocks(1)));
        assert_eq!(Blocks(7).to_string().parse(), Ok(Blocks(7)));
        assert_eq!("2048".parse::<Blocks>().unwrap_err().fault, Fault::MissingUnit);
        assert!("2KB".parse::<Blocks>().is_err());
        assert!("0.5 blocks".parse::<Blocks>().is_err());
    }
}
