//! Credits: throughput, and what tells InfiniBand from RoCE.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
