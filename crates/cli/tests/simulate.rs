//! `fedcdi simulate` as a new user tries it.
#![allow(clippy::unwrap_used)]

mod place;
use place::Place;

/// Settings under which two clients learn a small chain in seconds, unoptimised.
const SPEC: &str = "\
clients = 2
split = 'vertical'

[data.generated]
vars = 5
categories = 3
obs = 3000
int = 1000
graph = { kind = 'chain' }

[coordinator]
rounds = 3

[local]
name = 'enco'
settings = { model_steps = 300, later_model_steps = 200, hidden = [16, 16] }
";

fn place() -> Place {
    let place = Place::new();
    place.file("spec.toml", SPEC);
    place
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn clients_with_different_interventions_find_one_graph() {
    let text = place().succeed("simulate --spec spec.toml --compare");
    for part in [
        "client-1",
        "client-2",
        "round",
        "federated",
        "all rows in one place",
        "client-2 alone",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn json_holds_rounds_clients_and_comparison() {
    let run = json(&place().succeed("simulate --spec spec.toml --compare --json"));
    for field in [
        "shd",
        "shd_raw",
        "precision",
        "recall",
        "f1",
        "auroc",
        "seconds",
    ] {
        assert!(run[field].is_number(), "{field} in {run}");
    }
    assert_eq!(run["shd"], 0, "{run}");
    let first = &run["rounds"][0];
    for field in ["shd", "entropy", "belief_change", "seconds"] {
        assert!(first[field].is_number(), "{field} in {first}");
    }
    let targets = |client: usize| run["clients"][client]["targets"].as_array().unwrap().len();
    assert_eq!(targets(0) + targets(1), 5);
    assert!(run["compare"]["centralised"]["shd"].is_number());
    assert_eq!(run["compare"]["isolated"].as_array().unwrap().len(), 2);
    assert!(run["stop_reason"].is_string());
}

#[test]
fn a_run_folder_runs_again_to_the_same_bytes_at_any_number_of_threads() {
    let place = place();
    place.succeed("simulate --spec spec.toml --seed 3 --out one");
    place.succeed_on_threads(1, "simulate --spec one/spec.toml --out two");
    let files = [
        "spec.toml",
        "run.json",
        "report.html",
        "belief.csv",
        "graph.json",
    ];
    place.assert_same("one", "two", &files);
}

#[test]
fn how_a_table_is_read_is_part_of_what_runs_again() {
    let place = place();
    let rows = |row: usize| match row % 4 {
        0 => format!("{0},{0},a", row % 3),
        1 => format!("{},?,", row % 3),
        _ => format!("{0},{0},", row % 3),
    };
    let rows: Vec<String> = (0..400).map(rows).collect();
    place.file("t.csv", &format!("a,b,treated\n{}\n", rows.join("\n")));
    place.succeed("simulate --data t.csv --clients 2 --rounds 1 --epochs 1 --missing drop --intervention-column treated --compare --out one");
    place.file("elsewhere/here.txt", "");
    place.succeed_in("elsewhere", "simulate --spec ../one/spec.toml --out ../two");
    place.assert_same("one", "two", &["spec.toml", "belief.csv", "report.html"]);
}

#[test]
fn data_of_a_spec_is_found_again_from_anywhere() {
    let place = place();
    place.succeed("generate --graph chain --vars 3 --obs 300 --int 90 --out study");
    let short = "clients = 2\ndata = { file = 'study' }\ncoordinator = { rounds = 1 }\n[local]\nname = 'enco'\n";
    place.file("short.toml", short);
    place.succeed("simulate --spec short.toml --epochs 1 --out one");
    place.file("elsewhere/here.txt", "");
    place.succeed_in("elsewhere", "simulate --spec ../one/spec.toml --out ../two");
    place.assert_same("one", "two", &["spec.toml", "belief.csv"]);
}

#[test]
fn a_study_folder_is_used_as_it_is() {
    let place = place();
    place.succeed("generate --graph chain --vars 5 --categories 3 --obs 3000 --int 1000 --out s");
    place.succeed("split s --clients 3 --out s3");
    let run = json(&place.succeed("simulate --data s3 --rounds 1 --epochs 1 --json"));
    assert_eq!(run["clients"].as_array().unwrap().len(), 3);
    assert_eq!(run["rounds"].as_array().unwrap().len(), 1);
}

#[test]
fn federations_that_cannot_be_are_refused() {
    let place = place();
    let refuse = |flags: &str, parts: &[&str]| {
        place.refuse(
            &format!("simulate --spec spec.toml --out run {flags}"),
            parts,
        );
    };
    refuse("--clients 1", &["at least 2 sites", "--clients"]);
    refuse("--clients 0", &["at least 2 sites"]);
    refuse(
        "--clients 2 --split 4/2",
        &["sum to 6", "5 intervened variables"],
    );
    refuse(
        "--clients 6 --split vertical",
        &["6 sites", "5 intervened variables"],
    );
    refuse("--aggregate proximity --beta 0", &["beta is 0", "> 0"]);
    refuse("--aggregate proximity --beta -1", &["beta is -1", "> 0"]);
    refuse("--beta 2", &["--aggregate proximity"]);
    refuse("--rounds 0", &["rounds is 0"]);
    place.file("typo.toml", "client = 2\n");
    place.refuse(
        "simulate --spec typo.toml",
        &["typo.toml", "line 1", "client", "clients"],
    );
    place.file("table.csv", "a,b\n0,1\n1,0\n");
    place.refuse("simulate --data table.csv", &["at least 2 sites"]);
    place.refuse(
        "simulate --data table.csv --split vertical",
        &["--split", "--clients K"],
    );
    place.file("set.csv", "a,b,intervention\n0,1,a\n1,0,b\n0,0,a\n1,1,b\n");
    place.refuse(
        "simulate --data set.csv --clients 2 --split horizontal",
        &["client-1", "enco cannot use", "methods that can", "gies"],
    );
}

#[test]
fn without_a_truth_graphs_are_compared_with_the_federated_one() {
    let place = place();
    place.succeed("generate --graph chain --vars 4 --obs 600 --int 400 --out t.csv");
    let run = "simulate --data t.csv --clients 2 --rounds 1 --epochs 1 --compare";
    let text = place.succeed(run);
    for part in ["in common", "all rows in one place", "client-2 alone"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("SHD"), "{text}");
    let compare = &json(&place.succeed(&format!("{run} --json")))["compare"];
    assert_eq!(compare["isolated"][1]["client"], "client-2");
    let count = |field: &str| compare["centralised"][field].as_u64().unwrap();
    assert!(
        count("common") + count("turned") <= count("edges"),
        "{compare}"
    );
}

#[test]
fn a_division_says_over_how_many_clients() {
    let place = place();
    place.succeed("generate --graph chain --vars 5 --obs 300 --int 200 --out s");
    place.succeed("split s --clients 2 --out s2");
    let spec = "data = { file = 's2' }\ncoordinator = { rounds = 1 }\nsplit = ";
    place.file("by.toml", &format!("{spec}'vertical'\n"));
    place.refuse(
        "simulate --spec by.toml",
        &["split", "add clients", "as they are"],
    );
    // Shares on the command line are as many as the clients.
    let run = "simulate --data s --rounds 1 --split 3/2 --epochs 1 --json";
    let run = json(&place.succeed(run));
    let targets = |at: usize| run["clients"][at]["targets"].as_array().unwrap().len();
    assert_eq!([targets(0), targets(1)], [3, 2]);
}

#[test]
fn a_folder_with_another_run_is_refused_before_the_work() {
    let place = place();
    let run = "simulate --spec spec.toml --rounds 1 --epochs 1 --out run";
    place.succeed(run);
    let belief = || std::fs::read(place.path("run/belief.csv")).unwrap();
    let before = belief();
    // Nothing on standard output: the run was never made.
    place.refuse(
        &format!("{run} --seed 7"),
        &["run: already exists", "--force"],
    );
    place.succeed(run);
    assert_eq!(belief(), before);
    place.succeed(&format!("{run} --seed 7 --force"));
    assert_ne!(belief(), before);
    place.file("here/spec.toml", SPEC);
    let here = place.run_in("here", "simulate --spec spec.toml --out .");
    assert_eq!((here.code, here.stdout.as_str()), (2, ""));
    assert!(here.stderr.contains("the folder that the program runs in"));
    place.file("afile", "");
    place.refuse(
        "simulate --spec spec.toml --out afile/run",
        &["afile: this is not a folder"],
    );
}

#[test]
fn data_comes_on_top_of_a_spec() {
    let place = place();
    place.succeed("generate --graph chain --vars 4 --obs 500 --int 400 --out other.npz");
    let run = "simulate --spec spec.toml --data other.npz --rounds 1 --json";
    let targets = |run: &str| {
        let run = json(&place.succeed(run));
        run["clients"][0]["targets"].as_array().unwrap().len()
    };
    assert_eq!(targets(run), 2);
    assert_eq!(targets(&format!("{run} --split horizontal")), 4);
}

#[test]
fn ten_clients_come_to_agree() {
    let run = "simulate --spec spec.toml --clients 10 --split horizontal --seed 1 --json";
    let run = json(&place().succeed(run));
    let entropy = |round: &serde_json::Value| round["entropy"].as_f64().unwrap();
    let rounds: Vec<f64> = run["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(entropy)
        .collect();
    assert!(rounds[0] > 0.1, "{rounds:?}");
    assert!(rounds[rounds.len() - 1] < rounds[0] / 2.0, "{rounds:?}");
}

#[test]
fn clients_that_fail_are_named_in_their_own_words() {
    let place = place();
    // So high a rate that no network survives its first steps.
    let rate = "hidden = [16, 16], model_rate = 1e30";
    place.file("fast.toml", &SPEC.replace("hidden = [16, 16]", rate));
    let outcome = place.run("simulate --spec fast.toml --out run");
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    for part in [
        "without client-1: training diverged",
        "0 usable answers, 1 are needed; site 1: training diverged",
        "lower the learning rate",
    ] {
        assert!(
            outcome.stderr.contains(part),
            "{part} in {}",
            outcome.stderr
        );
    }
    assert!(!place.path("run").exists());
}

#[test]
fn interventions_rule_out_edges_unless_that_is_ignored() {
    let place = place();
    let record =
        |folder: &str| json(&std::fs::read_to_string(place.path(folder).join("run.json")).unwrap());
    place.succeed("simulate --spec spec.toml --out used");
    let moves = &record("used")["moves"];
    assert_eq!(moves["sites"], 2, "{moves}");
    assert_eq!(moves["log_odds"].as_array().unwrap().len(), 5);
    assert!(
        !moves["ruled_out"].as_array().unwrap().is_empty(),
        "{moves}"
    );
    place.succeed("simulate --spec spec.toml --moves ignore --out ignored");
    assert!(record("ignored")["moves"].is_null());
    place.succeed("simulate --spec ignored/spec.toml --out again");
    place.assert_same("ignored", "again", &["spec.toml", "belief.csv", "run.json"]);
    let spec = std::fs::read_to_string(place.path("ignored/spec.toml")).unwrap();
    assert!(spec.contains("moves = \"ignore\""), "{spec}");
    place.succeed("simulate --spec ignored/spec.toml --moves use --out used-again");
    place.assert_same("used", "used-again", &["belief.csv", "graph.json"]);
    // The search alone is equal to pooling, and asks only if it is told to.
    let scored = "clients = 2\ndata = { generated = { vars = 4, categories = 3, obs = 900, int = 400, graph = { kind = 'chain' } } }\n[method]\nname = 'score'\n";
    place.file("score.toml", scored);
    place.succeed("simulate --spec score.toml --out score");
    assert!(record("score")["moves"].is_null());
    place.succeed("simulate --spec score.toml --moves use --out score-moves");
    assert_eq!(record("score-moves")["moves"]["sites"], 2);
}

#[test]
fn moves_are_used_or_ignored_and_nothing_of_a_rival() {
    let place = place();
    let refused = |arguments: &str, words: &str| {
        let outcome = place.run(arguments);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    };
    refused("simulate --moves never", "ignore");
    refused(
        "simulate --method gies --moves use",
        "--moves does not apply to gies",
    );
    place.file("bad.toml", "clients = 2\nmoves = 'never'\n");
    refused("simulate --spec bad.toml", "line 2");
    place.file("rival.toml", "moves = 'ignore'\n[method]\nname = 'gies'\n");
    refused("discover --spec rival.toml", "it does not apply to gies");
}
