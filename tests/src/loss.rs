//! Damaged packets and their repair.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
