//! The page of results tells of the laws that there are.

use std::fs;

#[test]
fn the_page_has_every_law_and_no_failure() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/validation.md");
    let page = fs::read_to_string(path).expect("the page is written: see the example `validation`");
    let mut headings = 0;
    for law in validation::groups().iter().flat_map(|group| group.laws) {
        assert!(page.contains(&validation::heading(law)), "docs/validation.md is out of date: {}", law.name);
        headings += 1;
    }
    assert_eq!(page.matches("\n### ").count(), headings, "the page tells of laws that are gone");
    assert!(!page.contains("**no**"), "a law on the page fails");
}
