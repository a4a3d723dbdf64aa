//! FedCDI as published, by one word.

#![allow(clippy::unwrap_used, reason = "test code")]

mod place;

use std::path::Path;

use place::{Place, SMALL_FEDERATION};

#[test]
fn one_word_sets_every_choice_and_flags_come_on_top() {
    let place = Place::new();
    let run = "simulate --paper --vars 5 --categories 3 --obs 600 --int 250 --clients 2 --rounds 1 --beta 3 --out run";
    let outcome = place.run(run);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let spec = std::fs::read_to_string(place.path("run/spec.toml")).unwrap();
    for part in [
        "exchange = \"psi\"",
        "kind = \"proximity\"",
        "beta = 3.0",
        "space = \"psi\"",
        "pruning = \"never\"",
        "raw = \"psi\"",
        "start = \"bernoulli\"",
        "rounds = 1",
        "graphs = 100",
    ] {
        assert!(spec.contains(part), "{part} in {spec}");
    }
    place.refuse(
        "simulate --paper --spec run/spec.toml",
        &["cannot be used with"],
    );
}

#[test]
fn a_preset_in_a_spec_is_the_same_and_its_other_keys_come_on_top() {
    let place = Place::new();
    let mut spec = String::from("preset = 'paper'\n");
    spec += SMALL_FEDERATION;
    place.file("paper.toml", &spec);
    let outcome = place.run("simulate --spec paper.toml --rounds 1 --out run");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let spec = std::fs::read_to_string(place.path("run/spec.toml")).unwrap();
    for part in [
        "exchange = \"psi\"",
        "model_steps = 200",
        "start = \"bernoulli\"",
        "average = 1",
    ] {
        assert!(spec.contains(part), "{part} in {spec}");
    }
    assert!(!spec.contains("preset"), "{spec}");
}

#[test]
fn one_command_lists_the_choices() {
    let place = Place::new();
    let outcome = place.run("methods --paper");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for part in [
        "psi > 0.5",
        "bernoulli",
        "log 0.1",
        "proximity",
        "appendix B",
    ] {
        assert!(
            outcome.stdout.contains(part),
            "{part} in {}",
            outcome.stdout
        );
    }
}

#[test]
fn the_papers_study_runs_from_end_to_end() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ER-2_d20_s0.npz");
    if !data.exists() {
        // The files of the authors' generator are not part of the project.
        return;
    }
    let place = Place::new();
    let data = data.display();
    let run =
        format!("simulate --paper --data {data} --clients 2 --obs 2000 --int 20 --rounds 1 --json");
    let outcome = place.run(&run);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["rounds"].as_array().unwrap().len(), 1);
    assert_eq!(report["stop_reason"], "round_limit");
    assert!(report["shd"].as_u64().unwrap() < 60);
}
