//! The one table of keys. It drives reading, suggestions, defaults, the effective scenario, the JSON Schema and
//! the reference page. A key of the format that is not built yet is in the table as well, marked `later`.

mod expect;
mod fabric;
mod faults;
mod host;
mod key;
mod run;
mod schema;
mod top;
mod topology;
mod workload;

pub use key::{Key, Type};
pub use schema::{Schema, schema};

/// Every key, in the order in which a scenario is written.
pub fn all() -> impl Iterator<Item = &'static Key> {
    [top::KEYS, topology::KEYS, fabric::KEYS, host::KEYS, workload::KEYS, faults::KEYS, run::KEYS, expect::KEYS]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that users have been promised, supported or not yet.
    const PROMISED: &str = "version name description seed topology.kind topology.gpus topology.gpus_per_host
        topology.nics_per_host topology.attachment topology.leaf.ports topology.leaf.rate topology.leaf.hosts
        topology.spine.ports topology.spine.count topology.spine.rate topology.oversubscription topology.cables.host
        topology.cables.uplink topology.switches topology.hosts topology.hosts[].name topology.hosts[].nics
        topology.hosts[].gpus topology.links[].a topology.links[].b topology.links[].rate topology.links[].delay
        topology.links[].length topology.links[].loss topology.links[].count topology.format topology.file
        topology.rates topology.lengths fabric.preset fabric.link.rate fabric.link.delay fabric.link.length
        fabric.link.mtu fabric.link.ip_mtu fabric.link.loss fabric.link.overhead fabric.link.ppm fabric.flow_control
        fabric.switch.forwarding fabric.switch.latency fabric.switch.service fabric.buffer.size fabric.buffer.alpha
        fabric.buffer.reserve fabric.buffer.egress_limit fabric.pfc.xoff fabric.pfc.xon fabric.pfc.headroom
        fabric.pfc.response fabric.pfc.watchdog.poll fabric.pfc.watchdog.detect fabric.pfc.watchdog.restore
        fabric.pfc.watchdog.action fabric.pfc.quanta fabric.pfc.refresh fabric.pfc.priorities fabric.credit.buffer
        fabric.credit.vls fabric.credit.window fabric.ecn.kmin fabric.ecn.kmax fabric.ecn.pmax fabric.ecn.mark_at
        fabric.routing.kind fabric.transport.kind fabric.transport.retransmit fabric.transport.ack_every
        fabric.transport.window fabric.transport.timeout fabric.transport.retries fabric.transport.ack_class
        fabric.congestion_control.kind host.preset host.gpus host.nvlink.rate host.nvlink.latency host.nic.latency
        host.nic.rate host.software_latency host.jitter.lognormal.sigma host.straggler.rank host.straggler.slowdown
        workload.kind workload.algorithm workload.size workload.channels workload.slice workload.compute
        workload.start_jitter workload.name workload.hosts workload.placement workload.start workload.tokens
        workload.top_k workload.experts workload.hidden workload.skew workload.model.parameters workload.model.layers
        workload.model.hidden workload.model.sequence workload.model.micro_batch workload.model.precision
        workload.parallel.tp workload.parallel.pp workload.parallel.dp workload.parallel.ep workload.parallel.cp
        workload.parallel.zero workload.flows[].name workload.flows[].src workload.flows[].dst workload.flows[].size
        workload.flows[].start workload.flows[].stop workload.flows[].rate workload.flows[].class
        workload.flows[].qps workload.flows[].ttl workload.flows[].path workload.flows[].arrival workload.pattern
        workload.load workload.sizes workload.file workload.format workload.path faults[].kind faults[].at
        faults[].until faults[].node faults[].nic faults[].class faults[].duty run.fidelity run.steps run.warmup
        run.until run.measure_from run.on_deadlock run.record run.sample run.stall_after expect[].metric
        expect[].equals expect[].tolerance expect[].at_least expect[].at_most expect[].within expect[].of
        expect[].relative_to expect[].when expect[].source sweep.baseline sweep.variants sweep.axes sweep.zip
        sweep.seeds.count sweep.seeds.vary search.path search.from search.to search.tolerance search.first
        search.seeds cost.prices";

    #[test]
    fn no_promised_key_is_unknown() {
        for path in PROMISED.split_whitespace() {
            assert!(all().any(|key| key.path == path), "{path}");
        }
    }

    #[test]
    fn rows_are_complete() {
        for key in all() {
            assert!(key.meaning.ends_with('.'), "{}", key.path);
            assert!(key.ty != Type::Word || !key.words.is_empty(), "{}", key.path);
            assert!(!(key.required && key.default.is_some()), "{}", key.path);
            let parent = key.path.rsplit_once('.').map_or("", |(parent, _)| parent);
            assert!(parent.is_empty() || all().any(|other| other.path == parent), "{} has no parent", key.path);
        }
    }
}
