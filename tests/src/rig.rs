use std::fmt::Write;

use engine::EventQueue;
use scenario::Scenario;
use sim::{Control, Flow, LogQueue, Outcome, Plan, PortReport};
use units::{Bytes, Rate};

/// A custom graph in the words of a scenario: `switches`, `hosts`, `links`.
#[derive(Clone, Debug, Default)]
pub struct Custom {
    switches: Vec<String>,
    hosts: Vec<String>,
    links: Vec<String>,
}

impl Custom {
    /// Hosts `h0` to `h{n-1}` on one switch `s`.
    pub fn star(hosts: usize) -> Custom {
        let mut star = Custom { switches: vec!["s".into()], ..Custom::default() };
        (0..hosts).for_each(|host| star.host(&format!("h{host}"), "s"));
        star
    }

    /// `a - s0 - s1 - ... - b`; without switches, the two hosts joined by a cable.
    pub fn chain(switches: usize) -> Custom {
        let mut nodes: Vec<String> = (0..switches).map(|switch| format!("s{switch}")).collect();
        let mut chain = Custom { switches: nodes.clone(), hosts: vec!["a".into(), "b".into()], links: Vec::new() };
        nodes.insert(0, "a".into());
        nodes.push("b".into());
        nodes.windows(2).for_each(|pair| chain.link(&pair[0], &pair[1], ""));
        chain
    }

    /// The same with a link of each of these rates, in Gb/s.
    pub fn chain_of(rates: &[u64]) -> Custom {
        let mut chain = Custom::chain(rates.len() - 1);
        for (link, rate) in chain.links.iter_mut().zip(rates) {
            link.insert_str(link.len() - 1, &format!(", rate: {rate}Gbps"));
        }
        chain
    }

    /// Switches `s0` to `s{n-1}` in a ring, each with a host `h0` to `h{n-1}`.
    pub fn ring(switches: usize) -> Custom {
        let names = (0..switches).map(|switch| format!("s{switch}")).collect();
        let mut ring = Custom { switches: names, ..Custom::default() };
        for switch in 0..switches {
            ring.link(&format!("s{switch}"), &format!("s{}", (switch + 1) % switches), "");
            ring.host(&format!("h{switch}"), &format!("s{switch}"));
        }
        ring
    }

    /// Adds a switch.
    pub fn switch(&mut self, switch: &str) {
        self.switches.push(switch.to_string());
    }

    /// Adds a host with a cable to a switch.
    pub fn host(&mut self, host: &str, switch: &str) {
        self.far_host(host, switch, "");
    }

    /// Adds a host whose cable has further keys.
    pub fn far_host(&mut self, host: &str, switch: &str, extra: &str) {
        self.hosts.push(host.to_string());
        self.link(host, switch, extra);
    }

    /// Adds a cable; `extra` are further keys, such as `rate: 40Gbps`.
    pub fn link(&mut self, a: &str, b: &str, extra: &str) {
        let extra = if extra.is_empty() { String::new() } else { format!(", {extra}") };
        self.links.push(format!("{{a: {a}, b: {b}{extra}}}"));
    }

    /// The value of the key `topology`.
    pub fn yaml(&self) -> String {
        let mut text = String::from("{kind: custom, switches: [");
        let _ = write!(text, "{}], hosts: [{}], ", self.switches.join(", "), self.hosts.join(", "));
        let _ = write!(text, "links: [{}]}}", self.links.join(", "));
        text
    }
}

/// Reads and checks a scenario that must be sound.
pub fn parse(yaml: &str) -> Scenario {
    Scenario::parse("case.yaml", yaml).unwrap_or_else(|report| panic!("{report}\n{yaml}"))
}

/// The plan of a scenario that must be sound.
pub fn plan(yaml: &str) -> Plan {
    parse(yaml).plan().unwrap_or_else(|report| panic!("{report}\n{yaml}")).plan
}

/// Runs a plan to its end.
pub fn run_plan<Q: EventQueue>(plan: &Plan) -> Outcome {
    sim::run::<Q>(plan, &mut |_| Control::Continue)
}

/// Runs a scenario on a given event queue.
pub fn run_on<Q: EventQueue>(yaml: &str) -> Outcome {
    run_plan::<Q>(&plan(yaml))
}

/// Runs a scenario.
pub fn run(yaml: &str) -> Outcome {
    run_on::<LogQueue>(yaml)
}

/// Runs a scenario if it can be built.
pub fn try_run(yaml: &str) -> Option<Outcome> {
    let planned = Scenario::parse("case.yaml", yaml).ok()?.plan().ok()?;
    Some(run_plan::<LogQueue>(&planned.plan))
}

/// A flow by name.
pub fn flow<'a>(outcome: &'a Outcome, name: &str) -> &'a Flow {
    outcome.flows.iter().find(|flow| flow.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}

/// Payload bits per second of a flow over the measured time.
pub fn goodput(flow: &Flow) -> f64 {
    flow.measured_bytes.get() as f64 * 8.0 / flow.measured.as_secs_f64()
}

/// A port by name, such as `a->s0`.
pub fn port<'a>(outcome: &'a Outcome, name: &str) -> &'a PortReport {
    outcome.ports.iter().find(|port| port.name == name).unwrap_or_else(|| panic!("no port {name}"))
}

/// Index of the data class in [`PortReport::classes`].
pub const DATA: usize = 1;

/// Picoseconds that `bytes` take on a line of `gbps`.
pub fn wire_time(bytes: u64, gbps: u64) -> u64 {
    Rate::from_gbps(gbps).time_for(Bytes::new(bytes)).ps()
}
