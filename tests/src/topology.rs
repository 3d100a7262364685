//! Routes that share no link, and slow links.

use crate::Law;

/// All of them.
pub const LAWS: &[&Law] = &[];
