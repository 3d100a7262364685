//! Quantities as people write them: exact decimal text to integers and back, never through a float.
//!
//! Every type here reads with [`str::parse`] and prints with `Display`, and what is printed reads back as the same
//! value. Units are case-sensitive (`b` is a bit, `B` a byte); a space before the unit is allowed.

mod blocks;
mod count;
mod decimal;
mod error;
mod fraction;
mod length;
mod quantity;
mod ratio;

pub use blocks::Blocks;
pub use count::Count;
pub use error::{Fault, TextError};
pub use fraction::Fraction;
pub use length::Length;
pub use ratio::Ratio;
