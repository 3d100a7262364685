use units::Time;
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
    /// A mark since the last acknowledgement.
    echo: bool,
    /// When the last congestion notification was sent.
    notified: Option<Time>,
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
    /// The answer reports congestion.
    pub echo: bool,
    /// A congestion notification packet is due.
    pub notify: bool,
}

impl Responder {
    /// A data packet has arrived.
    #[inline]
    pub fn on_data(&mut self, psn: u32, payload: u32, flags: Flags, now: Time, config: &TransportConfig) -> Received {
        let notify = flags.has(Flags::CE) && self.note_mark(now, config);
        let mut received = self.sequence(psn, payload, flags, config);
        received.notify = notify;
        if received.reply.is_some() {
            received.echo = std::mem::take(&mut self.echo);
        }
        received
    }

    /// A marked packet: whether a notification is due, at most one in the configured interval.
    fn note_mark(&mut self, now: Time, config: &TransportConfig) -> bool {
        self.marked += 1;
        self.echo = true;
        let Some(interval) = config.cnp_interval else { return false };
        let due = self.notified.is_none_or(|last| now >= last.saturating_add(interval));
        if due {
            self.notified = Some(now);
        }
        due
    }

    #[inline]
    fn sequence(&mut self, psn: u32, payload: u32, flags: Flags, config: &TransportConfig) -> Received {
        let answer = |bytes, message, reply| Received { bytes, message, reply, echo: false, notify: false };
        let ahead = psn.wrapping_sub(self.expected as u32) as i32;
        if config.kind == TransportKind::Ud {
            self.bytes += u64::from(payload);
            self.expected += 1;
            return answer(payload, flags.has(Flags::LAST), None);
        }
        if ahead > 0 {
            // One NAK a gap: silent until the expected packet arrives (IBTA volume 1, 9.7.5.1.1).
            let reply = (!self.nak_sent).then_some(Reply::Nak(self.expected as u32));
            self.nak_sent = true;
            return answer(0, false, reply);
        }
        if ahead < 0 {
            // A duplicate is acknowledged again, with everything that has arrived.
            return answer(0, false, Some(Reply::Ack((self.expected as u32).wrapping_sub(1))));
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
        Received { bytes: payload, message: flags.has(Flags::LAST), reply, echo: false, notify: false }
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
