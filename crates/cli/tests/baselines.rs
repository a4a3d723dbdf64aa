//! `fedcdi discover --method ..` and `fedcdi methods` as a new user tries them.
#![allow(clippy::unwrap_used)]

mod place;
use place::Place;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// A chain of five variables with three categories and an intervention on each.
fn study() -> Place {
    let place = Place::new();
    place.succeed(
        "generate --graph chain --vars 5 --categories 3 --obs 3000 --int 1500 --seed 2 --out study",
    );
    place
}

#[test]
fn every_method_finds_the_chain() {
    let place = study();
    for method in ["gies", "igsp", "ut-igsp"] {
        let found = json(&place.succeed(&format!("discover study --method {method} --json")));
        assert_eq!(found["method"], method);
        assert_eq!(found["stop_reason"], "converged", "{found}");
        assert!(found["oriented"].as_bool().unwrap());
        let shd = found["shd"].as_u64().unwrap();
        assert!(shd <= 1 && found["shd_class"].is_number(), "{found}");
        assert_eq!(found["score"].is_number(), method == "gies");
        assert_eq!(found["conflicts"].is_number(), method != "gies");
        let edges = found["graph"].as_array().unwrap();
        assert_eq!(edges.len() as u64, found["edges"].as_u64().unwrap());
    }
}

#[test]
fn a_run_leaves_the_graph_and_is_the_same_at_any_number_of_threads() {
    let place = study();
    let text = place.succeed("discover study --method gies --out one");
    for part in [
        "->",
        "edges in",
        "converged",
        "against the truth",
        "written  one",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!place.path("one").join("belief.csv").exists());
    place.succeed_on_threads(1, "discover study --method gies --out two");
    let files = ["run.json", "graph.json", "edges.csv", "graph.dot"];
    place.assert_same("one", "two", &files);
    place.succeed("evaluate --truth study/truth.json --graph one/graph.json");
}

#[test]
fn settings_come_from_a_file() {
    let place = study();
    place
        .file("bdeu.toml", "score = { bdeu = 2.0 }\nmax_parents = 2\n")
        .file("wrong.toml", "max_parent = 2\n")
        .file("range.toml", "alpha = 2.0\n");
    place.succeed("discover study --method gies --settings bdeu.toml");
    place.refuse(
        "discover study --method gies --settings wrong.toml",
        &[
            "wrong.toml",
            "line 1",
            "did you mean `max_parents`",
            "docs/baselines.md",
        ],
    );
    place.refuse(
        "discover study --method igsp --settings range.toml",
        &["alpha is 2; it must be between 0 and 1"],
    );
}

#[test]
fn what_a_method_cannot_use_is_refused_with_those_that_can() {
    let place = Place::new();
    place
        .file("joint.csv", "a,b,intervention\nx,0,\ny,1,a;b\nx,1,\ny,0,\n")
        .file("always.csv", "a,b,intervention\nx,0,a\ny,1,a\nx,1,a;b\n")
        .file("known.toml", "required = []\n");
    place.refuse(
        "discover joint.csv --method igsp",
        &[
            "igsp cannot use this data",
            "one variable at a time",
            "methods that can: enco, sdi, dcdi, score, gies, ut-igsp, notears",
        ],
    );
    place.refuse(
        "discover always.csv --method gies",
        &[
            "gies cannot use this data",
            "no sample leaves variable \"a\" alone",
        ],
    );
    place.refuse(
        "discover always.csv --method ut-igsp",
        &["ut-igsp cannot use this data", "no observational rows"],
    );
    place.refuse(
        "discover joint.csv --method gies --knowledge known.toml",
        &["--knowledge does not apply to gies", "--method enco"],
    );
}

#[test]
fn without_interventions_directions_are_open() {
    let place = Place::new();
    place.succeed(
        "generate --graph chain --vars 3 --categories 3 --obs 2000 --int 0 --seed 1 --out obs.csv",
    );
    let text = place.succeed("discover obs.csv --method gies --out run");
    assert!(
        text.contains("--") && text.contains("of open direction"),
        "{text}"
    );
    for (file, mark) in [
        ("graph.json", "\"directed\": false"),
        ("edges.csv", "cause,effect,directed"),
        ("graph.dot", "[dir=none]"),
        ("graph.graphml", "directed=\"false\""),
        ("graph.dagitty", "pdag {"),
    ] {
        let written = std::fs::read_to_string(place.path("run").join(file)).unwrap();
        assert!(written.contains(mark), "{file}: {written}");
    }
}

#[test]
fn ut_igsp_tells_what_it_takes_the_targets_for() {
    let place = study();
    let targets = json(&place.succeed("discover study --method ut-igsp --json"))["targets"].take();
    let targets = targets.as_array().unwrap();
    assert_eq!(targets.len(), 5);
    assert_eq!(targets[0]["named"], serde_json::json!(["X1"]));
    let found = |t: &serde_json::Value| t["found"].as_array().unwrap().len();
    assert!(targets.iter().map(found).sum::<usize>() > 0, "{targets:?}");
    let text = place.succeed("discover study --method ut-igsp");
    assert!(text.contains("marked as  intervened on"), "{text}");
}

#[test]
fn a_settings_file_without_a_score_leaves_it_to_the_data() {
    let place = Place::new();
    place.file("cap.toml", "max_parents = 2\n");
    place.succeed("generate --graph chain --vars 4 --mechanism linear --obs 500 --int 400 --seed 1 --out real.csv");
    place.succeed("discover real.csv --real all --method gies --settings cap.toml");
}

#[test]
fn methods_are_listed_with_needs_and_references() {
    let place = Place::new();
    let text = place.succeed("methods");
    for part in [
        "enco",
        "gies",
        "igsp",
        "ut-igsp",
        "observational rows",
        "Bühlmann 2012",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let list = json(&place.succeed("methods --json"));
    assert_eq!(list.as_array().unwrap().len(), 9);
}
