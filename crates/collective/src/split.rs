use std::ops::Range;

/// A number of bytes cut into parts that differ by at most one byte, the larger ones first.
///
/// Model: bytes, not elements, are divided, so parts need not be a multiple of the element size or of NCCL's 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    share: u64,
    longer: u32,
}

impl Split {
    /// `total` bytes in `parts` parts; `parts` is at least 1.
    pub const fn new(total: u64, parts: u32) -> Split {
        Split { share: total / parts as u64, longer: (total % parts as u64) as u32 }
    }

    /// Where part `i` begins; for `i` = number of parts, where the last one ends.
    pub const fn start(self, i: u32) -> u64 {
        let longer = if i < self.longer { i } else { self.longer };
        self.share * i as u64 + longer as u64
    }

    /// The bytes of part `i`.
    pub const fn range(self, i: u32) -> Range<u64> {
        self.start(i)..self.start(i + 1)
    }

    /// The size of the largest part.
    pub const fn largest(self) -> u64 {
        self.share + (self.longer > 0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_whole_without_gaps() {
        for (total, parts) in [(0, 3), (2, 5), (10, 3), (12, 4), (u64::MAX, 8192)] {
            let split = Split::new(total, parts);
            assert_eq!((split.start(0), split.start(parts)), (0, total));
            let sizes: Vec<u64> = (0..parts).map(|i| split.range(i).end - split.range(i).start).collect();
            assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes[0] - sizes[parts as usize - 1] <= 1);
            assert_eq!(split.largest(), sizes[0]);
        }
    }
}
