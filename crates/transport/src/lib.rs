//! Endpoints as values: messages and packets in, packets and events out, time an argument. Knows no
//! fabric and no engine.
//!
//! A connection has a [`Requester`] at its source and a [`Responder`] at its destination. The host
//! pulls: it asks a requester what it would send when its port is free.

mod arrivals;
mod config;
mod congestion;
#[cfg(test)]
mod pair_tests;
mod reorder;
mod requester;
mod responder;

pub use arrivals::{Arrivals, Spacing};
pub use config::{AckEvery, Overheads, TransportConfig, TransportKind};
pub use congestion::{
    Allowance, AlphaOrder, CongestionConfig, CongestionControl, Controller, Dcqcn, DcqcnConfig, Dctcp, DctcpConfig,
    StageOrder,
};
pub use requester::{Next, Progress, Requester, Segment};
pub use responder::{Received, Reply, Responder};
