use units::NodeId;
use wire::Packet;

/// Who knows the ways: the routing tables and the explicit paths of connections.
pub trait Hops {
    /// Local ports of a switch that lead to a NIC, in ascending order; empty when none does.
    fn next_hops(&self, switch: NodeId, dst: u32) -> &[u16];
    /// Local port that the explicit path of a packet takes at its n-th switch; `None` without a path.
    fn explicit(&self, packet: &Packet) -> Option<u16>;
}

/// How a switch chooses among equal ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Hash of the flow (equal-cost multipath).
    Ecmp,
    /// By destination: the n-th up port for destinations n modulo the ports (Zahavi, D-mod-K).
    DModK,
    /// Packet by packet, each flow over all ways in turn, from a way of its own.
    Spray,
    /// Packet by packet, the way with the shortest queue; of equal ones, in the same turn.
    Adaptive,
}

/// The choice of an output port at every switch.
#[derive(Clone, Debug)]
pub struct Forwarding {
    /// Which way to choose.
    pub policy: Policy,
    /// Hash seed of each node (equal seeds polarise).
    pub seeds: Vec<u32>,
    /// D-mod-K divisor of each node.
    pub divisors: Vec<u32>,
    /// Turns taken at each node by the policies that choose packet by packet.
    pub turns: Vec<u32>,
}

impl Forwarding {
    /// The local port by which a packet leaves a switch; `None` when no way leads on. `queued` gives
    /// the bytes that wait at a local port.
    #[inline]
    pub fn choose(
        &mut self,
        hops: &impl Hops,
        switch: NodeId,
        packet: &Packet,
        queued: impl Fn(u16) -> u64,
    ) -> Option<u16> {
        if let Some(port) = hops.explicit(packet) {
            return Some(port);
        }
        let group = hops.next_hops(switch, packet.dst);
        match group {
            [] => None,
            [port] => Some(*port),
            _ => Some(self.choose_among(switch, packet, group, queued)),
        }
    }

    #[inline]
    fn choose_among(&mut self, switch: NodeId, packet: &Packet, group: &[u16], queued: impl Fn(u16) -> u64) -> u16 {
        let ways = group.len() as u32;
        let index = match self.policy {
            Policy::Ecmp => {
                let hash = hash(packet.entropy, packet.conn.0, self.seeds[switch.index()]);
                ((u64::from(hash) * u64::from(ways)) >> 32) as u32
            }
            Policy::DModK => packet.dst / self.divisors[switch.index()] % ways,
            Policy::Spray => self.spread(switch, packet, ways),
            Policy::Adaptive => {
                let first = self.turn(switch, ways);
                let in_turn = (0..ways).map(|way| (first + way) % ways);
                in_turn.min_by_key(|&way| queued(group[way as usize])).unwrap_or(first)
            }
        };
        group[index as usize]
    }

    /// The way of a packet of a flow that goes over all ways in turn. Every link so gets an equal share of every flow,
    /// packet by packet. Tiers above count whole rounds of the tiers below, as D-mod-K does, or all packets that
    /// come to one switch would leave it by one way.
    fn spread(&self, switch: NodeId, packet: &Packet, ways: u32) -> u32 {
        let begin = hash(packet.entropy, packet.conn.0, self.seeds[switch.index()]);
        (packet.psn / self.divisors[switch.index()] % ways + begin % ways) % ways
    }

    /// The next way in turn. Each round begins one way further: as many flows as ways that come in step
    /// would otherwise each keep to one way for ever.
    fn turn(&mut self, switch: NodeId, ways: u32) -> u32 {
        let turn = &mut self.turns[switch.index()];
        *turn = turn.wrapping_add(1);
        (*turn % ways + *turn / ways % ways) % ways
    }
}

/// A well-mixed 32-bit hash of a flow under a switch's seed. The connection stands for the addresses
/// and ports that packets of both directions carry; the entropy for the UDP source port of the QP.
#[inline]
fn hash(entropy: u16, conn: u32, seed: u32) -> u32 {
    let mut z = (u64::from(conn) << 16 | u64::from(entropy)) ^ (u64::from(seed) << 32 | u64::from(seed));
    z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (z ^ (z >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_in_step_are_spread_over_all_ways() {
        for ways in [2u32, 4, 7, 8] {
            let (seeds, divisors, turns) = (vec![7; 2], vec![1; 2], vec![0; 2]);
            let mut forwarding = Forwarding { policy: Policy::Adaptive, seeds, divisors, turns };
            let mut counts = vec![vec![0u32; ways as usize]; ways as usize];
            for packet in 0..1000 * ways {
                counts[(packet % ways) as usize][forwarding.turn(NodeId(1), ways) as usize] += 1;
            }
            let most = 2000 / ways;
            assert!(counts.iter().flatten().all(|&count| count > 0 && count < most), "{ways} ways: {counts:?}");
            let all = (0..ways as usize).map(|way| counts.iter().map(|flow| flow[way]).sum::<u32>());
            assert!(all.into_iter().all(|sum| sum.abs_diff(1000) <= 1), "every round uses every way once");
        }
    }

    #[test]
    fn hash_spreads_flows_evenly_over_ways() {
        for ways in [2u32, 3, 8, 16] {
            let mut counts = vec![0u32; ways as usize];
            for conn in 0..20_000u32 {
                let h = hash((conn * 7 + 1) as u16, conn, 99);
                counts[((u64::from(h) * u64::from(ways)) >> 32) as usize] += 1;
            }
            let mean = 20_000.0 / f64::from(ways);
            let chi: f64 = counts.iter().map(|c| (f64::from(*c) - mean).powi(2) / mean).sum();
            assert!(chi < 3.0 * f64::from(ways) + 10.0, "{ways} ways: chi-squared {chi}");
        }
    }
}
