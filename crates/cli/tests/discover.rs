//! `fedcdi discover` as a new user tries it.
#![allow(clippy::unwrap_used)]

mod place;

use std::fmt::Write as _;

use place::Place;

/// Settings that learn a small network in a second or two, unoptimised.
const QUICK: &str = "model_steps = 300\nlater_model_steps = 200\nhidden = [16, 16]\n";

/// Text categories, three variables in a chain of strong effects.
fn clinic() -> Place {
    let place = Place::new();
    let row = |a: &str, b: &str| format!("  ({a}) {b};\n");
    let table = |child: &str, parent: &str| {
        let rows = row("low", "0.9, 0.1") + &row("high", "0.2, 0.8");
        format!("probability ( {child} | {parent} ) {{\n{rows}}}\n")
    };
    let mut bif = String::from("network clinic {}\n");
    for name in ["dose", "marker", "outcome"] {
        bif += "variable ";
        bif += name;
        bif += " { type discrete [ 2 ] { low, high }; }\n";
    }
    bif += "probability ( dose ) {\n  table 0.6, 0.4;\n}\n";
    bif += &(table("marker", "dose") + &table("outcome", "marker"));
    place.file("clinic.bif", &bif).file("quick.toml", QUICK);
    place.succeed("generate --network clinic.bif --obs 3000 --int 600 --out clinic.csv");
    place.succeed("generate --network clinic.bif --obs 3000 --int 600 --out study");
    place
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_text_table_gives_its_edges_with_probabilities() {
    let place = clinic();
    let text = place.succeed("discover clinic.csv --settings quick.toml --rounds 3 --out run");
    for part in [
        "dose",
        "->",
        "marker",
        "outcome",
        "2 edges after 3 rounds",
        "written  run",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("against the truth"), "{text}");
    for file in [
        "run.json",
        "belief.csv",
        "probabilities.csv",
        "edges.csv",
        "graph.json",
        "graph.dot",
    ] {
        assert!(place.path("run").join(file).is_file(), "{file}");
    }
    let scores = place.succeed(
        "evaluate --truth clinic.bif --graph run/graph.json --belief run/belief.csv --json",
    );
    assert_eq!(json(&scores)["shd"], 0);
    // The matrix of probabilities is read as a graph, and has scores of its own.
    let same = place.succeed("evaluate --truth clinic.bif --graph run/probabilities.csv --json");
    assert_eq!(json(&same)["shd"], 0);
    let brier = json(&same)["brier"].as_f64().expect("a number");
    assert!(brier < 0.01, "{same}");
}

#[test]
fn rows_that_are_not_there_are_told() {
    let place = clinic();
    let command = "discover clinic.csv --settings quick.toml --rounds 3 --obs 1000000 --json";
    let outcome = place.run(command);
    let warning = "1000000 observational rows were asked for";
    assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
    assert_eq!(json(&outcome.stdout)["method"], "enco");
}

#[test]
fn data_that_a_method_cannot_use_is_refused_with_those_that_can() {
    let place = Place::new();
    place.file("always.csv", "a,b,intervention\n0,1,a\n1,0,b\n0,0,a\n");
    place.refuse(
        "discover always.csv",
        &[
            "enco cannot use this data",
            "no observational rows",
            "methods that can: ",
        ],
    );
}

#[test]
fn json_has_scores_only_where_the_truth_is_known() {
    let place = clinic();
    let known = json(&place.succeed("discover study --settings quick.toml --rounds 3 --json"));
    for field in [
        "shd",
        "shd_raw",
        "precision",
        "recall",
        "f1",
        "auroc",
        "edges",
        "seconds",
    ] {
        assert!(known[field].is_number(), "{field} in {known}");
    }
    let unknown =
        json(&place.succeed("discover clinic.csv --settings quick.toml --rounds 3 --json"));
    assert!(unknown["shd"].is_null() && unknown["auroc"].is_null());
    assert_eq!(unknown["edges"], 2);
}

#[test]
fn a_run_is_the_same_at_any_number_of_threads() {
    let place = clinic();
    place.succeed("discover study --settings quick.toml --rounds 3 --out one");
    place.succeed_on_threads(
        1,
        "discover study --settings quick.toml --rounds 3 --out two",
    );
    place.assert_same("one", "two", &["run.json", "belief.csv", "graph.json"]);
}

#[test]
fn knowledge_is_enforced() {
    let place = clinic();
    place.file(
        "known.toml",
        "forbidden = [[\"dose\", \"marker\"]]\nrequired = [[\"dose\", \"outcome\"]]\n",
    );
    let found = json(&place.succeed(
        "discover clinic.csv --settings quick.toml --rounds 3 --knowledge known.toml --json",
    ));
    let edges = found["graph"].as_array().unwrap();
    let has = |cause: &str, effect: &str| {
        edges
            .iter()
            .any(|e| e["cause"] == cause && e["effect"] == effect)
    };
    assert!(has("dose", "outcome") && !has("dose", "marker"), "{found}");
}

#[test]
fn knowledge_about_other_variables_names_its_file() {
    let place = clinic();
    place.file("known.toml", "required = [[\"dose\", \"outcom\"]]\n");
    for command in [
        "discover clinic.csv",
        "simulate --data clinic.csv --clients 2",
    ] {
        let outcome = place.run(&format!("{command} --knowledge known.toml"));
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        for part in ["known.toml", "outcom", "outcome"] {
            assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        }
    }
}

#[test]
fn without_interventions_there_is_a_warning_and_a_result() {
    let place = clinic();
    let outcome = place.run("discover clinic.csv --settings quick.toml --rounds 3 --int 0");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("no interventional rows"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn data_that_cannot_be_learned_from_is_refused() {
    let place = clinic();
    place.refuse(
        "discover clinic.csv --obs 0 --out run",
        &["no observational rows", "add rows"],
    );
    place.file("one.csv", "a\n0\n1\n");
    place.refuse("discover one.csv --out run", &["at least two"]);
    place.file("constant.csv", "a,b\n0,x\n1,x\n");
    place.refuse(
        "discover constant.csv --out run",
        &["\"b\"", "one category", "remove"],
    );
    place.refuse("discover clinic.csv --rounds 0 --out run", &["rounds is 0"]);
    place.file("bad.toml", "round = 3\n");
    place.refuse(
        "discover clinic.csv --settings bad.toml",
        &["bad.toml", "line 1", "round"],
    );
    place.file(
        "loop.toml",
        "required = [[\"dose\",\"marker\"],[\"marker\",\"dose\"]]\n",
    );
    place.refuse(
        "discover clinic.csv --knowledge loop.toml",
        &["dose -> marker"],
    );
}

#[test]
fn a_run_folder_runs_again_from_its_own_spec() {
    let place = clinic();
    place.file("known.toml", "forbidden = [[\"dose\", \"outcome\"]]\n");
    place.succeed(
        "discover clinic.csv --settings quick.toml --rounds 3 --knowledge known.toml --obs 2000 --seed 3 --out one",
    );
    place.succeed("discover study --method gies --int 50 --out by-gies");
    place.file(
        "hand.toml",
        "data = { file = \"clinic.csv\" }\nread = { schema = \"study/schema.json\" }\n[method]\nname = \"gies\"\n",
    );
    place.succeed("discover --spec hand.toml --out by-hand");
    // What was read from files beside the data is in the spec now.
    for file in ["quick.toml", "known.toml"] {
        std::fs::remove_file(place.path(file)).unwrap();
    }
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    for (run, files) in [
        (
            "one",
            &["spec.toml", "run.json", "belief.csv", "report.html"][..],
        ),
        (
            "by-hand",
            &["spec.toml", "run.json", "graph.json", "report.html"][..],
        ),
        (
            "by-gies",
            &["spec.toml", "run.json", "graph.json", "report.html"][..],
        ),
    ] {
        let again = format!("discover --spec ../{run}/spec.toml --out ../again-{run}");
        place.succeed_in("elsewhere", &again);
        place.assert_same(run, &format!("again-{run}"), files);
    }
}

#[test]
fn flags_come_on_top_of_a_spec() {
    let place = clinic();
    let spec = "seed = 3\ndata = { file = \"clinic.csv\" }\nknowledge = { required = [[\"dose\", \"outcome\"]] }\n";
    let enco =
        "[method]\nname = \"enco\"\nsettings = { epochs = 1, model_steps = 50, hidden = [8] }\n";
    place.file("spec.toml", &format!("{spec}{enco}"));
    let found = json(&place.succeed("discover --spec spec.toml --rounds 1 --epochs 2 --json"));
    let n_rounds = found["rounds"].as_array().unwrap().len();
    assert_eq!((n_rounds, &found["method"]), (1, &"enco".into()));
    assert!(found["shd"].is_null(), "a table has no truth");
    let found = json(&place.succeed("discover study --spec spec.toml --json"));
    assert!(
        found["shd"].is_number(),
        "the study comes in place of the table"
    );
    place.refuse(
        "discover --spec spec.toml --method gies",
        &["knowledge", "does not apply to gies"],
    );
    place.file(
        "gies.toml",
        "data = { file = \"study\" }\n[method]\nname = \"gies\"\n",
    );
    let found = json(&place.succeed("discover --spec gies.toml --method igsp --json"));
    assert_eq!(found["method"], "igsp");
    place.refuse(
        "discover --spec gies.toml --rounds 3",
        &["--rounds does not apply to gies"],
    );
    place.refuse(
        "discover --spec gies.toml --settings quick.toml",
        &["quick.toml, line 3: unknown field `hidden`"],
    );
}

#[test]
fn a_spec_that_cannot_be_run_says_what_it_lacks() {
    let place = clinic();
    place.file("empty.toml", "");
    place.refuse("discover --spec empty.toml", &["names no data", "file ="]);
    place.refuse("discover", &["PATH"]);
    place.file(
        "rate.toml",
        "[method]\nname = \"enco\"\n[method.settings]\nbatch = 0\n",
    );
    place.refuse(
        "discover clinic.csv --spec rate.toml",
        &["rate.toml, line 4", "batch is 0"],
    );
    place.file(
        "known.toml",
        "[knowledge]\nrequired = [[\"dose\", \"outcom\"]]\n",
    );
    place.refuse(
        "discover clinic.csv --spec known.toml",
        &["known.toml", "outcom"],
    );
    place.file("drawn.toml", "[data.generated]\nvars = 5\n");
    place.refuse(
        "discover --spec drawn.toml --missing drop",
        &["say how a table is read"],
    );
}

#[test]
fn what_inspect_warns_of_is_said_before_learning() {
    let place = Place::new();
    let mut table = "patient,a,b,intervention\n".to_owned();
    for row in 0..200 {
        let target = ["", "a", "b"][row % 3];
        let value = |name: &str| if target == name { 1 } else { row / 3 % 2 };
        writeln!(table, "p{row},{},{},{target}", value("a"), value("b")).unwrap();
    }
    place.file("t.csv", &table);
    let outcome = place.run("discover t.csv --method gies --json");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    json(&outcome.stdout);
    let said: Vec<&str> = outcome.stderr.lines().collect();
    for (line, part) in [
        (0, "patient has 200 categories"),
        (1, "rows under an intervention on a set it to \"1\""),
        (2, "1 more: fedcdi inspect t.csv"),
    ] {
        assert!(said[line].contains(part), "{}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("never"), "{}", outcome.stderr);
}

#[test]
fn generated_data_is_not_looked_at_twice() {
    let place = Place::new();
    let data = "[data.generated]\nvars = 3\nobs = 30\nint = 6\ngraph = { kind = 'chain' }\n";
    place.file("spec.toml", &format!("{data}[method]\nname = 'gies'\n"));
    let outcome = place.run("discover --spec spec.toml");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("inspect"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("rows under"), "{}", outcome.stderr);
}

#[test]
fn a_hundred_variables_are_searched_by_scores() {
    let place = Place::new();
    place.succeed(
        "generate --graph chain --vars 100 --categories 2 --obs 300 --int 500 --seed 1 --out wide",
    );
    let found = json(&place.succeed("discover wide --method score --json"));
    assert_eq!(found["method"], "score");
    assert!(found["search"]["numbers"].as_u64().unwrap() > 40_000);
}

/// Where two variables of eleven are set, what is not known is said before and after, and what to do next.
#[test]
fn what_interventions_leave_open_is_not_told() {
    let place = Place::new();
    place.succeed("generate --network sachs --targets PKC,Mek --obs 2000 --int 600 --out cells");
    let run = |more: &str| place.run(&format!("discover cells --method score --json{more}"));
    let outcome = run(" --out run");
    let before = "rows set 2 variables (Mek, PKC); directions among the other 9";
    assert!(outcome.stderr.contains(before), "{}", outcome.stderr);
    let found = json(&outcome.stdout);
    let edges = found["graph"].as_array().unwrap();
    let (mut n_open, mut n_told) = (0, 0);
    for edge in edges {
        let known = edge["known"].as_str().unwrap();
        let (along, joined) = (&edge["probability"], &edge["joined"]);
        let (along, joined) = (along.as_f64().unwrap(), joined.as_f64().unwrap());
        assert!(joined > 0.5, "{edge}");
        if edge["directed"] == true {
            assert!(along > 0.5 * joined, "{edge}");
            let is_set = ["cause", "effect"]
                .iter()
                .any(|end| edge[end] == "PKC" || edge[end] == "Mek");
            assert_eq!(known.starts_with("setting "), is_set, "{edge}");
            n_told += u32::from(known.ends_with("(300 rows)"));
        } else {
            assert!(known.starts_with("direction open ("), "{edge}");
            n_open += 1;
        }
    }
    assert!(n_open > 2 && n_told > 2, "{edges:?}");
    let csv = std::fs::read_to_string(place.path("run/edges.csv")).unwrap();
    assert_eq!(
        csv.lines().filter(|line| line.contains(",0,")).count(),
        n_open,
        "{csv}"
    );
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    let next = found["next"]["set"].as_str().unwrap();
    for part in [
        "direction known from",
        &format!("Next experiment: set {next}, in about "),
    ] {
        assert!(page.contains(part), "{part} is not in the report");
    }
    let other = json(&run(&format!(" --cannot-intervene {next}")).stdout);
    assert_ne!(other["next"]["set"], next, "{other}");
    assert_eq!(other["graph"], found["graph"]);
    place.refuse(
        "discover cells --method score --cannot-intervene PKX",
        &["cannot_set names \"PKX\"", "did you mean \"PK"],
    );
}
