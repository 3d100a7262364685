use units::Time;

use crate::readable::seconds;

/// Rows of a histogram.
const BINS: usize = 8;
/// Characters of the longest bar.
const WIDTH: u64 = 40;

/// A histogram of times in ascending order as lines of text: range, bar, count. Equal times are one line.
pub(crate) fn histogram(sorted: &[Time]) -> Vec<String> {
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let (low, high) = (low.as_secs_f64(), high.as_secs_f64());
    let bins = if high > low { BINS.min(sorted.len()) } else { 1 };
    let edge = |bin: usize| low + (high - low) * bin as f64 / bins as f64;
    let mut counts = vec![0u64; bins];
    for time in sorted.iter().map(|time| time.as_secs_f64()) {
        let bin = (1..bins).find(|&bin| time < edge(bin)).unwrap_or(bins);
        counts[bin - 1] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let line = |(bin, count): (usize, &u64)| {
        let bar = "#".repeat((count * WIDTH).div_ceil(most) as usize);
        let to = if bin + 1 == bins { high } else { edge(bin + 1) };
        format!("{:>9} .. {:>9} |{bar:<40} {count}", seconds(edge(bin)), seconds(to))
    };
    counts.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_in_one_row() {
        let times: Vec<Time> = (1000..1100).map(Time::from_us).collect();
        let rows = histogram(&times);
        let counts = rows.iter().map(|row| row.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
        assert_eq!(rows.len(), 8);
        assert_eq!(counts.sum::<u64>(), 100);
        assert!(rows[0].contains("1.000 ms") && rows[7].contains("1.099 ms"));
    }

    #[test]
    fn equal_times_are_one_row_and_nothing_is_none() {
        assert_eq!(histogram(&[Time::from_ms(2); 5]).len(), 1);
        assert!(histogram(&[]).is_empty());
    }
}
