//! `fedcdi simulate --baseline ..` as a new user tries it.
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
        "generate --graph chain --vars 5 --categories 3 --obs 4000 --int 2000 --seed 2 --out study",
    );
    place
}

#[test]
fn clients_vote_on_what_each_found() {
    let place = study();
    let command = "simulate --data study --clients 2 --split vertical --baseline gies --compare";
    let found = json(&place.succeed(&format!("{command} --json")));
    assert_eq!(found["method"], "gies");
    assert_eq!(found["stop_reason"], "converged");
    assert!(found["shd"].as_u64().unwrap() <= 2, "{found}");
    let compare = &found["compare"];
    assert!(compare["centralised"]["shd"].as_u64().unwrap() <= 1);
    // What a client found before the vote is what it finds alone.
    for client in 0..2 {
        let own = &found["clients"][client]["shd"];
        assert_eq!(own, &compare["isolated"][client]["shd"]);
    }
    let text = place.succeed(command);
    for part in [
        "votes",
        "by vote",
        "all rows in one place",
        "client-2 alone",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_federated_baseline_runs_among_the_clients_and_again_from_its_folder() {
    let place = study();
    place.succeed("simulate --data study --clients 2 --baseline notears --out one");
    let again = place.succeed("simulate --spec one/spec.toml --out two --json");
    assert_eq!(json(&again)["method"], "notears");
    place.assert_same("one", "two", &["spec.toml", "run.json", "graph.json"]);
    // Settings of a file take the place of those of the spec.
    place.file("some.toml", "sparsity = 0.1\n");
    place.succeed("simulate --spec one/spec.toml --settings some.toml --out three");
    let three = std::fs::read_to_string(place.path("three/spec.toml")).unwrap();
    assert!(three.contains("sparsity = 0.1"), "{three}");
    // A study that FedCDI was run on can be given to a baseline.
    place.file("fedcdi.toml", "clients = 2\n[data]\nfile = \"study\"\n");
    let other = place.succeed("simulate --spec fedcdi.toml --baseline notears --json");
    assert_eq!(json(&other)["shd"], json(&again)["shd"]);
}

#[test]
fn running_out_of_iterations_is_never_silent() {
    let place = study();
    place.file("short.toml", "iterations = 2\n");
    for command in [
        "simulate --data study --clients 2 --baseline notears --settings short.toml",
        "discover study --method notears --settings short.toml",
    ] {
        let outcome = place.run(&format!("{command} --json --out run --force"));
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert_eq!(json(&outcome.stdout)["stop_reason"], "iteration_limit");
        assert!(outcome.stderr.contains("raise iterations"));
        // Files spell it as the object does.
        let record = std::fs::read_to_string(place.path("run/run.json")).unwrap();
        assert_eq!(json(&record)["stop_reason"], "iteration_limit");
    }
}

#[test]
fn columns_without_content_are_left_out() {
    let place = study();
    place.file("short.toml", "iterations = 2\n");
    let command = "simulate --data study --baseline notears --settings short.toml";
    let text = place.succeed(&format!("{command} --clients 2"));
    assert!(!text.contains("votes"), "{text}");
    place.succeed("generate --graph chain --vars 5 --categories 3 --obs 400 --int 0 --out seen");
    let text = place.succeed("simulate --data seen --clients 2 --baseline gies");
    assert!(
        text.contains("no targets") && !text.contains("0:"),
        "{text}"
    );
}

#[test]
fn what_a_baseline_cannot_use_is_refused() {
    let place = study();
    let command = "simulate --data study --clients 2 --baseline gies";
    place.refuse(
        &format!("{command} --rounds 3"),
        &["--rounds does not apply to gies", "--method enco"],
    );
    place.refuse(&format!("{command} --aggregate naive"), &["--aggregate"]);
    place.refuse(
        "simulate --data study --baseline gies",
        &["at least 2 sites"],
    );
    place.refuse(
        "simulate --data study --clients 2 --baseline igsp --obs 0",
        &["client-1: igsp cannot use this data"],
    );
}

#[test]
fn the_client_that_cannot_take_part_is_named() {
    let place = Place::new();
    place
        .file("two/a.csv", "x,y,intervention\n0,0,\n1,1,\n0,1,\n")
        .file(
            "two/b.csv",
            "x,y,intervention\n0,0,x\n1,1,y\n0,1,x\n1,0,y\n",
        )
        .file("s.toml", "rows = \"observational\"");
    place.refuse(
        "simulate --data two --baseline feddag --settings s.toml",
        &["b: feddag cannot use this data", "no observational rows"],
    );
}
