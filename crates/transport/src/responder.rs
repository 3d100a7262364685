use units::Time;
use wire::Flags;

use crate::config::{AckEvery, TransportConfig, TransportKind};
use crate::reorder::Reorder;

/// The receiving half of a connection.
#[derive(Debug, Default)]
pub struct Responder {
    expected: u64,
    unacked: u32,
    nak_sent: bool,
    bytes: u64,
    marked: u64,
    reorder: Reorder,
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
    /// Messages that are now whole.
    pub messages: u32,
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
        let answer = |bytes, messages, reply| Received { bytes, messages, reply, echo: false, notify: false };
        let ahead = psn.wrapping_sub(self.expected as u32) as i32;
        if config.kind == TransportKind::Ud {
            self.bytes += u64::from(payload);
            self.expected += 1;
            return answer(payload, u32::from(flags.has(Flags::LAST)), None);
        }
        if ahead >= 0 && config.any_order {
            return self.accept_any(ahead as usize, payload, flags, config);
        }
        if ahead > 0 {
            // One NAK a gap: silent until the expected packet arrives (IBTA volume 1, 9.7.5.1.1).
            let reply = (!self.nak_sent).then_some(Reply::Nak(self.expected as u32));
            self.nak_sent = true;
            return answer(0, 0, reply);
        }
        if ahead < 0 {
            // A duplicate is acknowledged again, with everything that has arrived.
            return answer(0, 0, Some(Reply::Ack((self.expected as u32).wrapping_sub(1))));
        }
        self.accept(payload, flags, config)
    }

    fn accept(&mut self, payload: u32, flags: Flags, config: &TransportConfig) -> Received {
        self.expected += 1;
        self.nak_sent = false;
        self.bytes += u64::from(payload);
        let messages = u32::from(flags.has(Flags::LAST));
        Received { bytes: payload, messages, reply: self.acknowledge(flags, config), echo: false, notify: false }
    }

    /// Takes a packet in any order. Placed in memory at once; acknowledged and told on in order.
    ///
    /// Model: a gap is no reason for a NAK, so losses are repaired by the timeout.
    fn accept_any(&mut self, ahead: usize, payload: u32, flags: Flags, config: &TransportConfig) -> Received {
        let new = self.reorder.insert(ahead, flags.has(Flags::LAST));
        let (packets, messages) = self.reorder.take();
        self.expected += packets;
        let bytes = if new { payload } else { 0 };
        self.bytes += u64::from(bytes);
        let reply =
            if messages > 0 { self.acknowledge(Flags::ACK_REQUEST, config) } else { self.acknowledge(flags, config) };
        let reply = reply.filter(|_| self.expected > 0);
        Received { bytes, messages, reply, echo: false, notify: false }
    }

    fn acknowledge(&mut self, flags: Flags, config: &TransportConfig) -> Option<Reply> {
        self.unacked += 1;
        let due = match config.ack_every {
            AckEvery::Packets(n) => self.unacked >= n,
            AckEvery::Message => false,
        };
        (due || flags.has(Flags::ACK_REQUEST)).then(|| {
            self.unacked = 0;
            Reply::Ack((self.expected as u32).wrapping_sub(1))
        })
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
