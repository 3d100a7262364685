use engine::{Engine, LogQueue};
use fabric::Policy;
use topology::DependencyGraph;
use units::{ConnId, PortId};
use wire::Kind;

use crate::build::build;
use crate::network::Network;
use crate::plan::{Plan, Workload};

/// What the routes of a plan say about deadlock before anything runs.
///
/// No cycle of buffer dependencies: no deadlock, whatever the load. A cycle: possible, not certain.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Which links wait for which, by class as users call it.
    pub graph: DependencyGraph,
    /// The cycles, each with the flows that make its edges.
    pub cycles: Vec<PredictedCycle>,
    /// Whether switches choose packet by packet, so that all their choices were counted.
    pub per_packet: bool,
    /// Whether the fabric has flow control at all: without it nothing waits.
    pub lossless: bool,
}

/// A shortest cycle of a strongly connected part.
#[derive(Clone, Debug)]
pub struct PredictedCycle {
    /// Its links, each waiting for the next and the last for the first.
    pub links: Vec<PortId>,
    /// Class as users call it.
    pub class: u8,
    /// For each link, the flows that take it right before the next one.
    pub flows: Vec<Vec<String>>,
    /// Links of the whole strongly connected part.
    pub part: usize,
}

/// The way of one connection's packets in one direction.
struct Way {
    conn: usize,
    class: u8,
    ports: Vec<PortId>,
}

/// Finds the dependencies of the routes in use and their cycles.
///
/// Acknowledgements count when they travel in a class with flow control.
pub fn predict(plan: &Plan) -> Prediction {
    let (engine, mut network): (Engine<LogQueue>, Network<'_>) = build(plan);
    let per_packet = matches!(plan.policy, Policy::Spray | Policy::Adaptive);
    let mut graph = DependencyGraph::default();
    let mut ways = Vec::new();
    for conn in 0..network.endpoints.conns.len() {
        for kind in [Kind::Data, Kind::Ack] {
            let record = &network.endpoints.conns[conn];
            let class = if kind == Kind::Data { record.class } else { record.ack_class };
            if class == fabric::CONTROL {
                continue;
            }
            let label = plan.classes[usize::from(class)];
            let (src, dst) = if kind == Kind::Data { (record.src, record.dst) } else { (record.dst, record.src) };
            if per_packet && network.ways.paths.get(conn).copied().flatten().is_none() {
                graph.add_ways(&plan.topology, &plan.routes, label, [src], dst);
                continue;
            }
            let first = plan.topology.nics[src as usize];
            let ports = network.way(&engine, ConnId(conn as u32), kind, first, dst);
            graph.add(&plan.topology, label, &ports);
            ways.push(Way { conn, class: label, ports });
        }
    }
    let cycles = graph.cycles().iter().map(|cycle| describe(plan, cycle, &ways, &network)).collect();
    let lossless = !matches!(plan.fabric.flow_control, fabric::FlowControl::None);
    Prediction { graph, cycles, per_packet, lossless }
}

fn describe(plan: &Plan, cycle: &topology::Cycle, ways: &[Way], network: &Network<'_>) -> PredictedCycle {
    let links: Vec<PortId> = cycle.shortest.iter().map(|channel| channel.port).collect();
    let class = cycle.shortest.first().map_or(0, |channel| channel.class);
    let name = |conn: usize| match &plan.workload {
        Workload::Flows(flows) => flows[conn].name.clone(),
        Workload::Collective(_) => network.channel_name(conn),
    };
    let makers = |from: PortId, to: PortId| {
        let takes = |way: &&Way| way.class == class && way.ports.windows(2).any(|pair| pair == [from, to]);
        let mut names: Vec<String> = ways.iter().filter(takes).map(|way| name(way.conn)).collect();
        names.dedup();
        names
    };
    let flows = (0..links.len()).map(|index| makers(links[index], links[(index + 1) % links.len()])).collect();
    PredictedCycle { links, class, flows, part: cycle.channels.len() }
}
