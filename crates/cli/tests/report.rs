//! `report.html` as a run leaves it.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

mod place;
use place::{Place, SMALL_FEDERATION};

/// The tags of a document close in the order in which they opened.
fn assert_well_formed(page: &str) {
    let mut open = Vec::new();
    let (_, mut rest) = page.split_once("<html").unwrap();
    let mut tag = "html";
    loop {
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
        } else if tag != "meta" {
            open.push(tag);
        }
        let Some((_, next)) = rest.split_once('<') else {
            break;
        };
        let end = next.find(|c: char| c == '>' || c.is_whitespace()).unwrap();
        (tag, rest) = next.split_at(end);
    }
    assert!(open.is_empty(), "{open:?} is left open");
}

#[test]
fn a_federation_leaves_a_page_that_needs_nothing_else() {
    let place = Place::new();
    place.file("spec.toml", SMALL_FEDERATION);
    let text = place.succeed("simulate --spec spec.toml --compare --out run");
    assert!(text.contains("report.html"), "{text}");
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert_well_formed(&page);
    for section in [
        "result", "graph", "belief", "rounds", "clients", "privacy", "repeat",
    ] {
        assert!(
            page.contains(&format!("<section id=\"{section}\"")),
            "{section}"
        );
    }
    for part in [
        "5 variables, 2 clients, 2 rounds",
        "client-2 alone",
        "all rows in one place",
        "fedcdi simulate --spec spec.toml",
        "compare = true",
        "share in direction",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for other in ["http", "<script", "<link", "url(", "NaN"] {
        assert!(!page.contains(other), "{other}");
    }
}

#[test]
fn names_from_a_table_stay_text() {
    let place = Place::new();
    let mut table = String::from("<b>,\"a&\"\"b\",intervention\n");
    for row in 0..400u32 {
        let cause = row.wrapping_mul(2_654_435_761) >> 31;
        let target = if row % 4 == 0 { "<b>" } else { "" };
        let effect = cause ^ u32::from(row % 10 == 0);
        let _ = writeln!(table, "{cause},{effect},{target}");
    }
    place.file("table.csv", &table);
    let text = place.succeed("discover table.csv --rounds 1 --epochs 1 --out run");
    assert!(text.contains("report.html"), "{text}");
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert_well_formed(&page);
    assert!(!page.contains("<b>"));
    assert!(page.contains("&lt;b&gt; \u{2192} a&amp;&quot;b"));
    assert!(page.contains("fedcdi discover table.csv --rounds 1 --epochs 1</code>"));
    assert!(page.contains("The true graph is not known."));
}
