use units::Time;

/// Nearest-rank percentile of values in ascending order: the smallest value that at least `percent` per
/// cent of the values do not exceed. It is always one of the values. `None` of nothing.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: u32) -> Option<T> {
    let rank = (sorted.len() as u64 * u64::from(percent)).div_ceil(100);
    sorted.get(rank.saturating_sub(1) as usize).copied()
}

/// Arithmetic mean in seconds. Whole picoseconds are added, so it depends on no order.
pub(crate) fn mean(times: &[Time]) -> Option<f64> {
    Some(mean_ps(times)? / 1e12)
}

/// Standard deviation in seconds of the times themselves (divisor n, not n - 1); zero of one time.
pub(crate) fn deviation(times: &[Time]) -> Option<f64> {
    let mean = mean_ps(times)?;
    let off = |time: &Time| time.ps() as f64 - mean;
    let squares: f64 = times.iter().map(|time| off(time) * off(time)).sum();
    Some((squares / times.len() as f64).sqrt() / 1e12)
}

fn mean_ps(times: &[Time]) -> Option<f64> {
    let sum: u128 = times.iter().map(|time| u128::from(time.ps())).sum();
    (!times.is_empty()).then(|| sum as f64 / times.len() as f64)
}

/// Jain's fairness index (Jain, Chiu, Hawe, DEC-TR-301, 1984): 1 when all are equal, 1/n when one has
/// everything. `None` of nothing and when nobody has anything.
pub(crate) fn jain(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|v| v * v).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

/// In ascending order.
pub(crate) fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values = [15, 20, 35, 40, 50];
        let at = |percent| percentile(&values, percent);
        assert_eq!([at(5), at(30), at(40), at(50), at(100)].map(Option::unwrap), [15, 20, 20, 35, 50]);
        assert_eq!(percentile(&values, 0), Some(15));
        assert_eq!(percentile::<u8>(&[], 50), None);
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!(percentile(&hundred, 99), Some(99));
    }

    #[test]
    fn jain_is_one_for_equals_and_a_share_for_a_winner() {
        assert_eq!(jain(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(jain(&[5.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[0.0, 0.0]), None);
        assert_eq!(jain(&[]), None);
    }

    #[test]
    fn the_deviation_is_that_of_the_values() {
        assert_eq!(deviation(&[2, 4, 4, 4, 5, 5, 7, 9].map(Time::from_ms)), Some(2e-3));
        assert_eq!(deviation(&[Time::from_ms(3)]), Some(0.0));
        assert_eq!(deviation(&[]), None);
    }
}
