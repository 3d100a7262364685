use std::ops::Range;
use std::sync::Arc;

use crate::{Layout, Split};

/// How many bytes every rank has for every rank, and where they are in the logical buffer (sender by sender).
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    ranks: u32,
    amounts: Amounts,
}

#[derive(Clone, Debug)]
enum Amounts {
    /// Every rank sends as much in all.
    Uniform { row: u64 },
    /// Where the bytes from `src` to `dst` begin, at `src * ranks + dst`; one more for the end.
    Table(Arc<[u64]>),
}

impl Traffic {
    pub(crate) fn uniform(ranks: u32, row: u64) -> Traffic {
        Traffic { ranks, amounts: Amounts::Uniform { row } }
    }

    /// The table begins at byte 0.
    pub(crate) fn table(ranks: u32, mut size: impl FnMut(u32, u32) -> u64) -> Traffic {
        let pairs = (0..ranks).flat_map(|src| (0..ranks).map(move |dst| (src, dst)));
        let mut end = 0;
        let ends = pairs.map(|(src, dst)| {
            end += size(src, dst);
            end
        });
        Traffic { ranks, amounts: Amounts::Table(std::iter::once(0).chain(ends).collect()) }
    }

    pub(crate) fn bytes(&self, src: u32, dst: u32) -> Range<u64> {
        match &self.amounts {
            Amounts::Uniform { row } => {
                let part = Split::new(*row, self.ranks).range(dst);
                let first = u64::from(src) * row;
                first + part.start..first + part.end
            }
            Amounts::Table(starts) => {
                let pair = src as usize * self.ranks as usize + dst as usize;
                starts[pair]..starts[pair + 1]
            }
        }
    }

    /// Where the last bytes end.
    pub(crate) fn end(&self) -> u64 {
        self.bytes(self.ranks - 1, self.ranks - 1).end
    }

    /// What the rank that sends most sends, its own share included.
    pub(crate) fn largest_row(&self) -> u64 {
        match &self.amounts {
            Amounts::Uniform { row } => *row,
            Amounts::Table(starts) => {
                let rows = starts.iter().step_by(self.ranks as usize);
                rows.clone().zip(rows.skip(1)).map(|(start, end)| end - start).max().unwrap_or(0)
            }
        }
    }

    /// The most bytes that any rank sends to other hosts, or gets from them.
    pub(crate) fn busiest(&self, layout: &Layout) -> u128 {
        let mut sent = vec![0u128; self.ranks as usize];
        let mut received = sent.clone();
        for (src, dst) in (0..self.ranks).flat_map(|src| (0..self.ranks).map(move |dst| (src, dst))) {
            let bytes = self.bytes(src, dst);
            if layout.host(src) != layout.host(dst) {
                sent[src as usize] += u128::from(bytes.end - bytes.start);
                received[dst as usize] += u128::from(bytes.end - bytes.start);
            }
        }
        sent.into_iter().chain(received).max().unwrap_or(0)
    }
}
