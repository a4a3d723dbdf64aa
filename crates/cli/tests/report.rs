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
        "result", "graph", "belief", "rounds", "sites", "privacy", "repeat",
    ] {
        assert!(
            page.contains(&format!("<section id=\"{section}\"")),
            "{section}"
        );
    }
    for part in [
        "5 variables, 2 sites, 2 rounds",
        "client-2 alone",
        "all rows in one place",
        "fedcdi simulate --spec spec.toml",
        "compare = true",
        "share in direction",
        "decides direction of",
        "each site alone (2 lines)",
        "in the order of the drawing",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for other in ["http", "<script", "<link", "url(", "NaN", "is missing"] {
        assert!(!page.contains(other), "{other}");
    }
}

/// What stands between `before` and `after`, wherever that is on the page.
fn between<'a>(page: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    let parts = page.split(before).skip(1);
    parts
        .map(|part| part.split_once(after).unwrap().0)
        .collect()
}

#[test]
fn the_heat_map_has_the_order_of_the_drawing() {
    let place = Place::new();
    // Some true edges are missed here, which moves nodes in the drawing but not in the graph.
    let study = "--mechanism linear --vars 5 --obs 500 --int 250";
    place.succeed(&format!(
        "simulate {study} --rounds 2 --clients 2 --out run"
    ));
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    let mut drawn: Vec<(f64, f64, &str)> = between(&page, "<g class=\"node\">", "</g>")
        .into_iter()
        .map(|node| {
            let number = |name: &str| -> f64 {
                let text = node.split_once("<text").unwrap().1;
                between(text, name, "\"")[0].parse().unwrap()
            };
            let name = between(node, "<title>", "</title>")[0];
            (number(" y=\""), number(" x=\""), name)
        })
        .collect();
    drawn.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let drawn: Vec<&str> = drawn.into_iter().map(|(_, _, name)| name).collect();
    assert_eq!(drawn.len(), 5);
    let map = between(&page, "<svg class=\"heat\"", "</svg>")[0];
    let rows = between(map, "<text text-anchor=\"end\"", "</text>");
    let rows: Vec<&str> = rows
        .iter()
        .map(|row| row.split_once('>').unwrap().1)
        .collect();
    assert_eq!(rows, drawn);
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
    assert!(page.contains("fedcdi discover --spec spec.toml</code>"));
    assert!(page.contains("The true graph is not known."));
}

const CHAIN: &str =
    "generate --graph chain --vars 5 --categories 3 --obs 1500 --int 800 --seed 2 --out study";

/// The page of a run folder, whole and well formed, with all of `parts` and none of `absent`.
fn assert_page(place: &Place, run: &str, parts: &[&str], absent: &[&str]) {
    let page = std::fs::read_to_string(place.path(run).join("report.html")).unwrap();
    assert_well_formed(&page);
    for part in parts {
        assert!(page.contains(part), "{part} is not in {run}");
    }
    for part in absent.iter().chain(&["http", "<script", "NaN"]) {
        assert!(!page.contains(part), "{part} is in {run}");
    }
}

#[test]
fn a_baseline_on_one_table_leaves_a_page_without_empty_sections() {
    let place = Place::new();
    place.succeed(CHAIN);
    let text = place.succeed("discover study --method gies --out gies");
    assert!(text.contains("report.html"), "{text}");
    let absent = ["id=\"belief\"", "id=\"rounds\"", "id=\"clients\""];
    assert_page(
        &place,
        "gies",
        &[
            "<section id=\"graph\"",
            "<svg class=\"graph\"",
            "SHD of the class",
            "X1 \u{2192} X2",
            "<section id=\"data\"",
            "fedcdi discover --spec spec.toml</code>",
        ],
        &[&absent[..], &["probability"]].concat(),
    );
    place.succeed("discover study --method ut-igsp --out targets");
    let parts = [
        "<svg class=\"graph\"",
        "<section id=\"targets\"",
        "Conflicts",
    ];
    assert_page(&place, "targets", &parts, &absent);
    place.file("short.toml", "iterations = 2\n");
    place.succeed("discover study --method notears --settings short.toml --out weights");
    let parts = ["coefficient", "The method ran out of iterations"];
    assert_page(&place, "weights", &parts, &absent);
    place.succeed("generate --graph chain --vars 4 --categories 3 --obs 900 --int 0 --out obs.csv");
    place.succeed("discover obs.csv --method gies --out open");
    assert_page(
        &place,
        "open",
        &["may point either way", ">open</td>"],
        &absent,
    );
}

#[test]
fn a_baseline_among_clients_leaves_a_page_with_its_votes() {
    let place = Place::new();
    place.succeed(CHAIN);
    let command = "simulate --data study --clients 2 --split vertical";
    let text = place.succeed(&format!("{command} --baseline gies --compare --out voted"));
    assert!(text.contains("report.html"), "{text}");
    let absent = ["id=\"belief\"", "id=\"rounds\""];
    assert_page(
        &place,
        "voted",
        &[
            "<svg class=\"graph\"",
            "% of the vote",
            "<section id=\"votes\"",
            "<section id=\"compare\"",
            "client-2 alone",
            "SHD of its own graph",
            "Once, its graph",
            "fedcdi simulate --spec spec.toml",
        ],
        &absent,
    );
    place.succeed(&format!("{command} --baseline notears --out together"));
    assert_page(
        &place,
        "together",
        &[
            "<svg class=\"graph\"",
            "coefficient",
            "fit one graph together",
        ],
        &[
            &absent[..],
            &["id=\"votes\"", "id=\"compare\"", "SHD of its own"],
        ]
        .concat(),
    );
}
