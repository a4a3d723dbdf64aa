//! `--method sdi|dcdi` and `--local sdi|dcdi` as a new user tries them.
#![allow(clippy::unwrap_used)]

mod place;
use place::Place;

const SDI: &str = "model_steps = 100\nbatch = 64\n";
const DCDI: &str = "max_iterations = 900\niterations_per_round = 300\nhidden = [8]\n";

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn study() -> Place {
    let place = Place::new();
    place.succeed(
        "generate --graph chain --vars 4 --categories 3 --obs 1500 --int 800 --seed 2 --out study",
    );
    place.file("sdi.toml", SDI).file("dcdi.toml", DCDI);
    place
}

fn federation(name: &str, settings: &str) -> String {
    format!(
        "clients = 2\n[data.generated]\nvars = 4\ncategories = 3\nobs = 1000\nint = 400\n\
         graph = {{ kind = 'chain' }}\n[coordinator]\nrounds = 2\n\
         [local]\nname = '{name}'\nsettings = {{ {settings} }}\n"
    )
}

#[test]
fn both_are_listed_with_what_they_need() {
    let text = Place::new().succeed("methods");
    for part in ["sdi", "dcdi", "Ke et al. 2019", "Brouillard et al. 2020"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn discover_runs_both_and_is_the_same_at_any_number_of_threads() {
    let place = study();
    for method in ["sdi", "dcdi"] {
        // DCDI counts iterations.
        let rounds = if method == "sdi" { " --rounds 2" } else { "" };
        let command = format!("discover study --method {method} --settings {method}.toml{rounds}");
        let found = json(&place.succeed(&format!("{command} --json")));
        assert!(found["shd"].is_number() && found["oriented"] == true);
        place.succeed(&format!("{command} --out {method}-a"));
        place.succeed_on_threads(1, &format!("{command} --out {method}-b"));
        let (a, b) = (format!("{method}-a"), format!("{method}-b"));
        place.assert_same(&a, &b, &["run.json", "belief.csv", "graph.json"]);
    }
}

#[test]
fn running_out_of_iterations_is_never_silent() {
    let place = study();
    let outcome = place.run("discover study --method dcdi --settings dcdi.toml --json --out run");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(json(&outcome.stdout)["stop_reason"], "iteration_limit");
    assert!(outcome.stderr.contains("raise max_iterations"));
    let record = std::fs::read_to_string(place.path("run/run.json")).unwrap();
    assert_eq!(json(&record)["stop_reason"], "iteration_limit");
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("raise max_iterations"));
}

#[test]
fn without_interventions_every_warning_is_shown_in_the_words_of_its_method() {
    let place = study();
    place.succeed("generate --vars 4 --degree 1 --categories 2 --obs 100 --int 0 --out observed");
    let warned = |method: &str| {
        let settings = if method == "dcdi" {
            " --settings dcdi.toml"
        } else {
            ""
        };
        let outcome = place.run(&format!("discover observed --method {method}{settings}"));
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        outcome.stderr
    };
    let dcdi = warned("dcdi");
    assert_eq!(
        dcdi.matches("most directions stay open").count(),
        1,
        "{dcdi}"
    );
    assert!(dcdi.contains("raise max_iterations"), "{dcdi}");
    let gies = warned("gies");
    assert!(gies.contains("may point either way"), "{gies}");
    assert!(!gies.contains("most directions stay open"), "{gies}");
}

#[test]
fn clients_that_run_out_of_iterations_are_counted() {
    let place = Place::new();
    let settings = "iterations_per_round = 300, hidden = [8]";
    place.file("dcdi.toml", &federation("dcdi", settings));
    let outcome = place.run("simulate --spec dcdi.toml --rounds 1 --out run");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let warning = "2 of 2 sites ran out of iterations in their last round";
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains(warning));
    // Where no cycle is possible, there is nothing to run out of.
    place.file("tiers.toml", "tiers = [['X1'], ['X2'], ['X3'], ['X4']]\n");
    let outcome = place.run("simulate --spec dcdi.toml --rounds 1 --knowledge tiers.toml");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("ran out"), "{}", outcome.stderr);
    // It stays at the clients: nothing of it is in what the coordinator leaves.
    let record = std::fs::read_to_string(place.path("run/run.json")).unwrap();
    assert!(!record.contains("unfinished"), "{record}");
}

#[test]
fn a_federation_runs_both_with_every_aggregator() {
    let place = Place::new();
    place
        .file(
            "sdi.toml",
            &federation("sdi", "model_steps = 50, episodes = 4"),
        )
        .file(
            "dcdi.toml",
            &federation("dcdi", "iterations_per_round = 300, hidden = [8]"),
        );
    for method in ["sdi", "dcdi"] {
        for aggregate in ["evidence", "naive", "proximity", "median"] {
            let command =
                format!("simulate --spec {method}.toml --aggregate {aggregate} --json --compare");
            let run = json(&place.succeed(&command));
            assert_eq!(run["rounds"].as_array().unwrap().len(), 2, "{run}");
            assert_eq!(run["compare"]["isolated"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn local_names_the_method_and_a_run_can_be_repeated() {
    let place = Place::new();
    place.file(
        "dcdi.toml",
        &federation("dcdi", "iterations_per_round = 300"),
    );
    // Settings of the method that is asked for stay; those of another give way to defaults.
    place.succeed("simulate --spec dcdi.toml --local dcdi --out one");
    place.succeed("simulate --spec one/spec.toml --out two");
    place.assert_same("one", "two", &["run.json", "belief.csv", "spec.toml"]);
    let spec = std::fs::read_to_string(place.path("one/spec.toml")).unwrap();
    assert!(spec.contains("name = \"dcdi\"") && spec.contains("iterations_per_round = 300"));
    place.succeed("simulate --spec dcdi.toml --local sdi --epochs 1 --rounds 1 --out three");
    let spec = std::fs::read_to_string(place.path("three/spec.toml")).unwrap();
    assert!(spec.contains("name = \"sdi\"") && spec.contains("epochs = 1"));
}

#[test]
fn what_a_method_has_no_use_for_is_refused() {
    let place = study();
    place
        .file("wrong.toml", "sharpnes = 2.0\n")
        .file("range.toml", "penalty = -1.0\n")
        .file("mine.toml", &federation("dcdi", "max_iterations = 9"));
    place.refuse(
        "discover study --method sdi --settings wrong.toml",
        &["did you mean `sharpness`", "docs/baselines.md"],
    );
    place.refuse(
        "discover study --method dcdi --settings range.toml",
        &["penalty is -1; it must be > 0"],
    );
    place.refuse(
        "discover study --method dcdi --epochs 3",
        &[
            "does not apply to dcdi, which counts iterations",
            "leave it out",
        ],
    );
    place.refuse(
        "simulate --data study --clients 2 --local dcdi --epochs 3",
        &["iterations_per_round"],
    );
    place.refuse("simulate --spec mine.toml", &["max_iterations"]);
    place.succeed("generate --vars 4 --degree 1 --categories 2 --obs 100 --int 0 --out observed");
    place.refuse(
        "discover observed --method sdi",
        &["no interventional rows", "use ENCO"],
    );
}
