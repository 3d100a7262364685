use sim::{CollectiveSpec, Purpose, RankPlace, Stream};
use topology::{NodeKind, Topology};
use units::{Bytes, NodeId, Rate, Time};

use collective::{
    AllToAll, Barrier, Chain, Cost, Exchange, Experts, HalvingDoubling, Layout, Moe, Pipeline, Ring, Routing, Schedule,
    SendRecv, Slicing, Tree,
};

use super::Planner;
use super::workload::Ground;
use crate::diagnostic::Code;
use crate::spec::{self, Algorithm, CollectiveKind, MoeExchange, Placement, Skew};

/// The most pairs of ranks that exchange data with each other.
const PAIR_LIMIT: u64 = 4_000_000;

/// The most choices of experts that are drawn.
const CHOICE_LIMIT: u64 = 100_000_000;

/// Streams of placement beside that of patterns.
const ORDER_STREAM: u64 = 1;
const EXPERT_STREAM: u64 = 2;

/// A schedule, what results call it, and what its closed form leaves out.
struct Chosen {
    schedule: Box<dyn Schedule>,
    algorithm: &'static str,
    analytic: Option<Time>,
}

impl Planner<'_> {
    pub(super) fn collective(&mut self, ground: &Ground<'_>, wanted: &spec::Collective) -> Option<CollectiveSpec> {
        let layout = self.layout(ground.topology)?;
        let ranks = layout.ranks();
        if !self.fits(wanted, ranks) {
            return None;
        }
        let order = self.host_order(layout.hosts());
        let Chosen { schedule, algorithm, analytic } = self.chosen(ground, &order, layout, wanted)?;
        if !self.reachable(ground, &*schedule, layout, &order) {
            return None;
        }
        let run = &self.scenario.spec.run;
        let mut starts = self.starts();
        let place = |rank: u32| RankPlace {
            host: order[layout.host(rank) as usize],
            gpu: layout.gpu(rank) as u16,
            nic: layout.nic(rank) as u16,
            start: starts.next(),
        };
        Some(CollectiveSpec {
            kind: wanted.kind.word().to_string(),
            algorithm: algorithm.to_string(),
            size: Bytes::new(schedule.size()),
            traffic: traffic(&*schedule, wanted.kind),
            bus_factor: schedule.collective().bus_factor(ranks),
            analytic,
            ranks: (0..ranks).map(place).collect(),
            compute: wanted.compute,
            steps: run.steps,
            warmup: run.warmup,
            class: self.class(None)?,
            schedule,
        })
    }

    /// Whether the numbers are such that a schedule can be made.
    fn fits(&mut self, wanted: &spec::Collective, ranks: u32) -> bool {
        let before = self.faults.len();
        if ranks < 2 {
            self.refuse(Code::Impossible, "workload", "one rank has nobody to exchange data with", "take more GPUs");
        }
        if wanted.root >= ranks {
            let text = format!("the root is rank {}, but the ranks are 0 to {}", wanted.root, ranks - 1);
            self.refuse(Code::Impossible, "workload.root", text, "");
        }
        if u128::from(ranks) * u128::from(wanted.size.get()) > 1 << 62 {
            let text = format!("{} for each of {ranks} ranks is more than can be counted", wanted.size);
            self.refuse(Code::Impossible, "workload.size", text, "take a smaller size");
        }
        let all_pairs = matches!(wanted.kind, CollectiveKind::AllToAll | CollectiveKind::Moe);
        if all_pairs && u64::from(ranks) * u64::from(ranks) > PAIR_LIMIT {
            let text = format!("{ranks} ranks that all exchange data need more than {PAIR_LIMIT} connections");
            self.refuse(Code::Impossible, "workload", text, "take 2000 ranks or fewer");
        }
        if let Some(moe) = &wanted.moe {
            self.moe_fits(moe, ranks);
        }
        self.faults.len() == before
    }

    fn moe_fits(&mut self, moe: &spec::Moe, ranks: u32) {
        let choices = u64::from(ranks) * u64::from(moe.tokens) * u64::from(moe.top_k);
        if moe.skew != Skew::Balanced && choices > CHOICE_LIMIT {
            let text = format!("{choices} choices of experts are more than {CHOICE_LIMIT}");
            self.refuse(Code::Impossible, "workload.tokens", text, "take fewer tokens, or `skew: balanced`");
        }
        let bytes = moe.dispatch.bytes(moe.hidden) + moe.combine.bytes(moe.hidden);
        if u128::from(choices) * u128::from(bytes) > 1 << 62 {
            self.refuse(Code::Impossible, "workload.tokens", "the tokens have more bytes than can be counted", "");
        }
    }

    /// Which host the ranks sit on: host by host of the job.
    fn host_order(&self, hosts: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..hosts).collect();
        let spec = &self.scenario.spec;
        if spec.workload.placement == Placement::Random {
            let mut stream = Stream::new(spec.streams.placement, Purpose::Placement, ORDER_STREAM);
            for last in (1..order.len()).rev() {
                order.swap(last, stream.below(last as u64 + 1) as usize);
            }
        }
        order
    }

    /// Ranks host by host; every host must be alike.
    fn layout(&mut self, topology: &Topology) -> Option<Layout> {
        let hosts = topology.hosts();
        let shape = |host: u32| {
            let node = &topology.nodes[host as usize];
            match node.kind {
                NodeKind::Host { gpus } => (u32::from(gpus), u32::from(node.ports)),
                NodeKind::Switch { .. } => (0, 0),
            }
        };
        let first = shape(0);
        if let Some(other) = (1..hosts).find(|host| shape(*host) != first) {
            let text = format!(
                "`{}` has other GPUs or ports than `{}`",
                topology.nodes[other as usize].name, topology.nodes[0].name
            );
            self.refuse(Code::Impossible, "workload", text, "collectives run over hosts that are alike");
            return None;
        }
        Some(Layout::new(hosts, first.0, first.1))
    }

    /// Whether a route leads along every channel of a schedule.
    fn reachable(&mut self, ground: &Ground<'_>, schedule: &dyn Schedule, layout: Layout, order: &[u32]) -> bool {
        for from in 0..schedule.ranks() {
            for channel in schedule.channels(from) {
                let (a, b) = (order[layout.host(from) as usize], order[layout.host(channel.to) as usize]);
                if a == b {
                    continue;
                }
                let nic = |host: u32, rank: u32| {
                    ground.topology.host_nic(NodeId(host), channel.nic.unwrap_or(layout.nic(rank)) as u16)
                };
                let ends = nic(a, from).zip(nic(b, channel.to));
                if !ends.is_some_and(|(src, dst)| ground.leads(src, dst)) {
                    let text = format!("rank {from} cannot reach rank {} over this network", channel.to);
                    let help = "without spines only NICs of one rail reach each other; take a topology that joins them";
                    self.refuse(Code::Impossible, "workload", text, help);
                    return false;
                }
            }
        }
        true
    }

    fn chosen(
        &mut self,
        ground: &Ground<'_>,
        order: &[u32],
        layout: Layout,
        wanted: &spec::Collective,
    ) -> Option<Chosen> {
        let cost = self.cost(ground, order);
        let plain = |schedule: Box<dyn Schedule>, algorithm| {
            let analytic = schedule.analytic(cost);
            Chosen { schedule, algorithm, analytic }
        };
        let (size, root) = (wanted.size.get(), wanted.root);
        let inside = ground.host.nvlink_latency;
        let nvlink = Cost { alpha: inside, rate: ground.host.nvlink_rate };
        let on_ring = |ring: Ring| ringed(ring, wanted, layout, cost, nvlink);
        Some(match wanted.kind {
            CollectiveKind::AllReduce => all_reduce(layout, wanted, cost, nvlink),
            CollectiveKind::ReduceScatter => on_ring(Ring::reduce_scatter(layout, size)),
            CollectiveKind::AllGather => on_ring(Ring::all_gather(layout, size)),
            CollectiveKind::Broadcast => plain(chained(Chain::broadcast(layout, size, root), wanted), "ring"),
            CollectiveKind::Reduce => plain(chained(Chain::reduce(layout, size, root), wanted), "ring"),
            CollectiveKind::AllToAll => {
                let (exchange, word) = match wanted.algorithm {
                    Algorithm::Pairwise => (Exchange::SEQUENTIAL, "pairwise"),
                    Algorithm::Auto if in_lockstep(layout, ground.host) => (Exchange::SEQUENTIAL, "pairwise"),
                    _ => (Exchange::Direct, "direct"),
                };
                plain(Box::new(AllToAll::uniform(layout, size).with_exchange(exchange)), word)
            }
            CollectiveKind::SendRecv => {
                let channels = wanted.channels.unwrap_or(1);
                plain(Box::new(SendRecv::new(layout, size).with_channels(channels)), "direct")
            }
            CollectiveKind::Barrier => plain(Box::new(Barrier::new(layout.ranks())), "dissemination"),
            CollectiveKind::Moe => self.moe(layout, &wanted.moe?, plain)?,
        })
    }

    fn moe(
        &mut self,
        layout: Layout,
        moe: &spec::Moe,
        plain: impl Fn(Box<dyn Schedule>, &'static str) -> Chosen,
    ) -> Option<Chosen> {
        if moe.top_k > moe.experts {
            let text = format!("a token cannot go to {} of {} experts", moe.top_k, moe.experts);
            self.refuse(Code::Impossible, "workload.top_k", text, "take as many experts at least");
            return None;
        }
        let zipf = match moe.skew {
            Skew::Balanced => None,
            Skew::Uniform => Some(0.0),
            Skew::Zipf(zipf) => Some(zipf.as_f64()),
        };
        let seed = self.scenario.spec.streams.placement;
        let mut stream = Stream::new(seed, Purpose::Placement, EXPERT_STREAM);
        let routing = match zipf {
            None => Routing::balanced(layout.ranks(), moe.tokens, moe.top_k),
            Some(zipf) => {
                let (count, top_k, once_per_rank) = (moe.experts, moe.top_k, moe.once_per_rank);
                let experts = Experts { count, top_k, zipf, once_per_rank };
                Routing::draw(layout.ranks(), moe.tokens, experts, &mut || stream.bits())
            }
        };
        let (exchange, word) = match moe.exchange {
            MoeExchange::Simultaneous => (Exchange::Direct, "direct"),
            MoeExchange::Staggered => (Exchange::SEQUENTIAL, "pairwise"),
        };
        let schedule = Moe::new(layout, &routing, moe.dispatch.bytes(moe.hidden), moe.combine.bytes(moe.hidden))
            .with_compute(moe.expert_compute)
            .with_exchange(exchange);
        Some(plain(Box::new(schedule), word))
    }

    /// Alpha and beta of the closed form: software, NICs and the idle way from the first host to the second; payload
    /// rate.
    fn cost(&self, ground: &Ground<'_>, order: &[u32]) -> Cost {
        let Ground { topology, routes, transport, host } = ground;
        let mut alpha = host.software_latency + host.nic_latency * 2;
        let nic = |at: usize| topology.host_nic(NodeId(*order.get(at)?), 0);
        if let Some((first, next)) = nic(0).zip(nic(1))
            && let Some(path) = routes.path(topology, first, next, |_, ways| ways[0])
        {
            for port in &path {
                alpha += topology.ports[port.index()].delay;
            }
            // A switch has to see a packet, or its header, before it passes it on.
            let switching = self.switching();
            let seen = switching.cut_through.map_or(transport.wire_size(transport.mtu, false), |header| header);
            let rate = topology.ports[path[0].index()].rate;
            let store = rate.time_for(Bytes::new(u64::from(seen)));
            alpha += (switching.latency + store) * (path.len() as u64 - 1);
        }
        let line = topology.ports[topology.nics[0].index()].rate.bps();
        let packet = u128::from(transport.mtu) + u128::from(transport.overheads.packet);
        let rate = Rate::from_bps((u128::from(line) * u128::from(transport.mtu) / packet) as u64);
        Cost { alpha, rate }
    }
}

/// Whether ranks stay in step by themselves, as the pairwise exchange needs: out of step two of them send to one
/// at a time, and the ports of others idle. Libraries keep many peers going at once instead.
fn in_lockstep(layout: Layout, host: &sim::HostConfig) -> bool {
    layout.ranks() == layout.hosts() && host.jitter_sigma == 0.0 && host.stragglers.is_empty()
}

/// With the mean alpha where `outside` of `all` messages cross the network and the others stay inside a host.
fn mixed(cost: Cost, outside: u32, all: u32, inside: Time) -> Cost {
    let (outside, all) = (u64::from(outside), u64::from(all));
    if outside < 2 || outside >= all {
        return cost;
    }
    let sum = cost.alpha.saturating_mul(outside).saturating_add(inside.saturating_mul(all - outside));
    Cost { alpha: Time::from_ps(sum.ps() / all), ..cost }
}

fn all_reduce(layout: Layout, wanted: &spec::Collective, cost: Cost, nvlink: Cost) -> Chosen {
    let inside = nvlink.alpha;
    let size = wanted.size.get();
    let ring = || ringed(Ring::all_reduce(layout, size), wanted, layout, cost, nvlink);
    // Messages of a tree also go along the chain through a host, up and down.
    let chain = inside.saturating_mul(2 * u64::from(layout.ranks().div_ceil(layout.hosts()) - 1));
    let double = || treed(Tree::double(layout, size), wanted, cost, chain, "double-binary-tree");
    match wanted.algorithm {
        Algorithm::Tree => treed(Tree::single(layout, size), wanted, cost, chain, "tree"),
        Algorithm::DoubleBinaryTree => double(),
        Algorithm::HalvingDoubling => {
            let schedule = HalvingDoubling::new(layout, size).with_channels(wanted.channels.unwrap_or(1));
            let levels = layout.ranks().ilog2();
            let within = layout.ranks().div_ceil(layout.hosts()).ilog2();
            let analytic = schedule.analytic(mixed(cost, levels - within, levels, inside));
            Chosen { schedule: Box::new(schedule), algorithm: "halving-doubling", analytic }
        }
        Algorithm::Auto if layout.hosts() > 1 => {
            let (ring, double) = (ring(), double());
            if double.analytic < ring.analytic { double } else { ring }
        }
        _ => ring(),
    }
}

fn ringed(ring: Ring, wanted: &spec::Collective, layout: Layout, cost: Cost, nvlink: Cost) -> Chosen {
    let ring = wanted.channels.map_or(ring.clone(), |channels| ring.with_channels(channels));
    let ring = wanted.slice.map_or(ring.clone(), |slice| ring.with_slicing(Slicing::of(slice.get())));
    let analytic = match layout.hosts() {
        hosts if hosts > 1 && hosts < layout.ranks() => ring_over_hosts(&ring, wanted, layout, cost, nvlink),
        _ => ring.analytic(cost),
    };
    Chosen { schedule: Box::new(ring), algorithm: "ring", analytic }
}

/// A ring through hosts of several GPUs: either a message's way round decides (of n hops one a host crosses the
/// network, the others stay inside), or the bytes that pass a NIC or a GPU's NVLink.
fn ring_over_hosts(ring: &Ring, wanted: &spec::Collective, layout: Layout, cost: Cost, nvlink: Cost) -> Option<Time> {
    let (ranks, hosts) = (u64::from(layout.ranks()), u64::from(layout.hosts()));
    let channels = u64::from(wanted.channels.unwrap_or(layout.nics_per_host()));
    let steps = if wanted.kind == CollectiveKind::AllReduce { 2 * (ranks - 1) } else { ranks - 1 };
    let message = Bytes::new(wanted.size.get() / (ranks * channels));
    let hop = |cost: Cost| cost.alpha.saturating_add(cost.rate.time_for(message));
    let round = hop(cost).saturating_mul(hosts).saturating_add(hop(nvlink).saturating_mul(ranks - hosts));
    let latency = Time::from_ps((u128::from(round.ps()) * u128::from(steps) / u128::from(ranks)) as u64);
    let nics = ring.analytic(Cost { alpha: Time::ZERO, ..cost })?;
    let gpu = Bytes::new((u128::from(wanted.size.get()) * u128::from(steps) / u128::from(ranks)) as u64);
    Some(latency.max(nics).max(nvlink.rate.time_for(gpu)))
}

fn treed(tree: Tree, wanted: &spec::Collective, cost: Cost, chain: Time, algorithm: &'static str) -> Chosen {
    let tree = wanted.channels.map_or(tree.clone(), |channels| tree.with_channels_per_tree(channels));
    let tree = wanted.slice.map_or(tree.clone(), |slice| tree.with_pipeline(pipeline(slice)));
    let analytic = tree.analytic(cost).map(|time| time.saturating_add(chain));
    Chosen { schedule: Box::new(tree), algorithm, analytic }
}

fn chained(chain: Chain, wanted: &spec::Collective) -> Box<dyn Schedule> {
    let chain = wanted.channels.map_or(chain.clone(), |channels| chain.with_channels(channels));
    Box::new(wanted.slice.map_or(chain.clone(), |slice| chain.with_pipeline(pipeline(slice))))
}

fn pipeline(slice: Bytes) -> Pipeline {
    Pipeline { slice: slice.get(), ..Pipeline::NCCL }
}

/// Bytes that all ranks together receive in one step, for progress.
fn traffic(schedule: &dyn Schedule, kind: CollectiveKind) -> u128 {
    let (ranks, size) = (schedule.ranks(), u128::from(schedule.size()));
    match kind {
        CollectiveKind::AllReduce => 2 * u128::from(ranks - 1) * size,
        CollectiveKind::SendRecv => u128::from(ranks) * size,
        CollectiveKind::Barrier => u128::from(ranks) * u128::from(ranks.next_power_of_two().ilog2()) * size,
        CollectiveKind::Moe => {
            let pairs = (0..ranks).flat_map(|src| (0..ranks).map(move |dst| (src, dst)));
            let bytes = pairs.filter(|(src, dst)| src != dst).flat_map(|(src, dst)| schedule.exchange(src, dst));
            bytes.map(|range| u128::from(range.end - range.start)).sum()
        }
        _ => u128::from(ranks - 1) * size,
    }
}
