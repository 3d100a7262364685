/// Where the ranks of a job sit: host by host, GPU by GPU, in rank order.
///
/// Hosts here are the job's own, in the order of its host list; which machines they are is decided elsewhere. The last
/// host may be partly used. Ring order over hosts is rank order, as in NCCL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    ranks: u32,
    gpus_per_host: u32,
    nics_per_host: u32,
}

impl Layout {
    /// `hosts` full hosts.
    ///
    /// # Panics
    /// When a number is zero or the ranks do not fit in 32 bits.
    pub fn new(hosts: u32, gpus_per_host: u32, nics_per_host: u32) -> Layout {
        let ranks = hosts.checked_mul(gpus_per_host).expect("ranks fit in 32 bits");
        Layout::of_ranks(ranks, gpus_per_host, nics_per_host)
    }

    /// `ranks` ranks; the last host may be partly used.
    ///
    /// # Panics
    /// When a number is zero.
    pub fn of_ranks(ranks: u32, gpus_per_host: u32, nics_per_host: u32) -> Layout {
        assert!(ranks > 0 && gpus_per_host > 0 && nics_per_host > 0, "a layout has ranks, GPUs and NICs");
        Layout { ranks, gpus_per_host, nics_per_host }
    }

    /// Every rank alone on a host with one GPU and one NIC: the textbook's setting. Also right for ranks in an
    /// arbitrary order over machines.
    pub fn flat(ranks: u32) -> Layout {
        Layout::of_ranks(ranks, 1, 1)
    }

    /// How many ranks there are.
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// How many hosts they use.
    pub const fn hosts(&self) -> u32 {
        self.ranks.div_ceil(self.gpus_per_host)
    }

    /// NICs of a host, which is also the number of rails.
    pub const fn nics_per_host(&self) -> u32 {
        self.nics_per_host
    }

    /// The host of a rank.
    pub const fn host(&self, rank: u32) -> u32 {
        rank / self.gpus_per_host
    }

    /// The GPU of a rank within its host.
    pub const fn gpu(&self, rank: u32) -> u32 {
        rank % self.gpus_per_host
    }

    /// The NIC nearest to a rank's GPU: GPUs and NICs are paired in order, several to one where numbers differ.
    pub const fn nic(&self, rank: u32) -> u32 {
        (self.gpu(rank) as u64 * self.nics_per_host as u64 / self.gpus_per_host as u64) as u32
    }

    /// GPUs in use on a host.
    pub(crate) fn gpus_on(&self, host: u32) -> u32 {
        self.gpus_per_host.min(self.ranks - host * self.gpus_per_host)
    }

    /// The rail a channel runs on.
    pub(crate) const fn rail(&self, channel: u32) -> u32 {
        channel % self.nics_per_host
    }

    /// The NIC for a channel from one rank to another: the channel's rail between hosts, none within one.
    pub(crate) fn rail_between(&self, channel: u32, from: u32, to: u32) -> Option<u32> {
        (self.host(from) != self.host(to)).then(|| self.rail(channel))
    }

    /// The rank at a position of a channel's ring.
    ///
    /// Inside a host a channel begins at the GPU nearest to its NIC and goes through the others downwards (0 7 6 5 4 3
    /// 2 1 for channel 0 of eight), leaving by the same NIC: the order NCCL finds on DGX H100, where each channel is
    /// shifted by one GPU and stays on its rail between hosts.
    pub(crate) fn rank_at(&self, channel: u32, position: u32) -> u32 {
        let host = position / self.gpus_per_host;
        host * self.gpus_per_host + self.turn(channel, host, position % self.gpus_per_host)
    }

    /// The first rank of a host on a channel's ring.
    pub(crate) fn first_on(&self, channel: u32, host: u32) -> u32 {
        self.rank_at(channel, host * self.gpus_per_host)
    }

    /// The position of a rank on a channel's ring.
    pub(crate) fn position(&self, channel: u32, rank: u32) -> u32 {
        let host = self.host(rank);
        host * self.gpus_per_host + self.turn(channel, host, self.gpu(rank))
    }

    /// Position to GPU and GPU to position: the same reflection, `start - x` modulo the GPUs in use.
    fn turn(&self, channel: u32, host: u32, x: u32) -> u32 {
        let gpus = self.gpus_on(host);
        let nearest = self.rail(channel) as u64 * self.gpus_per_host as u64 / self.nics_per_host as u64;
        (nearest as u32 % gpus + gpus - x) % gpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channel_0_visits_a_host_as_nccl_does_on_h100() {
        let layout = Layout::new(2, 8, 8);
        let ring: Vec<u32> = (0..16).map(|p| layout.rank_at(0, p)).collect();
        assert_eq!(ring, [0, 7, 6, 5, 4, 3, 2, 1, 8, 15, 14, 13, 12, 11, 10, 9]);
        assert_eq!((0..8).map(|p| layout.rank_at(3, p)).collect::<Vec<_>>(), [3, 2, 1, 0, 7, 6, 5, 4]);
    }

    #[test]
    fn every_ring_visits_every_rank_once_even_with_a_partial_host() {
        for (ranks, gpus, nics) in [(1, 1, 1), (13, 8, 4), (16, 4, 8), (9, 8, 8), (7, 3, 2)] {
            let layout = Layout::of_ranks(ranks, gpus, nics);
            for channel in 0..2 * nics {
                for rank in 0..ranks {
                    assert_eq!(layout.rank_at(channel, layout.position(channel, rank)), rank);
                }
            }
        }
    }

    #[test]
    fn gpus_share_nics_in_order() {
        assert_eq!((0..8).map(|r| Layout::new(1, 8, 4).nic(r)).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!((0..4).map(|r| Layout::new(1, 4, 8).nic(r)).collect::<Vec<_>>(), [0, 2, 4, 6]);
    }
}
