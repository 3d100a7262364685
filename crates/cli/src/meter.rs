use std::time::{Duration, Instant};

/// What a run takes.
pub(crate) struct Meter {
    started: Instant,
}

impl Meter {
    pub(crate) fn start() -> Meter {
        Meter { started: Instant::now() }
    }

    pub(crate) fn wall(&self) -> Duration {
        self.started.elapsed()
    }

    /// CPU time of the whole process in seconds, and the most memory it ever held in bytes; `None` where
    /// the system does not say.
    #[cfg(unix)]
    pub(crate) fn process() -> (Option<f64>, Option<u64>) {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;

        // Linux and the BSDs count memory in KiB, Apple's systems in bytes.
        let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
        let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return (None, None) };
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        (Some(micros as f64 / 1e6), u64::try_from(usage.max_rss()).ok().map(|size| size * unit))
    }

    /// CPU time of the whole process in seconds, and the most memory it ever held in bytes; `None` where
    /// the system does not say.
    #[cfg(not(unix))]
    pub(crate) fn process() -> (Option<f64>, Option<u64>) {
        (None, None)
    }
}
