/// The unit that the name of a metric ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Bytes,
    BitsPerSecond,
    BytesPerSecond,
    None,
}

impl Unit {
    /// The unit of the innermost key that has one: `steps.p50_s`, but also `flows.fct_s.p50`. Names of
    /// flows and ports are no keys.
    pub(crate) fn of(metric: &str) -> Unit {
        let in_table = metric.starts_with("flow.") || metric.starts_with("port.");
        let keys = metric.rsplit('.').take(if in_table { 1 } else { 2 });
        keys.map(Unit::of_key).find(|unit| *unit != Unit::None).unwrap_or(Unit::None)
    }

    fn of_key(key: &str) -> Unit {
        if key.ends_with("_bytes_per_s") {
            Unit::BytesPerSecond
        } else if key.ends_with("_per_s") {
            Unit::None
        } else if key.ends_with("_bps") {
            Unit::BitsPerSecond
        } else if key.ends_with("_bytes") || key == "bytes" || key.starts_with("bytes_") {
            Unit::Bytes
        } else if key.ends_with("_s") {
            Unit::Seconds
        } else {
            Unit::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_key_with_a_unit_decides() {
        assert_eq!(Unit::of("steps.p50_s"), Unit::Seconds);
        assert_eq!(Unit::of("flows.fct_s.p99"), Unit::Seconds);
        assert_eq!(Unit::of("flow.f.1_s.goodput_bps"), Unit::BitsPerSecond);
        assert_eq!(Unit::of("flow.f_s.slowdown"), Unit::None);
        assert_eq!(Unit::of("collectives.0.busbw_bytes_per_s"), Unit::BytesPerSecond);
        assert_eq!(Unit::of("network.bytes_delivered"), Unit::Bytes);
        assert_eq!(Unit::of("port.a->b.bytes"), Unit::Bytes);
        assert_eq!(Unit::of("training.tokens_per_s"), Unit::None);
    }
}
