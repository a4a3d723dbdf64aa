//! `fedcdi reproduce`, on an experiment of seconds.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

mod place;
use place::Place;

/// Files that depend on the results alone.
const SHOWN: [&str; 3] = ["index.html", "smoke.svg", "summary.csv"];

#[test]
fn a_killed_run_resumes_to_the_same_page() {
    let place = Place::new();
    let said = place.succeed("reproduce smoke --seeds 2 --jobs 2 --out whole");
    assert!(
        said.contains("jobs     24") && said.contains("index.html"),
        "{said}"
    );
    let results = place.path("killed/results.jsonl");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("fedcdi"))
        .args(["reproduce", "smoke", "--seeds", "2", "--jobs", "1", "--out"])
        .arg(place.path("killed"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || fs::read_to_string(&results).map_or(0, |text| text.lines().count());
    let start = Instant::now();
    while lines() < 2 {
        assert!(start.elapsed() < Duration::from_secs(50), "no results");
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // A kill in the middle of a write leaves a line without its end.
    let mut file = fs::OpenOptions::new().append(true).open(&results).unwrap();
    file.write_all(b"{\"format\":3,\"fedcdi\":\"0.1").unwrap();
    drop(file);
    let done = lines() - 1;
    let said = place.succeed("reproduce smoke --seeds 2 --jobs 2 --resume --out killed");
    assert!(said.contains(&format!("{done} done before")), "{said}");
    place.assert_same("whole", "killed", &SHOWN);
    assert_eq!(lines(), 24);
    place.succeed("reproduce smoke --seeds 2 --resume --out killed");
    assert_eq!(lines(), 24);
    let runs = fs::read_to_string(place.path("killed/runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 25);
    let page = fs::read_to_string(place.path("killed/index.html")).unwrap();
    for part in [
        "<section id=\"smoke\"",
        "naive (paper)",
        "difference, raw SHD",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("Not finished") && !page.contains("NaN"));
}

#[test]
fn the_list_names_experiments_figures_and_costs() {
    let said = Place::new().succeed("reproduce list");
    for part in [
        "horizontal-data",
        "clients-dividing",
        "table 1",
        "CPU time",
        "20 seeds",
        "all",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    assert!(!said.contains("smoke"), "{said}");
}

#[test]
fn what_cannot_be_run_is_refused() {
    let place = Place::new();
    place.refuse("reproduce roundz", &["roundz", "did you mean rounds?"]);
    place.refuse("reproduce smoke --seeds 0", &["--seeds is 0", "at least 1"]);
    place.refuse("reproduce smoke --jobs 0", &["--jobs is 0"]);
    place.refuse("reproduce smoke list", &["there is no experiment \"list\""]);
    place.file("file", "not a folder");
    place.refuse(
        "reproduce smoke --out file/in",
        &["file/in", "cannot be written", "--out"],
    );
    place.file("study/schema.json", "{}");
    place.refuse(
        "reproduce smoke --out study",
        &["study: this folder holds a study", "--out"],
    );
    place.file("old/results.jsonl", "{\"format\":0}\n");
    place.refuse(
        "reproduce smoke --out old",
        &["results already", "--resume"],
    );
    place.refuse(
        "reproduce smoke --resume --out old",
        &["line 1", "format 0", "--out"],
    );
    place.file("bad/results.jsonl", "{\"format\":3}\n");
    place.refuse(
        "reproduce smoke --resume --out bad",
        &["results.jsonl, line 1", "delete the line"],
    );
}
