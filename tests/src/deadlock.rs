//! When queues wait for each other in a circle, and when they do not.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
