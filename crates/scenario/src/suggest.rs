/// The candidate that a mistyped word most likely means, if any is near enough.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let wanted = plain(word);
    let limit = (wanted.chars().count() / 3).max(1);
    let scored = candidates.map(|candidate| {
        let other = plain(candidate);
        let distance = strsim::damerau_levenshtein(&wanted, &other);
        // The beginning of a word, or a word with an ending too much, is a near miss as well.
        let extends =
            wanted.len() >= 3 && (other.starts_with(&wanted) || (other.len() >= 3 && wanted.starts_with(&other)));
        (if extends { distance.min(limit) } else { distance }, candidate)
    });
    scored.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance).map(|(_, near)| near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_recognised_and_strangers_are_not() {
        let words = ["oversubscription", "leaf", "spine", "gpus_per_host", "rate"];
        assert_eq!(nearest("oversubscripton", words.into_iter()), Some("oversubscription"));
        assert_eq!(nearest("gpus-per-host", words.into_iter()), Some("gpus_per_host"));
        assert_eq!(nearest("raet", words.into_iter()), Some("rate"));
        assert_eq!(nearest("over", words.into_iter()), Some("oversubscription"));
        assert_eq!(nearest("banana", words.into_iter()), None);
    }
}
