use crate::error::TopologyError;
use crate::spec::Size;

/// Hosts and what is in each, settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counts {
    pub(crate) hosts: u64,
    pub(crate) gpus: u16,
    pub(crate) nics: u64,
}

const GPUS_PER_HOST: u64 = 8;
const NICS_PER_HOST: u64 = 8;

impl Size {
    /// Settles the counts; `capacity` is how many hosts there are when neither hosts nor GPUs are given.
    pub(crate) fn settle(&self, gpus_per_host: u64, capacity: Option<u64>) -> Result<Counts, TopologyError> {
        self.no_zeros()?;
        let gpus = self.gpus_in_a_host(gpus_per_host)?;
        let hosts = match (self.hosts, self.gpus) {
            (Some(hosts), Some(total)) if hosts.checked_mul(gpus) != Some(total) => {
                let reason = format!("{hosts} hosts with {gpus} GPUs each do not have {total} GPUs");
                return Err(TopologyError::new("gpus", reason, "leave out `gpus` or `hosts`"));
            }
            (Some(hosts), _) => hosts,
            (None, Some(total)) if total % gpus != 0 => return Err(uneven(total, gpus)),
            (None, Some(total)) => total / gpus,
            (None, None) => capacity.ok_or_else(|| {
                TopologyError::new("gpus", "neither `gpus` nor `hosts` says how large it is", "write `gpus: 64`")
            })?,
        };
        let gpus = u16::try_from(gpus)
            .map_err(|_| TopologyError::new("gpus_per_host", format!("{gpus} GPUs in a host"), "at most 65,535"))?;
        let nics = self.nics_per_host.unwrap_or(NICS_PER_HOST.min(u64::from(gpus)));
        Ok(Counts { hosts, gpus, nics })
    }

    /// The key that says how large the fabric is.
    pub(crate) fn key(&self) -> &'static str {
        if self.hosts.is_none() && self.gpus.is_some() { "gpus" } else { "hosts" }
    }

    /// NICs in a host, before it is known how many hosts there are.
    pub(crate) fn nics(&self, gpus_per_host: u64) -> u64 {
        self.nics_per_host.unwrap_or(NICS_PER_HOST.min(self.gpus_per_host.unwrap_or(gpus_per_host))).max(1)
    }

    fn gpus_in_a_host(&self, default: u64) -> Result<u64, TopologyError> {
        if let Some(gpus) = self.gpus_per_host {
            return Ok(gpus);
        }
        match (self.hosts, self.gpus) {
            (Some(hosts), Some(total)) if total % hosts != 0 => {
                let reason = format!("{total} GPUs do not divide evenly over {hosts} hosts");
                Err(TopologyError::new("gpus", reason, "leave out `gpus` or `hosts`"))
            }
            (Some(hosts), Some(total)) => Ok(total / hosts),
            _ => Ok(default),
        }
    }

    fn no_zeros(&self) -> Result<(), TopologyError> {
        let counts = [
            ("gpus", self.gpus),
            ("hosts", self.hosts),
            ("gpus_per_host", self.gpus_per_host),
            ("nics_per_host", self.nics_per_host),
        ];
        match counts.iter().find(|(_, count)| *count == Some(0)) {
            Some((field, _)) => Err(TopologyError::new(*field, "zero is not a fabric", "at least 1")),
            None => Ok(()),
        }
    }
}

/// GPUs in a host of the generators that attach racks of servers.
pub(crate) const SERVER_GPUS: u64 = GPUS_PER_HOST;

fn uneven(total: u64, gpus: u64) -> TopologyError {
    let below = total / gpus * gpus;
    let near = if below == 0 { format!("{}", gpus) } else { format!("{below} or {}", below.saturating_add(gpus)) };
    let reason = format!("{total} GPUs are not a whole number of hosts with {gpus} each");
    TopologyError::new("gpus", reason, format!("ask for {near}, or set `gpus_per_host`"))
}
