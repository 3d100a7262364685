//! Quantities for people: few digits and a fitting unit. Files carry plain numbers instead.

/// A time with four digits: `1.024 ms`.
pub fn seconds(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    scaled(seconds, &units).unwrap_or_else(|| "0 s".to_string())
}

/// A data rate with four digits: `187.3 Gbps`.
pub fn rate(bps: f64) -> String {
    let units = [(1e12, "Tbps"), (1e9, "Gbps"), (1e6, "Mbps"), (1e3, "Kbps"), (1.0, "bps")];
    scaled(bps, &units).unwrap_or_else(|| "0 bps".to_string())
}

/// A rate in bytes with four digits: `23.41 GB/s`.
pub fn byte_rate(bytes_per_s: f64) -> String {
    let units = [(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "KB/s"), (1.0, "B/s")];
    scaled(bytes_per_s, &units).unwrap_or_else(|| "0 B/s".to_string())
}

/// A size: whole binary units as such (`4 MiB`), else four digits of a decimal one (`37.12 KB`).
pub fn bytes(bytes: u64) -> String {
    let binary = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    if let Some((scale, unit)) = binary.iter().find(|(scale, _)| bytes >= *scale && bytes.is_multiple_of(*scale)) {
        return format!("{} {unit}", bytes / scale);
    }
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")];
    scaled(bytes as f64, &units).filter(|_| bytes >= 1000).unwrap_or_else(|| format!("{bytes} B"))
}

/// A count with its thousands apart: `1,234,567`.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share with one decimal: `93.1 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A plain number with at most six digits after the point: `1.064492`, `20`.
pub fn number(number: f64) -> String {
    let text = format!("{number:.6}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

fn scaled(value: f64, units: &[(f64, &str)]) -> Option<String> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    // A little below the unit, so that 999.96 us is 1.000 ms and not 1000 us.
    let fits = |(scale, _): &&(f64, &str)| value.abs() >= scale * 0.99995;
    let (scale, unit) = units.iter().find(fits).or(units.last())?;
    let scaled = value / scale;
    let decimals = match scaled.abs() {
        size if size >= 999.95 => 0,
        size if size >= 99.995 => 1,
        size if size >= 9.9995 => 2,
        _ => 3,
    };
    Some(format!("{scaled:.decimals$} {unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_and_a_fitting_unit() {
        assert_eq!(seconds(1.0243e-3), "1.024 ms");
        assert_eq!(seconds(999.96e-6), "1.000 ms");
        assert_eq!(seconds(12.5e-9), "12.50 ns");
        assert_eq!(seconds(0.5e-9), "0.500 ns");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(rate(187.31e9), "187.3 Gbps");
        assert_eq!(byte_rate(23.414e9), "23.41 GB/s");
        assert_eq!(bytes(4 << 20), "4 MiB");
        assert_eq!(bytes(37_120), "37.12 KB");
        assert_eq!(bytes(17), "17 B");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!(percent(0.9312), "93.1 %");
        assert_eq!(number(1.0644920019599144), "1.064492");
        assert_eq!(number(20.0), "20");
    }
}
