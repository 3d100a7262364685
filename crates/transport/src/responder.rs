use wire::Flags;

use crate::config::{AckEvery, TransportConfig, TransportKind};

/// The receiving half of a connection.
#[derive(Debug, Default)]
pub struct Responder {
    expected: u64,
    unacked: u32,
    nak_sent: bool,
    bytes: u64,
    marked: u64,
}

/// What a responder answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Everything up to and including this PSN has arrived.
    Ack(u32),
    /// This PSN is missing.
    Nak(u32),
}

/// What became of a data packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Payload bytes that are new.
    pub bytes: u32,
    /// A message is whole.
    pub message: bool,
    /// What to answer.
    pub reply: Option<Reply>,
}

impl Responder {
    /// A data packet has arrived.
    #[inline]
    pub fn on_data(&mut self, psn: u32, payload: u32, flags: Flags, config: &TransportConfig) -> Received {
        if flags.has(Flags::CE) {
            self.marked += 1;
        }
        let ahead = psn.wrapping_sub(self.expected as u32) as i32;
        if config.kind == TransportKind::Ud {
            self.bytes += u64::from(payload);
            self.expected += 1;
            return Received { bytes: payload, message: flags.has(Flags::LAST), reply: None };
        }
        if ahead > 0 {
            // One NAK a gap: silent until the expected packet arrives (IBTA volume 1, 9.7.5.1.1).
            let reply = (!self.nak_sent).then_some(Reply::Nak(self.expected as u32));
            self.nak_sent = true;
            return Received { bytes: 0, message: false, reply };
        }
        if ahead < 0 {
            // A duplicate is acknowledged again, with everything that has arrived.
            return Received {
                bytes: 0,
                message: false,
                reply: Some(Reply::Ack((self.expected as u32).wrapping_sub(1))),
            };
        }
        self.accept(payload, flags, config)
    }

    fn accept(&mut self, payload: u32, flags: Flags, config: &TransportConfig) -> Received {
        self.expected += 1;
        self.nak_sent = false;
        self.bytes += u64::from(payload);
        self.unacked += 1;
        let due = match config.ack_every {
            AckEvery::Packets(n) => self.unacked >= n,
            AckEvery::Message => false,
        };
        let reply = (due || flags.has(Flags::ACK_REQUEST)).then(|| {
            self.unacked = 0;
            Reply::Ack((self.expected as u32).wrapping_sub(1))
        });
        Received { bytes: payload, message: flags.has(Flags::LAST), reply }
    }

    /// Payload bytes delivered in order.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Data packets that arrived marked.
    pub fn marked(&self) -> u64 {
        self.marked
    }
}
