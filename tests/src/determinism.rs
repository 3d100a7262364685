//! The same scenario is the same run, whatever else differs.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
