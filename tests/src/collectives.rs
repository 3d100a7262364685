//! Collectives against the closed forms of their algorithms.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
