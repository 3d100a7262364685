//! Congestion control: how much a requester may have in flight and how fast it may send.

mod dcqcn;
mod dctcp;

pub use dcqcn::{AlphaOrder, Dcqcn, DcqcnConfig, StageOrder};
pub use dctcp::{Dctcp, DctcpConfig};

use units::{Bytes, Rate, Time};

/// What a sender is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Packets in flight at most; `None`: as the transport says.
    pub window: Option<u32>,
    /// Wire rate at most; `None`: as fast as the line.
    pub rate: Option<Rate>,
}

/// The one required answer of a congestion control, and what it is told. Timers inside an algorithm
/// are caught up with when it is asked, so none of them costs an event.
pub trait CongestionControl {
    /// What the sender is allowed at `now`.
    fn allowance(&mut self, now: Time) -> Allowance;
    /// Bytes were put on the wire.
    fn on_sent(&mut self, now: Time, size: Bytes);
    /// `packets` more were acknowledged; `echo`: the acknowledgement reports congestion. `next` is the
    /// sequence number that would be sent next, `acked` the first not acknowledged.
    fn on_ack(&mut self, now: Time, packets: u32, echo: bool, acked: u64, next: u64);
    /// A congestion notification packet arrived.
    fn on_cnp(&mut self, now: Time);
}

/// Settings of a connection's congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CongestionConfig {
    /// None: the line and the transport's window are the only limits.
    None,
    /// A fixed number of packets in flight.
    Window(u32),
    /// DCQCN.
    Dcqcn(DcqcnConfig),
    /// DCTCP's window rule on marks that acknowledgements echo.
    Dctcp(DctcpConfig),
}

/// The congestion control of one connection.
#[derive(Clone, Debug)]
pub enum Controller {
    /// See [`CongestionConfig::None`].
    None,
    /// See [`CongestionConfig::Window`].
    Window(u32),
    /// See [`CongestionConfig::Dcqcn`].
    Dcqcn(Box<Dcqcn>),
    /// See [`CongestionConfig::Dctcp`].
    Dctcp(Box<Dctcp>),
}

impl Controller {
    /// A controller for a sender on a line of this rate.
    pub fn new(config: &CongestionConfig, line: Rate) -> Controller {
        match config {
            CongestionConfig::None => Controller::None,
            CongestionConfig::Window(packets) => Controller::Window(*packets),
            CongestionConfig::Dcqcn(config) => Controller::Dcqcn(Box::new(Dcqcn::new(*config, line))),
            CongestionConfig::Dctcp(config) => Controller::Dctcp(Box::new(Dctcp::new(*config))),
        }
    }
}

impl CongestionControl for Controller {
    #[inline]
    fn allowance(&mut self, now: Time) -> Allowance {
        match self {
            Controller::None => Allowance { window: None, rate: None },
            Controller::Window(packets) => Allowance { window: Some(*packets), rate: None },
            Controller::Dcqcn(dcqcn) => dcqcn.allowance(now),
            Controller::Dctcp(dctcp) => dctcp.allowance(now),
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Time, size: Bytes) {
        match self {
            Controller::None | Controller::Window(_) => {}
            Controller::Dcqcn(dcqcn) => dcqcn.on_sent(now, size),
            Controller::Dctcp(dctcp) => dctcp.on_sent(now, size),
        }
    }

    #[inline]
    fn on_ack(&mut self, now: Time, packets: u32, echo: bool, acked: u64, next: u64) {
        match self {
            Controller::None | Controller::Window(_) => {}
            Controller::Dcqcn(dcqcn) => dcqcn.on_ack(now, packets, echo, acked, next),
            Controller::Dctcp(dctcp) => dctcp.on_ack(now, packets, echo, acked, next),
        }
    }

    fn on_cnp(&mut self, now: Time) {
        match self {
            Controller::None | Controller::Window(_) => {}
            Controller::Dcqcn(dcqcn) => dcqcn.on_cnp(now),
            Controller::Dctcp(dctcp) => dctcp.on_cnp(now),
        }
    }
}
