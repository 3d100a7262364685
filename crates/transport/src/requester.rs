use std::collections::VecDeque;

use units::{Bytes, Rate, Time};
use wire::Flags;

use crate::config::{AckEvery, TransportConfig, TransportKind};
use crate::congestion::{CongestionControl, Controller};

/// A message that a requester has been given.
#[derive(Clone, Copy, Debug)]
struct Message {
    bytes: u64,
    /// Sequence number of its first packet, and of the first packet after it.
    first: u64,
    end: u64,
}

/// The sending half of a connection.
///
/// Packet sequence numbers count from zero in 64 bits; the wire carries the low 32.
///
/// Model: the wire carries 32 bits of PSN instead of 24; the window stays within 2^23 as the standard
/// demands, so no comparison differs.
#[derive(Debug)]
pub struct Requester {
    messages: VecDeque<Message>,
    /// Index in `messages` and byte offset of the packet to send next.
    cursor: usize,
    offset: u64,
    /// First unacknowledged, next to send, end of what was posted, first never sent.
    una: u64,
    next: u64,
    end: u64,
    fresh: u64,
    /// Pacing: nothing before this time.
    not_before: Time,
    rate: Option<Rate>,
    controller: Controller,
    /// Packets in flight at most, of transport and congestion control together.
    window: u32,
    deadline: Time,
    timer_armed: bool,
    timeouts_in_a_row: u8,
    failed: bool,
    retransmitted: u64,
    timeouts: u64,
}

/// What a requester would send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// A packet of this size on the wire, now.
    Packet(u16),
    /// Something, not before this time.
    At(Time),
    /// Nothing until a message is posted or an acknowledgement arrives.
    Nothing,
}

/// A packet's worth of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Sequence number.
    pub psn: u32,
    /// Payload bytes.
    pub payload: u32,
    /// Size on the wire.
    pub size: u16,
    /// First, last, acknowledgement asked for.
    pub flags: Flags,
    /// Sent before.
    pub again: bool,
}

/// What an acknowledgement or timer did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Messages now acknowledged whole, in the order they were posted.
    pub messages: u32,
    /// There may be something to send that was not there before.
    pub sendable: bool,
    /// The flow has given up.
    pub failed: bool,
}

impl Requester {
    /// A requester with nothing to send. `rate` paces its wire bytes besides congestion control.
    pub fn new(config: &TransportConfig, rate: Option<Rate>, mut controller: Controller) -> Requester {
        let allowed = controller.allowance(Time::ZERO).window.unwrap_or(u32::MAX);
        Requester {
            messages: VecDeque::new(),
            cursor: 0,
            offset: 0,
            una: 0,
            next: 0,
            end: 0,
            fresh: 0,
            not_before: Time::ZERO,
            rate,
            controller,
            window: config.window.min(allowed),
            deadline: Time::MAX,
            timer_armed: false,
            timeouts_in_a_row: 0,
            failed: false,
            retransmitted: 0,
            timeouts: 0,
        }
    }

    /// Gives it a message of `bytes` (at least one) to send after those before.
    pub fn post(&mut self, bytes: u64, config: &TransportConfig) {
        debug_assert!(bytes > 0, "a message has bytes");
        let packets = bytes.div_ceil(u64::from(config.mtu));
        let message = Message { bytes, first: self.end, end: self.end.saturating_add(packets) };
        self.end = message.end;
        self.messages.push_back(message);
    }

    /// Ends an unlimited message where it has got to: nothing new is sent.
    pub fn stop(&mut self, config: &TransportConfig) {
        let sent_in = |m: &Message| (self.fresh - m.first) * u64::from(config.mtu);
        self.messages.retain(|m| m.first < self.fresh);
        if let Some(last) = self.messages.back_mut()
            && last.end > self.fresh
        {
            last.bytes = last.bytes.min(sent_in(last));
            last.end = self.fresh;
        }
        self.end = self.end.min(self.fresh);
        self.seek(config);
    }

    /// What it would send at `now`.
    #[inline]
    pub fn peek(&self, now: Time, config: &TransportConfig) -> Next {
        if self.next == self.end || self.is_full() || self.failed {
            return Next::Nothing;
        }
        if self.not_before > now {
            return Next::At(self.not_before);
        }
        let message = &self.messages[self.cursor];
        let payload = (message.bytes - self.offset).min(u64::from(config.mtu)) as u32;
        Next::Packet(config.wire_size(payload, self.offset == 0))
    }

    /// Makes the packet that [`Requester::peek`] has just shown.
    #[inline]
    pub fn take(&mut self, now: Time, config: &TransportConfig) -> Segment {
        let message = self.messages[self.cursor];
        let payload = (message.bytes - self.offset).min(u64::from(config.mtu)) as u32;
        let (first, last) = (self.offset == 0, self.next + 1 == message.end);
        let size = config.wire_size(payload, first);
        let mut flags = Flags(0);
        if first {
            flags = flags.with(Flags::FIRST);
        }
        if last {
            flags = flags.with(Flags::LAST);
        }
        // A message longer than the window still needs acknowledgements on its way.
        let spaced =
            config.ack_every == AckEvery::Message && self.next.is_multiple_of(u64::from(config.window.div_ceil(2)));
        if last || spaced {
            flags = flags.with(Flags::ACK_REQUEST);
        }
        let segment = Segment { psn: self.next as u32, payload, size, flags, again: self.next < self.fresh };
        self.advance(last, payload);
        self.pace(now, size);
        if config.kind == TransportKind::Ud {
            self.una = self.next;
            self.drop_sent_messages();
        }
        segment
    }

    fn advance(&mut self, last: bool, payload: u32) {
        if self.next < self.fresh {
            self.retransmitted += 1;
        }
        self.next += 1;
        self.fresh = self.fresh.max(self.next);
        if last {
            self.cursor += 1;
            self.offset = 0;
        } else {
            self.offset += u64::from(payload);
        }
    }

    fn pace(&mut self, now: Time, size: u16) {
        if let Controller::None = self.controller
            && self.rate.is_none()
        {
            return;
        }
        let size = Bytes::new(u64::from(size));
        self.controller.on_sent(now, size);
        let allowed = self.controller.allowance(now).rate;
        if let Some(rate) = [self.rate, allowed].into_iter().flatten().min() {
            self.not_before = self.not_before.max(now) + rate.time_for(size);
        }
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.next - self.una >= u64::from(self.window)
    }

    fn drop_sent_messages(&mut self) {
        while self.messages.front().is_some_and(|m| m.end <= self.una) {
            self.messages.pop_front();
            self.cursor -= 1;
        }
    }

    /// After sending: the time for which the caller must set the retransmission timer, if it is not set.
    #[inline]
    pub fn arm(&mut self, now: Time, config: &TransportConfig) -> Option<Time> {
        if config.kind == TransportKind::Ud {
            return None;
        }
        if self.deadline == Time::MAX {
            self.deadline = now.saturating_add(config.timeout);
        }
        if self.timer_armed {
            return None;
        }
        self.timer_armed = true;
        Some(self.deadline)
    }

    /// A congestion notification packet.
    pub fn on_cnp(&mut self, now: Time) {
        self.controller.on_cnp(now);
    }

    /// An acknowledgement: everything up to and including `psn` has arrived. `echo`: it reports
    /// congestion.
    #[inline]
    pub fn on_ack(&mut self, psn: u32, echo: bool, now: Time, config: &TransportConfig) -> Progress {
        let acked = self.una.wrapping_add(u64::from(psn.wrapping_add(1).wrapping_sub(self.una as u32)));
        if acked <= self.una || acked > self.fresh || self.failed {
            return Progress::default();
        }
        let was_full = self.is_full();
        let packets = (acked - self.una) as u32;
        self.una = acked;
        if !matches!(self.controller, Controller::None | Controller::Window(_)) {
            self.controller.on_ack(now, packets, echo, acked, self.next.max(acked));
            if let Some(window) = self.controller.allowance(now).window {
                self.window = window.min(config.window);
            }
        }
        self.timeouts_in_a_row = 0;
        let overtaken = self.next < acked;
        let mut messages = 0;
        while self.messages.front().is_some_and(|m| m.end <= acked) {
            self.messages.pop_front();
            self.cursor = self.cursor.wrapping_sub(1);
            messages += 1;
        }
        if overtaken {
            self.next = acked;
            self.seek(config);
        }
        self.deadline = if self.una == self.fresh { Time::MAX } else { now.saturating_add(config.timeout) };
        Progress { messages, sendable: was_full || overtaken, failed: false }
    }

    /// A negative acknowledgement: `psn` is the first packet missing; go back to it.
    pub fn on_nak(&mut self, psn: u32, now: Time, config: &TransportConfig) -> Progress {
        let mut progress = self.on_ack(psn.wrapping_sub(1), false, now, config);
        if self.una as u32 == psn && self.next > self.una && !self.failed {
            self.next = self.una;
            self.seek(config);
            progress.sendable = true;
        }
        progress
    }

    /// The retransmission timer fires. Returns what happened and when to set it again.
    pub fn on_timer(&mut self, now: Time, config: &TransportConfig) -> (Progress, Option<Time>) {
        if self.deadline == Time::MAX || self.failed {
            self.timer_armed = false;
            return (Progress::default(), None);
        }
        if self.deadline > now {
            return (Progress::default(), Some(self.deadline));
        }
        if self.timeouts_in_a_row == config.retries {
            self.failed = true;
            self.timer_armed = false;
            return (Progress { failed: true, ..Progress::default() }, None);
        }
        self.timeouts += 1;
        self.timeouts_in_a_row += 1;
        self.next = self.una;
        self.seek(config);
        self.deadline = now.saturating_add(config.timeout);
        (Progress { sendable: true, ..Progress::default() }, Some(self.deadline))
    }

    /// Puts the cursor on packet `next`.
    fn seek(&mut self, config: &TransportConfig) {
        self.cursor = self.messages.partition_point(|m| m.end <= self.next);
        self.offset = self.messages.get(self.cursor).map_or(0, |m| (self.next - m.first) * u64::from(config.mtu));
    }

    /// Whether everything posted is acknowledged (of a datagram source: sent).
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.una == self.end
    }

    /// Whether the flow has given up.
    pub fn is_failed(&self) -> bool {
        self.failed
    }

    /// The latest time at which the retransmission timer is due; `None` when nothing is outstanding.
    pub fn deadline(&self) -> Option<Time> {
        (self.deadline != Time::MAX).then_some(self.deadline)
    }

    /// Packets sent again.
    pub fn retransmitted(&self) -> u64 {
        self.retransmitted
    }

    /// Retransmission timeouts.
    pub fn timeouts(&self) -> u64 {
        self.timeouts
    }

    /// Packets sent and not acknowledged.
    pub fn in_flight(&self) -> u64 {
        self.next - self.una
    }
}
