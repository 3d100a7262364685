//! Many runs of one scenario: its points on all cores, one row a point, and claims about pairs of them.
//!
//! How a point is run is the caller's; this crate sees to the order, the cores and the accidents. Rows come
//! in the order of points whatever the number of threads.

mod expectation;
mod pairs;
mod parallel;
mod row;

pub use expectation::expectation;
pub use pairs::Pairs;
pub use parallel::{Ended, Threads, in_parallel};
pub use row::{End, Row, table};
