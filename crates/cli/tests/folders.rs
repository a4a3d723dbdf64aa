//! Folders that are read and written: nothing of a person's is lost, and no result either.
#![allow(clippy::unwrap_used)]

mod place;

use place::{Place, SMALL_FEDERATION};

const QUICK: &str = "epochs = 1\nmodel_steps = 20\ngraph_steps = 2\nhidden = [8]\n";

fn study() -> Place {
    let place = Place::new();
    place.file("quick.toml", QUICK);
    place.succeed("generate --graph chain --vars 3 --categories 2 --obs 60 --int 30 --out s");
    place
}

#[test]
fn a_place_that_can_never_be_written_is_refused_before_the_run() {
    let place = study();
    place.file("thesis/chapter.tex", "words");
    place.file("notes.txt", "words");
    let discover = "discover s --settings quick.toml --rounds 1 --force --out";
    place.refuse(
        &format!("{discover} thesis"),
        &["chapter.tex", "never replaced"],
    );
    place.refuse(&format!("{discover} notes.txt"), &["never replaced"]);
    place.refuse(
        &format!("{discover} no/such/run"),
        &["no/such", "no such file"],
    );
    place.refuse(
        "simulate --data s --clients 2 --split vertical --out thesis",
        &["chapter.tex"],
    );
    place.refuse("discover s --method gies --out thesis", &["chapter.tex"]);
}

#[test]
fn a_folder_that_another_run_has_taken_is_refused_before_the_run() {
    let place = study();
    place.succeed("discover s --settings quick.toml --rounds 1 --seed 1 --out run");
    for more in ["", "--json"] {
        let again =
            format!("discover s --settings quick.toml --rounds 1 --seed 2 --out run {more}");
        place.refuse(&again, &["run", "--force"]);
    }
    place.succeed("discover s --settings quick.toml --rounds 1 --seed 2 --out run --force");
}

#[test]
fn a_result_is_shown_even_if_its_folder_is_taken() {
    let place = study();
    place.succeed("discover s --settings quick.toml --rounds 1 --out run");
    // The same spec, so that the run begins; what it leads to was another thing before.
    place.file("run/edges.csv", "cause,effect\n");
    for more in ["", "--json"] {
        let again = format!("discover s --settings quick.toml --rounds 1 --out run {more}");
        let outcome = place.run(&again);
        assert_eq!(outcome.code, 2);
        assert!(outcome.stdout.contains("edge"), "{}", outcome.stdout);
        assert!(!outcome.stdout.contains("written"), "{}", outcome.stdout);
        assert!(outcome.stderr.contains("--force"), "{}", outcome.stderr);
    }
}

#[test]
fn force_replaces_nothing_that_others_wrote() {
    let place = study();
    let generate = "generate --graph chain --vars 3 --categories 2 --obs 60 --int 30 --seed 9";
    place.file("s/run/belief.csv", "kept");
    place.refuse(
        &format!("{generate} --out s --force"),
        &["(run)", "never replaced"],
    );
    place
        .file("project/schema.json", "{}")
        .file("project/thesis.tex", "kept");
    place.refuse(
        &format!("{generate} --out project --force"),
        &["thesis.tex"],
    );
}

#[test]
fn clients_are_told_apart_by_their_files() {
    let place = Place::new();
    let table = "a,b,intervention\nx,0,\ny,1,a\n";
    place.file("one/t.csv", table).file("two/t.csv", table);
    place.refuse(
        "convert one/t.csv two/t.csv --out both",
        &["\"t\" already", "one/t.csv"],
    );
    place.file("s/one.csv", table).file("s/TWO.CSV", table);
    let found = place.succeed("inspect s");
    assert!(found.contains("TWO") && found.contains("one"), "{found}");
}

#[test]
fn names_that_one_format_cannot_express_cost_that_format_alone() {
    let place = Place::new();
    let rows = "0,0,\n1,0,\n0,1,\n1,1,\n".repeat(10);
    place.file(
        "t.csv",
        &format!("\"blood\npressure\",b,intervention\n{rows}"),
    );
    place.file("quick.toml", QUICK);
    place.succeed("discover t.csv --settings quick.toml --rounds 1 --out run");
    assert!(place.path("run/graph.json").exists() && !place.path("run/graph.dagitty").exists());
}

#[test]
fn a_key_in_the_wrong_table_of_a_spec_is_named() {
    let place = Place::new();
    let spec = |from: &str, to: &str| {
        let text = SMALL_FEDERATION.replace(from, to);
        assert_ne!(text, SMALL_FEDERATION);
        text
    };
    for (name, text) in [
        ("epochs", spec("name = 'enco'", "name = 'enco'\nepochs = 7")),
        (
            "setings",
            spec("name = 'enco'", "name = 'enco'\nsetings = {}"),
        ),
        (
            "degree",
            spec("kind = 'chain'", "kind = 'chain', degree = 3"),
        ),
        ("banana", spec("rounds = 2", "rounds = 2\nbanana = 1")),
    ] {
        place.file("spec.toml", &text);
        place.refuse("simulate --spec spec.toml", &[name, "spec.toml"]);
    }
    place.file(
        "gies.toml",
        "clients = 2\n[method]\nname = 'gies'\nmax_parents = 1\n",
    );
    place.refuse("simulate --spec gies.toml", &["max_parents", "gies.toml"]);
}

#[test]
fn text_that_is_not_utf_8_is_bad_input() {
    let place = study();
    std::fs::write(place.path("odd.toml"), [0xff, 0xfe]).unwrap();
    for options in [
        "--settings odd.toml",
        "--knowledge odd.toml",
        "--schema odd.toml",
    ] {
        place.refuse(&format!("discover s {options}"), &["odd.toml", "UTF-8"]);
    }
}

#[test]
fn settings_that_no_machine_could_hold_are_refused() {
    let place = study();
    for setting in [
        "batch = 99999999999",
        "hidden = [100000000]",
        "graphs = 90000",
    ] {
        place.file("big.toml", setting);
        let name = setting.split(' ').next().unwrap();
        place.refuse("discover s --settings big.toml", &["big.toml", name]);
    }
}

#[test]
fn rows_that_are_left_out_are_counted() {
    let place = Place::new();
    place.file("gaps.csv", "a,b,intervention\nx,0,\n,1,a\ny,1,\nx,,a\n");
    let outcome = place.run("inspect gaps.csv --missing drop");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let said = "2 of 4 rows have a missing value and were left out";
    assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
}

#[test]
fn options_without_effect_are_refused() {
    let place = Place::new();
    let generate = "generate --graph chain --vars 3 --out";
    place.refuse(&format!("{generate} s --obs 0 --int 0"), &["--obs"]);
    place.refuse(
        &format!("{generate} s --int 0 --targets X1"),
        &["--targets"],
    );
    place.refuse(&format!("{generate} s.csv --format parquet"), &["--format"]);
    place.refuse(
        "simulate --graph chain --vars 3 --clients 2 --missing drop",
        &["--data"],
    );
    place.refuse(
        "simulate --baseline gies --clients 2 --real X1",
        &["--data"],
    );
}

#[test]
fn a_run_folder_is_evaluated_and_converted_as_it_is() {
    let place = study();
    place.succeed("discover s --settings quick.toml --rounds 1 --out run");
    let whole = place.succeed("evaluate --truth s --graph run --json");
    let files = "evaluate --truth s --graph run/graph.json --belief run/belief.csv --json";
    assert_eq!(whole, place.succeed(files));
    place.succeed("convert run --out run.dot");
    place.refuse("convert run/graph.json --out edges.csv", &["--to edges"]);
}
