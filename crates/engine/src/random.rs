use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// What a random stream is for. Streams of different purposes are independent, so varying one
/// (another loss seed, say) leaves the others as they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// Seeds of multipath hashes, and the entropy of connections.
    Routing = 1,
    /// Which rank sits where, who sends to whom.
    Placement = 2,
    /// Compute time and start jitter.
    Jitter = 3,
    /// Random loss on links.
    Loss = 4,
    /// Arrival times of open-loop traffic.
    Arrivals = 5,
    /// ECN marking.
    Marking = 6,
}

/// A portable stream of random numbers owned by one entity for one purpose.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of entity `id` for `purpose` under the run's `seed`. Depends on nothing else.
    pub fn new(seed: u64, purpose: Purpose, id: u64) -> Stream {
        let mut state = seed;
        let mut bytes = [0u8; 32];
        for (word, salt) in bytes.chunks_exact_mut(8).zip([purpose as u64, id, 0x5EED, 0xFAB5]) {
            state = mix(state ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_add(salt);
            word.copy_from_slice(&mix(state).to_le_bytes());
        }
        Stream(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform below `bound` (positive).
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// The generator, for the distributions of `rand_distr`.
    pub fn generator(&mut self) -> &mut impl Rng {
        &mut self.0
    }
}

/// A full-avalanche mix of 64 bits (the finalizer of SplitMix64).
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ_by_seed_purpose_and_entity() {
        let first = |seed, purpose, id| Stream::new(seed, purpose, id).bits();
        let base = first(1, Purpose::Loss, 7);
        assert_eq!(base, first(1, Purpose::Loss, 7));
        assert_ne!(base, first(2, Purpose::Loss, 7));
        assert_ne!(base, first(1, Purpose::Jitter, 7));
        assert_ne!(base, first(1, Purpose::Loss, 8));
    }

    #[test]
    fn neighbouring_entities_are_uncorrelated() {
        let unit = |id| Stream::new(1, Purpose::Jitter, id).bits() as f64 / 2f64.powi(64);
        let n = 20_000;
        let values: Vec<f64> = (0..n).map(unit).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let lag: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() * 12.0 / n as f64;
        assert!((mean - 0.5).abs() < 0.01 && lag.abs() < 0.03, "mean {mean}, lag-1 {lag}");
    }
}
