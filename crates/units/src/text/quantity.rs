use std::fmt;
use std::str::FromStr;

use super::decimal::{Decimal, Inexact, exact};
use super::{Fault, Length, TextError};
use crate::{Bytes, Rate, Time};

/// A quantity that is a whole number of a smallest step, and the units it is written in.
struct Quantity {
    /// With its article: "a time".
    name: &'static str,
    /// The smallest step: "a picosecond".
    step: &'static str,
    /// The unit shown in the fix of a bare number.
    example: &'static str,
    /// Units and what each is in steps, as listed in errors.
    units: &'static [(&'static str, u64)],
    /// Other spellings, accepted but not listed.
    aliases: &'static [(&'static str, u64)],
    /// Hints for units of another quantity.
    hint: fn(number: &str, unit: &str) -> Option<String>,
}

const TIME: Quantity = Quantity {
    name: "a time",
    step: "a picosecond",
    example: "us",
    units: &[
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
        ("min", 60_000_000_000_000),
        ("h", 3_600_000_000_000_000),
    ],
    aliases: &[("\u{b5}s", 1_000_000), ("\u{3bc}s", 1_000_000)],
    hint: time_hint,
};

const BYTES: Quantity = Quantity {
    name: "a size",
    step: "a byte",
    example: "B",
    units: &[
        ("B", 1),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
    ],
    aliases: &[],
    hint: bytes_hint,
};

const RATE: Quantity = Quantity {
    name: "a data rate",
    step: "a bit per second",
    example: "Gbps",
    units: &[
        ("bps", 1),
        ("Kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Tbps", 1_000_000_000_000),
        ("B/s", 8),
        ("KB/s", 8_000),
        ("MB/s", 8_000_000),
        ("GB/s", 8_000_000_000),
        ("TB/s", 8_000_000_000_000),
    ],
    aliases: &[
        ("b/s", 1),
        ("Kb/s", 1_000),
        ("Mb/s", 1_000_000),
        ("Gb/s", 1_000_000_000),
        ("Tb/s", 1_000_000_000_000),
        ("KiB/s", 8 << 10),
        ("MiB/s", 8 << 20),
        ("GiB/s", 8 << 30),
        ("TiB/s", 8 << 40),
    ],
    hint: rate_hint,
};

const LENGTH: Quantity = Quantity {
    name: "a length",
    step: "a micrometre",
    example: "m",
    units: &[("m", 1_000_000), ("cm", 10_000), ("mm", 1_000), ("km", 1_000_000_000)],
    aliases: &[],
    hint: no_hint,
};

impl Quantity {
    fn parse(&self, text: &str) -> Result<u64, TextError> {
        let (number, unit) = Decimal::split(text, self.name)?;
        if unit.is_empty() {
            return self.bare(text.trim(), number);
        }
        let Some(&(_, scale)) = self.units.iter().chain(self.aliases).find(|(name, _)| *name == unit) else {
            return Err(self.unknown(text.trim(), unit));
        };
        number.times(scale).map_err(|problem| {
            let reason = match problem {
                Inexact::TooLarge => format!("`{}` is too large for {}", text.trim(), self.name),
                Inexact::TooFine => {
                    format!("`{}` is not a whole number: the smallest step is {}", text.trim(), self.step)
                }
            };
            TextError::new(Fault::OutOfRange, reason)
        })
    }

    fn bare(&self, text: &str, number: Decimal) -> Result<u64, TextError> {
        let reason = format!("`{text}` has no unit, and {} needs one", self.name);
        let fixed = if number.mantissa == 0 { format!("0{}", self.example) } else { format!("{text}{}", self.example) };
        let help = format!("write for example `{fixed}` (units: {})", self.listed());
        Err(TextError::new(Fault::MissingUnit, reason).help(help))
    }

    fn unknown(&self, text: &str, unit: &str) -> TextError {
        let number = text[..text.len() - unit.len()].trim_end();
        if let Some(hint) = (self.hint)(number, unit) {
            return TextError::new(Fault::BitsAndBytes, format!("`{text}` is not {}", self.name)).help(hint);
        }
        let reason = format!("`{unit}` is not a unit of {}", self.name.trim_start_matches("a "));
        let near = self.units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
        let help = match near {
            Some((name, _)) => format!("did you mean `{number}{name}`? Units are case-sensitive: {}", self.listed()),
            None => format!("accepted units: {}", self.listed()),
        };
        TextError::new(Fault::UnknownUnit, reason).help(help)
    }

    fn listed(&self) -> String {
        let names: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }
}

const PREFIXES: [&str; 5] = ["", "K", "M", "G", "T"];

fn is_prefixed(unit: &str, end: &str) -> bool {
    unit.strip_suffix(end).is_some_and(|prefix| PREFIXES.contains(&prefix))
}

fn time_hint(number: &str, unit: &str) -> Option<String> {
    (unit == "m").then(|| format!("`m` is metres; write `{number}min` for minutes or `{number}ms` for milliseconds"))
}

fn bytes_hint(number: &str, unit: &str) -> Option<String> {
    let bits = ["b", "bit", "ib"].iter().any(|end| is_prefixed(unit, end));
    if bits {
        let prefix = &unit[..unit.len() - unit.trim_start_matches(['K', 'M', 'G', 'T', 'i']).len()];
        return Some(format!("a small `b` is bits; sizes are in bytes: write `{number}{prefix}B`"));
    }
    if unit.len() == 1 && PREFIXES.contains(&unit) {
        return Some(format!("say what of: `{number}{unit}iB` (powers of 1024) or `{number}{unit}B` (powers of 1000)"));
    }
    (unit.ends_with("bps") || unit.ends_with("/s")).then(|| "that is a rate; a size has no `per second`".to_string())
}

fn rate_hint(number: &str, unit: &str) -> Option<String> {
    let prefix = unit.get(..1).filter(|first| PREFIXES.contains(first)).unwrap_or_default();
    let both = format!("write `{number}{prefix}bps` for bits per second or `{number}{prefix}B/s` for bytes per second");
    let vague = ["b", "B", "Bps", "bit", "", "iB"].iter().any(|end| is_prefixed(unit, end));
    vague.then_some(both)
}

fn no_hint(_: &str, _: &str) -> Option<String> {
    None
}

/// The largest of the decimal units that the value reaches.
fn show(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)], zero: &str) -> fmt::Result {
    match units.iter().rev().find(|(_, scale)| value >= *scale) {
        Some((name, scale)) => f.pad(&format!("{}{name}", exact(value, *scale))),
        None => f.pad(zero),
    }
}

impl FromStr for Time {
    type Err = TextError;
    /// Reads `1.5us`; units `ps ns us ms s min h`.
    fn from_str(text: &str) -> Result<Time, TextError> {
        TIME.parse(text).map(Time::from_ps)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, self.ps(), &TIME.units[..5], "0s")
    }
}

impl FromStr for Bytes {
    type Err = TextError;
    /// Reads `256MiB`; `K M G T` are powers of 1000, `Ki Mi Gi Ti` of 1024.
    fn from_str(text: &str) -> Result<Bytes, TextError> {
        BYTES.parse(text).map(Bytes::new)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.get();
        let whole = |units: &[(&str, u64)]| {
            let unit = units.iter().rev().find(|(_, scale)| value >= *scale && value.is_multiple_of(*scale));
            unit.map(|(name, scale)| format!("{}{name}", value / scale))
        };
        // A size that is exact in both families is shown in the one with the larger unit.
        let text = whole(&BYTES.units[5..]).or_else(|| whole(&BYTES.units[..5]));
        f.pad(&text.unwrap_or_else(|| "0B".to_string()))
    }
}

impl FromStr for Rate {
    type Err = TextError;
    /// Reads `400Gbps`, `400Gb/s` or `50GB/s`.
    fn from_str(text: &str) -> Result<Rate, TextError> {
        RATE.parse(text).map(Rate::from_bps)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, self.bps(), &RATE.units[..5], "0bps")
    }
}

impl FromStr for Length {
    type Err = TextError;
    /// Reads `30m`; units `m cm mm km`.
    fn from_str(text: &str) -> Result<Length, TextError> {
        LENGTH.parse(text).map(Length::from_um)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}m", exact(self.um(), 1_000_000)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fails<T: FromStr<Err = TextError> + fmt::Debug>(text: &str) -> TextError {
        text.parse::<T>().unwrap_err()
    }

    #[test]
    fn the_forms_of_the_scenario_page_are_read() {
        assert_eq!("400Gbps".parse(), Ok(Rate::from_gbps(400)));
        assert_eq!("400 Gb/s".parse(), Ok(Rate::from_gbps(400)));
        assert_eq!("50GB/s".parse(), Ok(Rate::from_gbps(400)));
        assert_eq!("0bps".parse(), Ok(Rate::ZERO));
        assert_eq!("256MiB".parse(), Ok(Bytes::new(256 << 20)));
        assert_eq!("140GB".parse(), Ok(Bytes::new(140_000_000_000)));
        assert_eq!("4096B".parse(), Ok(Bytes::new(4096)));
        assert_eq!("500ns".parse(), Ok(Time::from_ns(500)));
        assert_eq!("1.5us".parse(), Ok(Time::from_ns(1500)));
        assert_eq!("1.5 µs".parse(), Ok(Time::from_ns(1500)));
        assert_eq!("1e3ns".parse(), Ok(Time::from_us(1)));
        assert_eq!("2h".parse(), Ok(Time::from_ms(7_200_000)));
        assert_eq!("30m".parse::<Length>().unwrap().delay(), Time::from_ns(150));
        assert_eq!("1_000 B".parse(), Ok(Bytes::new(1000)));
    }

    #[test]
    fn a_bare_number_is_refused_with_the_fix() {
        let error = fails::<Rate>("400");
        assert_eq!(error.fault, Fault::MissingUnit);
        assert_eq!(error.reason, "`400` has no unit, and a data rate needs one");
        assert!(error.help.unwrap().starts_with("write for example `400Gbps`"));
        assert_eq!(fails::<Time>("0").fault, Fault::MissingUnit);
    }

    #[test]
    fn bits_and_bytes_are_told_apart() {
        assert_eq!(fails::<Bytes>("256Mb").help.unwrap(), "a small `b` is bits; sizes are in bytes: write `256MB`");
        assert_eq!(
            fails::<Rate>("400GB").help.unwrap(),
            "write `400Gbps` for bits per second or `400GB/s` for bytes per second"
        );
        for text in ["400Gb", "400G", "400GBps"] {
            assert_eq!(fails::<Rate>(text).fault, Fault::BitsAndBytes, "{text}");
        }
        assert_eq!(fails::<Bytes>("64K").fault, Fault::BitsAndBytes);
    }

    #[test]
    fn an_unknown_unit_names_the_accepted_ones() {
        let error = fails::<Time>("5 apples");
        assert_eq!(error.fault, Fault::UnknownUnit);
        assert_eq!(error.help.unwrap(), "accepted units: ps, ns, us, ms, s, min, h");
        assert!(fails::<Bytes>("4kb").help.unwrap().contains("did you mean `4KB`"));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(fails::<Bytes>("-1B").fault, Fault::Negative);
        assert_eq!(fails::<Bytes>("-.inf").fault, Fault::NotANumber);
        for text in [".nan", ".inf", "NaN", "inf", "", "MiB", ".", "lots"] {
            assert_eq!(fails::<Bytes>(text).fault, Fault::NotANumber, "{text}");
        }
        for text in ["0.5ps", "300h0", "99999999999999999999s", "1e99999999999s", "6000h", "1e-60s"] {
            assert_ne!(fails::<Time>(text).fault, Fault::NotANumber, "{text}");
        }
        assert_eq!(fails::<Time>("6000h").fault, Fault::OutOfRange);
        assert_eq!(fails::<Time>("0.5ps").reason, "`0.5ps` is not a whole number: the smallest step is a picosecond");
        assert_eq!(fails::<Bytes>(&"9".repeat(5000)).fault, Fault::OutOfRange);
    }

    #[test]
    fn quantities_print_in_the_unit_people_use() {
        assert_eq!(Time::from_ps(83_560).to_string(), "83.56ns");
        assert_eq!(Rate::from_bps(12_800_000_000_000).to_string(), "12.8Tbps");
        assert_eq!(Bytes::new(256 << 20).to_string(), "256MiB");
        assert_eq!(Bytes::new(40_000).to_string(), "40KB");
        assert_eq!(Bytes::ZERO.to_string(), "0B");
        assert_eq!(Length::from_um(2_500_000).to_string(), "2.5m");
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(value in any::<u64>(), shift in 0u32..64) {
            let value = value >> shift;
            prop_assert_eq!(Time::from_ps(value).to_string().parse(), Ok(Time::from_ps(value)));
            prop_assert_eq!(Bytes::new(value).to_string().parse(), Ok(Bytes::new(value)));
            prop_assert_eq!(Rate::from_bps(value).to_string().parse(), Ok(Rate::from_bps(value)));
            prop_assert_eq!(Length::from_um(value).to_string().parse(), Ok(Length::from_um(value)));
        }

        #[test]
        fn no_text_panics(text in "[-+]?[0-9._e]{0,12} ?[a-zA-Zµ/%:]{0,5}") {
            let _ = text.parse::<Time>();
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Rate>();
            let _ = text.parse::<Length>();
        }
    }
}
