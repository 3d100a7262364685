use std::ops::Range;

use units::Time;

use crate::{Algorithm, Channel, Collective, Cost, Layout, Op, Part, Schedule, Source, Split};

/// Every rank sends to the rank `shift` further on and receives from the one `shift` before, once: the `sendrecv` of
/// nccl-tests.
#[derive(Clone, Debug)]
pub struct SendRecv {
    layout: Layout,
    size: u64,
    shift: u32,
    channels: u32,
}

impl SendRecv {
    /// `size` bytes from every rank to the next.
    pub fn new(layout: Layout, size: u64) -> SendRecv {
        SendRecv { layout, size, shift: 1 % layout.ranks(), channels: 1 }
    }

    /// To the rank `shift` further on. A multiple of the number of ranks means to itself, which is nothing.
    pub fn with_shift(self, shift: u32) -> SendRecv {
        SendRecv { shift: shift % self.layout.ranks(), ..self }
    }

    /// With the data cut into this many messages (at least 1), each on a channel of its own.
    pub fn with_channels(self, channels: u32) -> SendRecv {
        assert!(channels > 0, "there is at least one channel");
        SendRecv { channels, ..self }
    }

    fn active(&self) -> u32 {
        if self.shift == 0 { 0 } else { self.channels }
    }

    fn to(&self, rank: u32) -> u32 {
        ((u64::from(rank) + u64::from(self.shift)) % u64::from(self.layout.ranks())) as u32
    }

    fn from(&self, rank: u32) -> u32 {
        let ranks = u64::from(self.layout.ranks());
        ((u64::from(rank) + ranks - u64::from(self.shift)) % ranks) as u32
    }

    /// Where the bytes that a rank sends on a channel are, and how many.
    fn message(&self, sender: u32, channel: u32) -> (u64, Part) {
        let part = Split::new(self.size, self.channels).range(channel);
        (part.end - part.start, Part(u64::from(sender) * self.size + part.start))
    }
}

impl Schedule for SendRecv {
    fn collective(&self) -> Collective {
        Collective::SendRecv
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::Direct
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn ranks(&self) -> u32 {
        self.layout.ranks()
    }

    fn streams(&self, _rank: u32) -> u32 {
        self.active()
    }

    fn window(&self) -> u32 {
        2
    }

    fn op(&self, rank: u32, stream: u32, index: u64) -> Option<Op> {
        let from = self.from(rank);
        let ((sent, here), (received, there)) = (self.message(rank, stream), self.message(from, stream));
        match index {
            0 => Some(Op::send(self.to(rank), sent, stream, here).detach()),
            1 => Some(Op::recv(from, received, stream, there, false)),
            _ => None,
        }
    }

    /// alpha + S beta.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        Some(if self.shift == 0 { Time::ZERO } else { cost.time(1, u128::from(self.size)) })
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        (0..self.active()).map(|tag| Channel { to: self.to(rank), tag, nic: None }).collect()
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        (0..self.active()).map(|tag| Source { from: self.from(rank), tag }).collect()
    }

    fn exchange(&self, src: u32, dst: u32) -> [Range<u64>; 2] {
        let first = u64::from(src) * self.size;
        let bytes = if self.shift > 0 && dst == self.to(src) { first..first + self.size } else { 0..0 };
        [bytes, 0..0]
    }
}
