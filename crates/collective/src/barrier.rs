use units::Time;

use crate::{Algorithm, Channel, Collective, Cost, Op, Part, Schedule, Source};

/// No rank leaves before all have entered: the dissemination barrier. In round i a rank tells the one 2^i further on
/// what it knows; after log2(n) rounds, rounded up, everybody knows of everybody.
#[derive(Clone, Debug)]
pub struct Barrier {
    ranks: u32,
}

impl Barrier {
    /// Bytes of a message: one word, because a message of nothing is no message.
    const TOKEN: u64 = 8;

    /// A barrier of `ranks` ranks, at least 1.
    pub fn new(ranks: u32) -> Barrier {
        assert!(ranks > 0, "a barrier has ranks");
        Barrier { ranks }
    }

    fn rounds(&self) -> u32 {
        u32::BITS - (self.ranks - 1).leading_zeros()
    }

    fn to(&self, rank: u32, round: u32) -> u32 {
        ((u64::from(rank) + (1 << round)) % u64::from(self.ranks)) as u32
    }

    fn from(&self, rank: u32, round: u32) -> u32 {
        let ranks = u64::from(self.ranks);
        ((u64::from(rank) + ranks - (1 << round)) % ranks) as u32
    }
}

impl Schedule for Barrier {
    fn collective(&self) -> Collective {
        Collective::Barrier
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::Dissemination
    }

    fn size(&self) -> u64 {
        Barrier::TOKEN
    }

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn streams(&self, _rank: u32) -> u32 {
        1
    }

    fn window(&self) -> u32 {
        4
    }

    fn op(&self, rank: u32, _stream: u32, index: u64) -> Option<Op> {
        let round = (index / 2) as u32;
        if index / 2 >= u64::from(self.rounds()) {
            return None;
        }
        if index % 2 == 1 {
            return Some(Op::recv(self.from(rank, round), Barrier::TOKEN, round, Part(0), true));
        }
        let send = Op::send(self.to(rank, round), Barrier::TOKEN, round, Part(0)).detach();
        // All earlier rounds must be over, not only the last: its sender may have been faster than theirs.
        Some(if round == 0 { send } else { send.after(1).after_start(2) })
    }

    /// log2(n) alpha.
    fn analytic(&self, cost: Cost) -> Option<Time> {
        Some(cost.time(u64::from(self.rounds()), 0))
    }

    fn channels(&self, rank: u32) -> Vec<Channel> {
        (0..self.rounds()).map(|tag| Channel { to: self.to(rank, tag), tag, nic: None }).collect()
    }

    fn sources(&self, rank: u32) -> Vec<Source> {
        (0..self.rounds()).map(|tag| Source { from: self.from(rank, tag), tag }).collect()
    }
}
