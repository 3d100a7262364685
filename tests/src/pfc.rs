//! Pause times, headroom, fairness under PAUSE.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
