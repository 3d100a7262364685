/// Which rank's tokens go to which rank's experts: the copies of tokens from every rank to every rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routing {
    ranks: u32,
    /// At `src * ranks + dst`.
    copies: Vec<u32>,
}

/// A mixture-of-experts layer as far as routing is concerned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Experts {
    /// Experts in all, spread over the ranks in equal runs (rank = expert x ranks / experts).
    pub count: u32,
    /// Different experts that a token goes to.
    pub top_k: u32,
    /// How uneven their popularity is: the i-th most popular is chosen with weight 1 / i^zipf; 0 is uniform.
    pub zipf: f64,
    /// Whether a token goes only once to a rank that has several of its experts.
    pub once_per_rank: bool,
}

impl Routing {
    /// Exactly balanced: every rank sends its tokens to all ranks evenly, `tokens x top_k` copies in all, as far as
    /// that divides.
    pub fn balanced(ranks: u32, tokens: u32, top_k: u32) -> Routing {
        let copies = crate::Split::new(u64::from(tokens) * u64::from(top_k), ranks);
        // Each rank begins its larger parts at itself, so that columns are even too.
        let amount = |src: u32, dst: u32| {
            let part = copies.range((dst + ranks - src) % ranks);
            (part.end - part.start) as u32
        };
        let pairs = (0..ranks).flat_map(|src| (0..ranks).map(move |dst| (src, dst)));
        Routing { ranks, copies: pairs.map(|(src, dst)| amount(src, dst)).collect() }
    }

    /// Drawn at random: each of the `tokens` tokens of every rank goes to `top_k` different experts, chosen one after
    /// another by popularity; which experts are popular is drawn too. `random` gives uniform 64-bit numbers; the same
    /// numbers give the same routing.
    ///
    /// # Panics
    /// When there are no ranks, fewer experts than `top_k`, or `zipf` is negative or not finite.
    pub fn draw(ranks: u32, tokens: u32, experts: Experts, random: &mut dyn FnMut() -> u64) -> Routing {
        assert!(ranks > 0 && experts.top_k <= experts.count, "there are ranks, and at least top_k experts");
        let popularity = Popularity::new(&experts, random);
        let mut copies = vec![0; ranks as usize * ranks as usize];
        let mut chosen = Vec::new();
        for row in copies.chunks_exact_mut(ranks as usize) {
            for _ in 0..tokens {
                popularity.choose(experts.top_k, random, &mut chosen);
                let rank = |&expert: &u32| u64::from(expert) * u64::from(ranks) / u64::from(experts.count);
                let mut visited: Vec<usize> = chosen.iter().map(|expert| rank(expert) as usize).collect();
                if experts.once_per_rank {
                    visited.sort_unstable();
                    visited.dedup();
                }
                visited.into_iter().for_each(|dst| row[dst] += 1);
            }
        }
        Routing { ranks, copies }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Copies of tokens that rank `src` sends to rank `dst`, which may be itself.
    pub fn copies(&self, src: u32, dst: u32) -> u64 {
        u64::from(self.copies[src as usize * self.ranks as usize + dst as usize])
    }

    /// The copies that the most popular rank gets, over the mean: 1 when balanced.
    pub fn imbalance(&self) -> f64 {
        let column = |dst| (0..self.ranks).map(|src| self.copies(src, dst)).sum::<u64>();
        let columns: Vec<u64> = (0..self.ranks).map(column).collect();
        let (most, all) = (columns.iter().copied().max().unwrap_or(0), columns.iter().sum::<u64>());
        if all == 0 { 1.0 } else { most as f64 * f64::from(self.ranks) / all as f64 }
    }
}

/// How likely each expert is to be chosen.
struct Popularity {
    /// The experts, most popular first.
    experts: Vec<u32>,
    /// Where the share of the i-th begins on the line from 0 to the sum of weights; one more for the end.
    starts: Vec<u64>,
}

impl Popularity {
    /// The weight of the most popular expert: fine enough that rounding does not show, small enough that a million
    /// experts fit in 64 bits.
    const ONE: f64 = (1u64 << 40) as f64;

    fn new(config: &Experts, random: &mut dyn FnMut() -> u64) -> Popularity {
        assert!(config.zipf.is_finite() && config.zipf >= 0.0, "the exponent is a number, zero or more");
        let mut experts: Vec<u32> = (0..config.count).collect();
        for i in (1..experts.len()).rev() {
            experts.swap(i, below(i as u64 + 1, random) as usize);
        }
        let weight = |i: u32| (Popularity::ONE / libm::pow(f64::from(i + 1), config.zipf)).round().max(1.0) as u64;
        let ends = (0..config.count).scan(0, |end, i| {
            *end += weight(i);
            Some(*end)
        });
        Popularity { starts: std::iter::once(0).chain(ends).collect(), experts }
    }

    /// `count` different experts, each drawn among those that remain.
    fn choose(&self, count: u32, random: &mut dyn FnMut() -> u64, chosen: &mut Vec<u32>) {
        // Indices already taken, in ascending order: their shares are cut out of the line.
        let mut taken: Vec<usize> = Vec::with_capacity(count as usize);
        let mut left = self.starts[self.experts.len()];
        for _ in 0..count {
            let mut point = below(left, random);
            for &index in &taken {
                if point >= self.starts[index] {
                    point += self.starts[index + 1] - self.starts[index];
                }
            }
            let index = self.starts.partition_point(|&start| start <= point) - 1;
            left -= self.starts[index + 1] - self.starts[index];
            taken.insert(taken.partition_point(|&other| other < index), index);
        }
        chosen.clear();
        chosen.extend(taken.iter().map(|&index| self.experts[index]));
    }
}

/// A number below `limit`, each nearly equally likely (to 2^-64 of the limit).
fn below(limit: u64, random: &mut dyn FnMut() -> u64) -> u64 {
    ((u128::from(random()) * u128::from(limit)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }
    }

    fn experts(count: u32, top_k: u32, zipf: f64) -> Experts {
        Experts { count, top_k, zipf, once_per_rank: false }
    }

    #[test]
    fn every_token_goes_to_top_k_experts() {
        for zipf in [0.0, 1.0, 12.0] {
            let routing = Routing::draw(6, 50, experts(12, 4, zipf), &mut numbers(1));
            for src in 0..6 {
                assert_eq!((0..6).map(|dst| routing.copies(src, dst)).sum::<u64>(), 200);
            }
            // All experts chosen: exactly two copies of every token for every rank.
            let all = Routing::draw(6, 50, experts(12, 12, zipf), &mut numbers(1));
            assert!((0..6).all(|dst| all.copies(3, dst) == 100));
        }
    }

    #[test]
    fn a_token_goes_once_to_a_rank_when_asked() {
        let all = Experts { once_per_rank: true, ..experts(12, 12, 0.0) };
        assert!((0..6).all(|dst| Routing::draw(6, 50, all, &mut numbers(1)).copies(0, dst) == 50));
    }

    #[test]
    fn skew_shows_and_the_seed_decides() {
        let draw = |zipf, seed| Routing::draw(16, 500, experts(64, 8, zipf), &mut numbers(seed));
        assert!(draw(0.0, 1).imbalance() < 1.05);
        assert!(draw(1.2, 1).imbalance() > 1.5);
        assert_eq!(draw(0.5, 1), draw(0.5, 1));
        assert_ne!(draw(0.5, 1), draw(0.5, 2));
    }

    #[test]
    fn shares_follow_zipf_for_single_choices() {
        let mut random = numbers(7);
        let popularity = Popularity::new(&experts(4, 1, 1.0), &mut random);
        let mut counts = [0u32; 4];
        let mut chosen = Vec::new();
        for _ in 0..100_000 {
            popularity.choose(1, &mut random, &mut chosen);
            counts[popularity.experts.iter().position(|e| *e == chosen[0]).unwrap()] += 1;
        }
        for (count, share) in counts.iter().zip([0.48, 0.24, 0.16, 0.12]) {
            assert!((f64::from(*count) / 1e5 - share).abs() < 0.006, "{counts:?}");
        }
    }

    #[test]
    fn balanced_means_equal_rows_and_columns() {
        let routing = Routing::balanced(7, 10, 2);
        let row: u64 = (0..7).map(|dst| routing.copies(2, dst)).sum();
        let column: u64 = (0..7).map(|src| routing.copies(src, 2)).sum();
        assert_eq!((row, column), (20, 20));
        assert_eq!(routing.imbalance(), 1.0);
    }
}
