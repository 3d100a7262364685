use super::{Fault, TextError};

/// A decimal number as written: `mantissa` times ten to the power `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) mantissa: u128,
    pub(super) exponent: i32,
}

impl Decimal {
    /// Splits text into the number at its start and the trimmed rest (the unit). `what` names the quantity in errors.
    pub(super) fn split<'a>(text: &'a str, what: &str) -> Result<(Decimal, &'a str), TextError> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix('-') {
            return Err(if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !rest.starts_with(".inf") {
                TextError::new(Fault::Negative, format!("`{text}` is negative, which {what} cannot be"))
            } else {
                not_a_number(text, what)
            });
        }
        let body = text.strip_prefix('+').unwrap_or(text);
        let end = number_end(body);
        let decimal = Decimal::read(&body[..end]).map_err(|problem| match problem {
            Problem::NoDigits => not_a_number(text, what),
            Problem::TooLong => TextError::new(Fault::OutOfRange, format!("`{text}` has too many digits for {what}")),
        })?;
        Ok((decimal, body[end..].trim_start()))
    }

    fn read(number: &str) -> Result<Decimal, Problem> {
        let (digits, exponent) = match number.find(['e', 'E']) {
            Some(at) => (&number[..at], number[at + 1..].parse::<i32>().map_err(|_| Problem::TooLong)?),
            None => (number, 0),
        };
        let (mut mantissa, mut places, mut seen, mut fractional) = (0u128, 0i32, false, false);
        for c in digits.chars().filter(|&c| c != '_') {
            if c == '.' {
                fractional = true;
                continue;
            }
            let digit = c.to_digit(10).ok_or(Problem::NoDigits)?;
            seen = true;
            mantissa =
                mantissa.checked_mul(10).and_then(|m| m.checked_add(u128::from(digit))).ok_or(Problem::TooLong)?;
            places += i32::from(fractional);
        }
        if !seen {
            return Err(Problem::NoDigits);
        }
        let exponent = exponent.checked_sub(places).ok_or(Problem::TooLong)?;
        Ok(Decimal { mantissa, exponent }.reduced())
    }

    fn reduced(mut self) -> Decimal {
        if self.mantissa == 0 {
            return Decimal { mantissa: 0, exponent: 0 };
        }
        while self.mantissa.is_multiple_of(10) {
            self.mantissa /= 10;
            self.exponent += 1;
        }
        self
    }

    /// The value times `scale` if that is a whole number that fits.
    pub(super) fn times(self, scale: u64) -> Result<u64, Inexact> {
        let whole = self.mantissa.checked_mul(u128::from(scale)).ok_or(Inexact::TooLarge)?;
        let shift = self.exponent.unsigned_abs();
        if whole == 0 {
            return Ok(0);
        }
        let value = if self.exponent >= 0 {
            10u128.checked_pow(shift).and_then(|p| whole.checked_mul(p)).ok_or(Inexact::TooLarge)?
        } else {
            let divisor = 10u128.checked_pow(shift).ok_or(Inexact::TooFine)?;
            if !whole.is_multiple_of(divisor) {
                return Err(Inexact::TooFine);
            }
            whole / divisor
        };
        u64::try_from(value).map_err(|_| Inexact::TooLarge)
    }

    /// As numerator and denominator, not yet reduced.
    pub(super) fn as_parts(self) -> Option<(u128, u128)> {
        let power = 10u128.checked_pow(self.exponent.unsigned_abs())?;
        if self.exponent >= 0 { Some((self.mantissa.checked_mul(power)?, 1)) } else { Some((self.mantissa, power)) }
    }
}

/// Why a scaled decimal is no whole number of the smallest step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inexact {
    TooLarge,
    TooFine,
}

enum Problem {
    NoDigits,
    TooLong,
}

/// Prints `value / scale` exactly; `scale` is a power of ten.
pub(super) fn exact(value: u64, scale: u64) -> String {
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return whole.to_string();
    }
    let width = scale.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    let mut point = false;
    while at < bytes.len() {
        match bytes[at] {
            b'0'..=b'9' => {}
            b'_' if at > 0 && is_digit(at + 1) => {}
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if at > 0 && matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if is_digit(at + 1 + sign) {
            at += 1 + sign;
            while is_digit(at) {
                at += 1;
            }
        }
    }
    at
}

fn not_a_number(text: &str, what: &str) -> TextError {
    let reason = match text {
        "" => format!("empty where {what} is needed"),
        _ => format!("`{text}` is not {what}: it does not start with a number"),
    };
    TextError::new(Fault::NotANumber, reason)
}
