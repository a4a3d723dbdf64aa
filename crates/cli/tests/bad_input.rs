//! Bad input through the program: exit code 2, a message that names what is wrong and what to do,
//! and nothing written.
#![allow(clippy::unwrap_used)]

mod place;
use place::Place;

const SCHEMA: &str = r#"{"variables": [
    {"name": "a", "categories": ["x", "y"]}, {"name": "b", "categories": ["0", "1"]}]}"#;

const GOOD: &str = "a,b,intervention\nx,0,\ny,1,a\nx,1,b\n";

/// `inspect`, `split` and `convert` all refuse the same table.
fn refuse_table(place: &Place, file: &str, parts: &[&str]) {
    place.refuse(&format!("inspect {file}"), parts);
    place.refuse(&format!("split {file} --clients 1 --out out"), parts);
    place.refuse(&format!("convert {file} --out out.csv"), parts);
}

#[test]
fn missing_file() {
    let place = Place::new();
    refuse_table(&place, "nowhere.csv", &["nowhere.csv", "no such file"]);
    place.refuse("inspect nowhere", &["nowhere", "no such file or folder"]);
    place.refuse(
        "evaluate --truth nowhere.json --graph nowhere.json",
        &["nowhere.json", "no such file"],
    );
    place.refuse(
        "evaluate --truth nowhere --graph nowhere",
        &["nowhere: no such file"],
    );
}

#[test]
fn empty_table() {
    let place = Place::new();
    place
        .file("empty.csv", "")
        .file("header.csv", "a,b,intervention\n");
    refuse_table(&place, "empty.csv", &["empty.csv"]);
    refuse_table(&place, "header.csv", &["header.csv", "no rows"]);
}

#[test]
fn row_with_too_few_fields() {
    let place = Place::new();
    place.file("t.csv", "a,b,intervention\nx,0,\ny\n");
    refuse_table(&place, "t.csv", &["t.csv", "row 2", "line 3", "field"]);
}

#[test]
fn missing_value_names_place_and_remedy() {
    let place = Place::new();
    place.file("t.csv", "a,b,intervention\nx,0,\ny,NA,\nx,1,\n");
    let parts = ["t.csv", "row 2", "\"b\"", "missing", "--missing drop"];
    refuse_table(&place, "t.csv", &parts);
    let json = place.succeed("inspect t.csv --missing drop --json");
    assert!(json.contains("\"n_samples\": 2"), "{json}");
    let json = place.succeed("inspect t.csv --missing category --json");
    assert!(json.contains("\"n_samples\": 3"), "{json}");
}

#[test]
fn unknown_name_in_the_intervention_column() {
    let place = Place::new();
    place.file("t.csv", "a,b,intervention\nx,0,\ny,1,c\n");
    refuse_table(
        &place,
        "t.csv",
        &["t.csv", "row 2", "intervention", "\"c\""],
    );
}

#[test]
fn category_outside_the_schema() {
    let place = Place::new();
    place
        .file("schema.json", SCHEMA)
        .file("t.csv", "a,b\nx,0\nz,1\n");
    place.refuse(
        "inspect t.csv --schema schema.json",
        &["t.csv", "row 2", "\"a\"", "\"z\""],
    );
    place.file("study/schema.json", SCHEMA);
    place.file("study/site.csv", "a,b\nx,0\nx,7\n");
    place.refuse("inspect study", &["site.csv", "row 2", "\"b\"", "\"7\""]);
}

fn int64(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn float64(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn npz_with_codes_that_are_no_categories() {
    let place = Place::new();
    let interventions = || ("data_int", "<i8", "2, 1, 2", int64(&[0, 1, 1, 0]));
    let negative = ("data_obs", "<i8", "2, 2", int64(&[0, 1, -1, 0]));
    place.npz("negative.npz", &[negative, interventions()]);
    refuse_table(&place, "negative.npz", &["negative.npz", "data_obs", "-1"]);
    let fraction = ("data_obs", "<f8", "2, 2", float64(&[0.0, 1.0, 0.5, 0.0]));
    place.npz("fraction.npz", &[fraction, interventions()]);
    let parts = ["fraction.npz", "data_obs", "floating-point", "--real all"];
    refuse_table(&place, "fraction.npz", &parts);
    let fraction = ("data_obs", "<f8", "2, 2", float64(&[0.0, 1.0, 0.5, 0.0]));
    let categories = ("num_categs", "<i8", "2,", int64(&[2, 2]));
    place.npz("counted.npz", &[fraction, interventions(), categories]);
    refuse_table(&place, "counted.npz", &["counted.npz", "data_obs", "0.5"]);
}

#[test]
fn npz_with_a_graph_that_cannot_be() {
    let place = Place::new();
    let arrays = |shape: &'static str, adj: &[i64]| {
        [
            ("data_obs", "<i8", "2, 2", int64(&[0, 1, 1, 0])),
            ("data_int", "<i8", "2, 1, 2", int64(&[0, 1, 1, 0])),
            ("adj", "<i8", shape, int64(adj)),
        ]
    };
    place.npz("cycle.npz", &arrays("2, 2", &[0, 1, 1, 0]));
    refuse_table(
        &place,
        "cycle.npz",
        &["cycle.npz", "adj", "cycle", "X1 -> X2"],
    );
    place.npz("shape.npz", &arrays("2, 1", &[0, 1]));
    refuse_table(&place, "shape.npz", &["shape.npz", "adj"]);
}

fn bif(child: &str) -> String {
    format!(
        "network test {{}}\n\
         variable a {{ type discrete [ 2 ] {{ no, yes }}; }}\n\
         variable b {{ type discrete [ 2 ] {{ no, yes }}; }}\n\
         probability ( a ) {{\n  table 0.2, 0.8;\n}}\n{child}"
    )
}

#[test]
fn bif_that_is_no_network() {
    let place = Place::new();
    let table = "probability ( b | a ) {\n  (no) 0.5, 0.4;\n  (yes) 0.1, 0.9;\n}\n";
    place.file("sum.bif", &bif(table));
    let parent = "probability ( b | c ) {\n  (no) 0.5, 0.5;\n  (yes) 0.1, 0.9;\n}\n";
    place.file("parent.bif", &bif(parent));
    place.file("cut.bif", &bif("probability ( b | a ) {\n  (no) 0.5, 0."));
    for (file, parts) in [
        ("sum.bif", ["line 8", "0.9"]),
        ("parent.bif", ["line 7", "\"c\""]),
        ("cut.bif", ["line 7", "cut off"]),
    ] {
        let parts = [file, parts[0], parts[1]];
        place.refuse(&format!("generate --network {file} --out out"), &parts);
        place.refuse(&format!("convert {file} --out out.json"), &parts);
    }
}

#[test]
fn clients_with_different_columns() {
    let place = Place::new();
    place
        .file("study/one.csv", GOOD)
        .file("study/two.csv", "a,c\nx,0\n");
    place.refuse("inspect study", &["two.csv", "one.csv", "\"b\""]);
    place.refuse("split study --clients 2 --out out", &["two.csv"]);
    place.refuse("inspect study/one.csv study/two.csv", &["two.csv"]);
}

#[test]
fn clients_whose_columns_differ_in_case() {
    let place = Place::new();
    place
        .file("study/one.csv", GOOD)
        .file("study/two.csv", &GOOD.replace("a,b,i", "A,b,i"));
    let parts = [
        "two.csv",
        "\"A\" in place of \"a\"",
        "rename \"A\" to \"a\"",
    ];
    place.refuse("inspect study", &parts);
    place.refuse("simulate --data study", &parts);
    place.file("study/schema.json", SCHEMA);
    place.refuse("inspect study", &["two.csv", "\"a\"", "column \"A\""]);
    place.refuse("inspect study/two.csv", &["unknown variable", "\"A\""]);
}

#[test]
fn a_header_with_blanks_beside_the_commas() {
    let place = Place::new();
    place.file("t.csv", "a, b, intervention\nx,0,\ny,1,a\n");
    refuse_table(&place, "t.csv", &["t.csv", "blanks", "remove"]);
}

#[test]
fn more_clients_than_targets() {
    let place = Place::new();
    place.file("t.csv", GOOD);
    place.refuse(
        "split t.csv --clients 3 --by vertical --out out",
        &["3 sites", "2 intervened variables", "horizontal"],
    );
    place.refuse("split t.csv --clients 0 --out out", &["at least 1"]);
    place.refuse("split t.csv --clients 2 --by 2/1 --out out", &["sum to 3"]);
}

#[test]
fn more_edges_than_pairs() {
    Place::new().refuse(
        "generate --graph er --degree 10 --vars 20 --out out",
        &["ER-10", "200 edges", "at most 9.5"],
    );
}

#[test]
fn graphs_that_the_flags_do_not_describe() {
    let refuse = |flags: &str, parts: &[&str]| {
        Place::new().refuse(&format!("generate {flags} --out out"), parts);
    };
    refuse("--graph chain --degree 2", &["--degree", "--graph er"]);
    refuse("--categories 1", &["one category", "at least 2"]);
    let vars = format!("--vars {}", usize::MAX);
    refuse(&vars, &["variables", "the limit is 100000"]);
}

#[test]
fn settings_out_of_range_are_named_with_their_line() {
    let place = Place::new();
    let aggregate = "clients = 2\n[aggregate]\nkind = \"proximity\"\nbeta = -2.0\n";
    place.file("aggregate.toml", aggregate);
    place.file("rounds.toml", "clients = 2\n[coordinator]\nrounds = 0\n");
    place.file(
        "enco.toml",
        "clients = 2\n[local]\nname = \"enco\"\nsettings = { batch = 0 }\n",
    );
    let gies = "clients = 2\n[method]\nname = \"gies\"\nsettings = { max_parents = 0 }\n";
    place.file("gies.toml", gies);
    for (file, problem) in [
        ("aggregate.toml", "line 4: beta is -2; it must be > 0"),
        ("rounds.toml", "line 3: rounds is 0; it must be > 0"),
        ("enco.toml", "line 4: batch is 0; it must be > 0"),
        ("gies.toml", "line 4: max_parents is 0; it must be > 0"),
    ] {
        place.refuse(&format!("simulate --spec {file}"), &[file, problem]);
    }
}

#[test]
fn existing_files_are_not_replaced_unasked() {
    let place = Place::new();
    place.file("notes.csv", "my thesis");
    place.refuse(
        "generate --graph chain --vars 4 --obs 10 --int 8 --out notes.csv",
        &["notes.csv", "--force"],
    );
    place.file("folder/notes.txt", "my thesis");
    place.refuse(
        "generate --graph chain --vars 4 --obs 10 --int 8 --out folder",
        &["folder"],
    );
    place.refuse(
        "generate --graph chain --vars 4 --obs 10 --int 8 --out folder --force",
        &["folder"],
    );
}

#[test]
fn an_intervention_column_by_another_name_is_no_variable() {
    let place = Place::new();
    place
        .file("case.csv", "a,b,Intervention\nx,0,\ny,1,a\n")
        .file("gap.csv", "a,b,treated\nx,0,\ny,1,a\n")
        .file("full.csv", "a,b,treated\nx,0,b\ny,1,a\n")
        .file("none.csv", "a,b,treated\nx,0,none\ny,1,a\n")
        .file("close.csv", "a,b,intervened_on\nx,0,none\ny,1,a\n")
        .file("empty.csv", "a,b,intervention\nx,0,;\ny,1,a\n");
    let remedy = "--intervention-column treated";
    refuse_table(
        &place,
        "case.csv",
        &["\"Intervention\"", "--intervention-column Intervention"],
    );
    refuse_table(&place, "gap.csv", &["row 1", "\"treated\"", remedy]);
    refuse_table(
        &place,
        "full.csv",
        &["\"treated\"", "names of columns", remedy],
    );
    refuse_table(
        &place,
        "none.csv",
        &["\"treated\"", remedy, "cells are empty"],
    );
    refuse_table(
        &place,
        "close.csv",
        &["--intervention-column intervened_on"],
    );
    refuse_table(&place, "empty.csv", &["row 1", "\";\" names no variable"]);
    // Columns may be called by numbers, which are values too.
    place.file("codes.csv", "0,1,2\n0,1,0\n1,0,1\n0,0,1\n");
    place.succeed("inspect codes.csv");
}

#[test]
fn sites_that_call_the_same_thing_by_other_names() {
    let place = Place::new();
    place
        .file("s/a.csv", "x,y,intervention\nyes,0,\nno,1,x\n")
        .file("s/b.csv", "x,y,intervention\nY,0,\nN,1,x\n");
    let parts = ["b.csv", "\"x\"", "no label in common", "schema"];
    place.refuse("inspect s", &parts);
    place.refuse("simulate --data s", &parts);
    let schema = r#"{"variables": [{"name": "x", "categories": ["yes", "no", "Y", "N"]},
        {"name": "y", "categories": ["0", "1"]}]}"#;
    place.file("s/schema.json", schema);
    place.succeed("inspect s");
}

#[test]
fn identifiers_are_not_spelled_out() {
    let place = Place::new();
    let site = |first: usize| {
        let row = |id: usize| format!("{id},{},{}\n", id % 2, id % 3);
        "patient_id,a,b\n".to_owned() + &(first..first + 200).map(row).collect::<String>()
    };
    place
        .file("s/a.csv", &site(1000))
        .file("s/b.csv", &site(2000));
    let parts = [
        "\"patient_id\"",
        "\"2000\", \"2001\"",
        ".. 196 more",
        "no label in common",
        "identifier",
    ];
    place.refuse("inspect s", &parts);
    place.refuse("simulate --data s", &parts);
    let message = place.run("inspect s").stderr;
    assert!(message.len() < 500, "{message}");
}
