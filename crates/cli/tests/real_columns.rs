//! Columns of real numbers through the program: declared, checked, summarised, and written exactly.
#![allow(clippy::unwrap_used)]

mod place;
use std::fmt::Write as _;

use place::Place;

/// Thirty rows of a measurement and a label; `change` may spoil one field of row 7.
fn table(change: Option<&str>) -> String {
    let mut text = "dose,group,intervention\n".to_owned();
    for row in 0..30 {
        let dose = format!("{:.3}", 0.137 * f64::from(row) - 2.0);
        let dose = change.filter(|_| row == 6).unwrap_or(&dose);
        let (group, target) = (
            ["a", "b"][row as usize % 2],
            ["", "dose"][row as usize / 15],
        );
        writeln!(text, "{dose},{group},{target}").unwrap();
    }
    text
}

#[test]
fn measurements_must_be_declared() {
    let place = Place::new();
    place.file("t.csv", &table(None));
    place.refuse("inspect t.csv", &["t.csv", "\"dose\"", "--real dose"]);
    let text = place.succeed("inspect t.csv --real dose");
    assert!(
        text.contains("real") && text.contains("mean -0.0135"),
        "{text}"
    );
    assert!(text.contains("-2.0000 to 1.9730"), "{text}");
    assert!(text.contains("not judged"), "{text}");
    place.refuse("inspect t.csv --real dosis", &["\"dosis\"", "--real"]);
}

#[test]
fn what_is_no_number_is_refused_by_row_and_column() {
    let place = Place::new();
    for (field, words) in [
        ("NaN", "missing"),
        ("inf", "finite"),
        ("high", "not a number"),
    ] {
        place.file("t.csv", &table(Some(field)));
        let parts = ["t.csv", "row 7", "line 8", "\"dose\"", words];
        place.refuse("inspect t.csv --real dose", &parts);
        place.refuse("discover t.csv --real dose", &parts);
    }
    place.file("t.csv", &table(Some("")));
    let json = place.succeed("inspect t.csv --real dose --missing drop --json");
    assert!(json.contains("\"n_samples\": 29"), "{json}");
    let parts = ["row 7", "\"dose\"", "--missing drop"];
    place.refuse("inspect t.csv --real dose --missing category", &parts);
    place.refuse(
        "inspect t.csv --real all",
        &["\"group\"", "\"a\"", "not a number"],
    );
}

#[test]
fn kinds_must_agree_over_sites_and_with_the_schema() {
    let place = Place::new();
    place.file("one.csv", "dose,group\n1,a\n2,b\n");
    let schema = r#"{"variables": [{"name": "dose", "kind": "real"},
        {"name": "group", "categories": ["a", "b"]}]}"#;
    place.file("schema.json", schema);
    place.succeed("convert one.csv --schema schema.json --out two.parquet");
    let parts = ["two.parquet", "\"dose\"", "real", "categorical"];
    place.refuse("inspect one.csv two.parquet", &parts);
    let parts = ["\"group\"", "schema", "--real"];
    place.refuse("inspect one.csv --schema schema.json --real all", &parts);
    place.succeed("inspect one.csv two.parquet --real dose");
}

#[test]
fn every_format_keeps_the_numbers() {
    let place = Place::new();
    let numbers = ["0.1", "-2.5e-300", "0.30000000000000004", "1.0"];
    let rows = numbers.map(|number| format!("{number},0,\n")).concat();
    let csv = format!("x,y,intervention\n{rows}");
    place.file("t.csv", &csv);
    for format in ["parquet", "npz", "csv"] {
        place.succeed(&format!(
            "convert t.csv --real x --out new.{format} --force"
        ));
        place.succeed(&format!(
            "convert new.{format} --real x --out back.csv --force"
        ));
        let back = std::fs::read_to_string(place.path("back.csv")).unwrap();
        assert_eq!(back, csv, "{format}");
    }
}

#[test]
fn methods_say_which_kinds_they_take() {
    let place = Place::new();
    place.file("t.csv", &table(None));
    // Mixed: the counting scores and tests name the column, and who could.
    for (method, by) in [
        ("gies", "best"),
        ("igsp", "logistic"),
        ("ut-igsp", "logistic"),
    ] {
        let parts = ["\"dose\"", "real", by, "methods that can: enco"];
        place.refuse(
            &format!("discover t.csv --real dose --method {method}"),
            &parts,
        );
    }
    let text = place.succeed("methods");
    assert!(text.contains("categorical, real, mixed"), "{text}");
    let real = "generate --mechanism linear --graph chain --vars 4 --obs 600 --int 400 --out s.npz";
    place.succeed(real);
    place.file("counted.toml", "score = { multinomial = \"bic\" }\n");
    let parts = ["X1", "multinomial", "gaussian", "enco"];
    place.refuse(
        "discover s.npz --method gies --settings counted.toml",
        &parts,
    );
    for method in ["gies", "igsp", "ut-igsp"] {
        let json = place.succeed(&format!("discover s.npz --method {method} --json"));
        assert!(json.contains("\"shd\": 0,"), "{method} {json}");
    }
    // A spec that leaves the score open has it chosen by the data; one that names it is obeyed.
    place.file("open.toml", "[method]\nname = \"gies\"\n");
    let json = place.succeed("discover s.npz --spec open.toml --json");
    assert!(json.contains("\"shd\": 0,"), "{json}");
    let chosen = "[method]\nname = \"gies\"\nsettings = { score = { multinomial = \"bic\" } }\n";
    place.file("chosen.toml", chosen);
    place.refuse("discover s.npz --spec chosen.toml --method gies", &parts);
    // Coefficients of this generator start at 0.25, below the threshold of NOTEARS.
    place.file("low.toml", "threshold = 0.15\n");
    let json = place.succeed("discover s.npz --method notears --settings low.toml --json");
    for part in ["\"missing\": 0", "\"converged\""] {
        assert!(json.contains(part), "{json}");
    }
}

#[test]
fn real_studies_are_generated_learned_from_and_reported() {
    let place = Place::new();
    let generate = "generate --mechanism additive --set-to shifted --standardise --graph chain \
                    --vars 4 --obs 600 --int 400 --out study";
    place.succeed(generate);
    let text = place.succeed("inspect study");
    assert!(
        text.contains("mean") && !text.contains("categories 1"),
        "{text}"
    );
    place.succeed("discover study --rounds 1 --out run");
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("Not judged"));
    let simulate = "simulate --mechanism linear --graph chain --vars 4 --obs 600 --int 400 \
                    --clients 2 --rounds 1 --out federation --json";
    let json = place.succeed(simulate);
    assert!(json.contains("shd"), "{json}");
    let spec = std::fs::read_to_string(place.path("federation/spec.toml")).unwrap();
    assert!(spec.contains("mechanism = \"linear\""), "{spec}");
    let out = "--out new.npz";
    let wrong = format!("generate --standardise {out}");
    place.refuse(&wrong, &["--standardise", "--mechanism"]);
    let wrong = format!("generate --mechanism linear --categories 3 {out}");
    place.refuse(&wrong, &["--categories", "--mechanism"]);
    let wrong = format!("generate --mechanism linear --soft {out}");
    place.refuse(&wrong, &["--soft", "--mechanism"]);
}
