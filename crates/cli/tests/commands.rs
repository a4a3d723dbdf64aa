//! The commands as a newcomer uses them.
#![allow(clippy::unwrap_used)]

mod place;

use std::fmt::Write as _;

use place::Place;

const STUDY: &str = "generate --graph er --degree 2 --vars 20 --obs 10000 --int 2000 --seed 0";

#[test]
fn a_generated_study_holds_what_was_asked_for() {
    let place = Place::new();
    place.succeed(&format!("{STUDY} --out s"));
    let text = place.succeed("inspect s");
    assert!(
        text.contains("1 site, 20 variables, 12000 rows: 10000 observational"),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(&place.succeed("inspect s --json")).unwrap();
    let client = &json["clients"][0];
    assert_eq!(client["variables"].as_array().unwrap().len(), 20);
    assert_eq!(client["n_observational"], 10_000);
    let groups = client["interventions"].as_array().unwrap();
    assert_eq!(groups.len(), 20);
    assert!(groups.iter().all(|group| group["n_samples"] == 100));
}

#[test]
fn few_interventional_rows_are_called_too_few() {
    let place = Place::new();
    place.succeed(&format!("{STUDY} --out s"));
    let few = STUDY.replace("--int 2000", "--int 100");
    place.succeed(&format!("{few} --out few"));
    let verdict = |study: &str| -> serde_json::Value {
        let json = place.succeed(&format!("inspect {study} --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["clients"][0]["sufficiency"].clone()
    };
    assert_eq!(verdict("s")["orientation"]["verdict"], "enough");
    assert_eq!(verdict("few")["orientation"]["verdict"], "too-few");
    assert_eq!(verdict("few")["existence"]["verdict"], "enough");
    let text = place.succeed("inspect few");
    for part in [
        "is it enough",
        "too few",
        "more rows under an intervention on",
    ] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
}

#[test]
fn clients_are_judged_alone_and_together() {
    let place = Place::new();
    place.succeed(&format!("{STUDY} --out s"));
    place.succeed("split s --clients 4 --by vertical --out s4");
    let json: serde_json::Value =
        serde_json::from_str(&place.succeed("inspect s4 --json")).unwrap();
    let decided = |at: &serde_json::Value| at["orientation"]["n_close_decided"].as_u64().unwrap();
    let together = decided(&json["federation"]);
    for client in json["clients"].as_array().unwrap() {
        assert!(decided(&client["sufficiency"]) < together);
    }
    assert!(place.succeed("inspect s4").contains("all together"));
}

#[test]
fn the_same_command_gives_the_same_bytes_at_any_thread_count() {
    let place = Place::new();
    // Twice to the same place: the same content is no conflict.
    place.succeed(&format!("{STUDY} --out one"));
    place.succeed(&format!("{STUDY} --out one"));
    place.succeed_on_threads(1, &format!("{STUDY} --out two"));
    place.succeed_on_threads(2, &format!("{STUDY} --out three"));
    for other in ["two", "three"] {
        place.assert_same("one", other, &["schema.json", "truth.json", "data.csv"]);
    }
}

#[test]
fn every_format_holds_the_same_samples() {
    let place = Place::new();
    let small = "generate --graph chain --vars 5 --categories 3 --obs 60 --int 25 --seed 3";
    for out in ["t.csv", "t.parquet", "t.npz"] {
        place.succeed(&format!("{small} --out {out}"));
        place.succeed(&format!("convert {out} --out from-{out}.csv"));
    }
    let csv = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(csv("t.csv"), csv("from-t.csv.csv"));
    assert_eq!(csv("t.csv"), csv("from-t.parquet.csv"));
    assert_eq!(csv("t.csv"), csv("from-t.npz.csv"));
}

#[test]
fn a_vertical_split_gives_whole_targets_away() {
    let place = Place::new();
    place.succeed(&format!("{STUDY} --out s"));
    place.succeed("split s --clients 2 --by 16/4 --out s2");
    let json: serde_json::Value =
        serde_json::from_str(&place.succeed("inspect s2 --json")).unwrap();
    let targets = |client: usize| {
        json["clients"][client]["interventions"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((targets(0), targets(1)), (16, 4));
    assert_eq!(json["clients"][0]["n_observational"], 5000);
    assert!(json["truth_edges"].is_u64());
}

#[test]
fn the_truth_scores_perfectly_against_itself_in_every_graph_format() {
    let place = Place::new();
    place.succeed("generate --network asia --obs 50 --int 80 --out s");
    place.succeed("convert s --out asia.json");
    place.succeed("convert asia.json --to adjacency --out adjacency.csv");
    place.succeed("convert asia.json --to edges --out edges.csv");
    for graph in ["asia.json", "adjacency.csv", "edges.csv", "s"] {
        let json = place.succeed(&format!(
            "evaluate --truth s/truth.json --graph {graph} --json"
        ));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&json["shd"], &json["sid"], &json["f1"]),
            (&0.into(), &0.into(), &1.0.into())
        );
    }
    for out in ["asia.graphml", "asia.dot", "asia.dagitty"] {
        place.succeed(&format!("convert asia.json --out {out}"));
        let text = std::fs::read_to_string(place.path(out)).unwrap();
        assert!(
            text.contains("either") && text.contains("xray"),
            "{out}\n{text}"
        );
    }
}

#[test]
fn text_tables_of_several_sites_become_one_study() {
    let place = Place::new();
    place.file("a.csv", "smoke,lung,intervention\nyes,no,\nno,no,smoke\n");
    place.file(
        "b.csv",
        "lung,smoke,intervention\nsevere,no,\nyes,yes,lung\n",
    );
    place.succeed("convert a.csv b.csv --out study");
    let json: serde_json::Value =
        serde_json::from_str(&place.succeed("inspect study --json")).unwrap();
    let variables = json["clients"][1]["variables"].as_array().unwrap();
    assert_eq!(
        variables[1]["categories"],
        serde_json::json!(["no", "severe", "yes"])
    );
    assert_eq!(json["n_samples"], 4);
}

#[test]
fn help_has_examples_and_completions_are_printed() {
    let place = Place::new();
    for command in [
        "",
        "generate ",
        "inspect ",
        "split ",
        "convert ",
        "evaluate ",
    ] {
        assert!(
            place
                .succeed(&format!("{command}--help"))
                .contains("Examples:")
        );
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            place
                .succeed(&format!("completions {shell}"))
                .contains("fedcdi")
        );
    }
}

/// A table of a, b and c in a chain, a with these labels; `set` says what interventions set.
fn chain(labels: [&str; 2], set: impl Fn(usize) -> usize) -> String {
    let mut text = "a,b,c,intervention\n".to_owned();
    for row in 0..1200 {
        let target = ["", "a", "b", "c"][row % 4];
        // Nine times out of ten what is caused copies its cause.
        let copy =
            |value: usize, salt: usize| value ^ usize::from((row / 4 + salt).is_multiple_of(10));
        let free = row / 4 % 2;
        let a = if target == "a" { set(row / 4) } else { free };
        let b = if target == "b" {
            set(row / 4)
        } else {
            copy(a, 3)
        };
        let c = if target == "c" {
            set(row / 4)
        } else {
            copy(b, 7)
        };
        writeln!(text, "{},{b},{c},{target}", labels[a]).unwrap();
    }
    text
}

#[test]
fn files_that_are_no_tables_are_named() {
    let place = Place::new();
    let table = chain(["0", "1"], |row| row % 2);
    for name in ["A.csv", "B.csv", "C.xlsx", "C.tsv", "D.csv.gz", "notes.txt"] {
        place.file(&format!("s/{name}"), &table);
    }
    place.file("s/.hidden", "").file("s/README.md", "");
    let said = "ignored: C.tsv, C.xlsx, D.csv.gz, notes.txt (not tables fedcdi reads";
    let outcome = place.run("inspect s");
    assert!(outcome.stdout.contains(said), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "");
    let json: serde_json::Value = serde_json::from_str(&place.succeed("inspect s --json")).unwrap();
    assert_eq!(json["ignored"].as_array().unwrap().len(), 4);
    for command in ["convert s --out t.csv", "discover s --method gies"] {
        let outcome = place.run(command);
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    let quick = "simulate --data s --baseline gies";
    assert!(place.run(quick).stderr.contains(said));
    place.succeed("convert s --out clean");
    assert!(!place.succeed("inspect clean").contains("ignored"));
}

#[test]
fn labels_that_look_the_same_are_pointed_out() {
    let place = Place::new();
    place.file("a.csv", &chain(["n", "Y"], |row| row % 2));
    place.file("b.csv", &chain(["n", "y "], |row| row % 2));
    let text = place.succeed("inspect a.csv b.csv");
    let said = "a has labels that differ only in case or blanks: \"Y\", \"y \"";
    assert!(text.contains(&format!("all sites: {said}")), "{text}");
    assert_eq!(text.matches(said).count(), 1, "{text}");
    assert!(text.contains("Y, n, \"y \""), "{text}");
}

#[test]
fn a_target_that_is_always_set_to_one_value_is_not_enough() {
    let place = Place::new();
    place.file("varied.csv", &chain(["0", "1"], |row| row % 2));
    place.file("fixed.csv", &chain(["0", "1"], |_| 1));
    let verdict = |file: &str| -> serde_json::Value {
        let json = place.succeed(&format!("inspect {file} --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["clients"][0]["sufficiency"]["orientation"].clone()
    };
    assert_eq!(verdict("varied.csv")["verdict"], "enough");
    assert_eq!(verdict("fixed.csv")["verdict"], "thin");
    assert_eq!(verdict("fixed.csv")["targets"][0]["only_value"], "1");
    let text = place.succeed("inspect fixed.csv");
    for part in [
        "set it to \"1\"",
        "always set to one value",
        "set other values of a, b",
    ] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    place.file("other.csv", &chain(["0", "1"], |_| 1));
    let together = place.succeed("inspect fixed.csv other.csv");
    for part in ["0 of 3", "every row sets the same value: a, b, c"] {
        assert!(together.contains(part), "{part} is missing in:\n{together}");
    }
}

#[test]
fn tables_without_much_in_them_are_described_as_such() {
    let place = Place::new();
    place.file("one.csv", "a,intervention\n0,\n1,a\n0,a\n1,\n");
    let text = place.succeed("inspect one.csv");
    for part in ["nothing to discover", "not judged: there is one variable"] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    place
        .file("x.csv", "a,b\n0,1\n1,0\n")
        .file("y.csv", "a,b\n0,1\n1,0\n");
    let text = place.succeed("inspect x.csv y.csv");
    assert!(
        text.contains("no targets") && !text.contains("0:"),
        "{text}"
    );
}

#[test]
fn probabilities_of_edges_alone_are_not_scored() {
    let place = Place::new();
    place.file("truth.csv", "cause,effect\na,b\nb,c\n");
    let edges = "cause,effect,probability\na,b,0.9\nc,b,0.6\n";
    let all = ",a,b,c\na,0,0.9,0.2\nb,0.1,0,0.4\nc,0.1,0.6,0\n";
    place
        .file("edges.csv", edges)
        .file("probabilities.csv", all)
        .file("certain.csv", ",a,b,c\na,0,0.9,0\nb,0,0,0\nc,0,0.6,0\n");
    let scored = |graph: &str| {
        let outcome = place.run(&format!(
            "evaluate --truth truth.csv --graph {graph} --json"
        ));
        let json: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(json["shd"], 1);
        let scores = ["auroc", "auprc", "brier", "calibration_error"];
        let n_scores = scores.iter().filter(|name| json.get(**name).is_some());
        (n_scores.count(), outcome.stderr)
    };
    assert_eq!(scored("probabilities.csv"), (4, String::new()));
    // A matrix says that the others have probability 0.
    assert_eq!(scored("certain.csv"), (4, String::new()));
    let (n_scores, why) = scored("edges.csv");
    assert_eq!(n_scores, 0);
    for part in [
        "edges.csv has the probabilities of its edges only",
        "probabilities.csv",
    ] {
        assert!(why.contains(part), "{part} is missing in:\n{why}");
    }
    place.file("run/run.json", "{}").file("run/belief.csv", "");
    place.file("run/edges.csv", edges);
    assert!(scored("run/edges.csv").1.contains("--graph run"));
}
