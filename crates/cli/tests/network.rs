//! A study between processes: real TLS on loopback, and parties that are killed.
#![allow(clippy::unwrap_used)]

mod parties;
mod place;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parties::{Group, LONGEST, Party, SITES, same_as_expected, study, study_with, wait_for};
use place::Place;

#[test]
fn a_study_between_processes_comes_to_what_a_simulation_does() {
    as_simulated("refine = \"never\"\n[coordinator]\nrounds = 5\n");
}

#[test]
fn a_study_that_ends_with_sums_comes_to_what_a_simulation_does() {
    as_simulated("refine = \"usual\"\nmoves = \"use\"\n[coordinator]\nrounds = 3\n");
}

fn as_simulated(settings: &str) {
    let place = Place::new();
    study_with(&place, settings);
    // Who is there first does not matter.
    let mut parties = vec![Party::site(&place, SITES[0])];
    parties.push(Party::coordinator(&place));
    parties.extend(SITES[1..].iter().map(|name| Party::site(&place, name)));
    wait_for(&mut parties);
    same_as_expected(&place);
}

const README: &str = include_str!("../../../README.md");

/// The commands of a section of the README.
fn commands_of(section: &str) -> String {
    let (_, rest) = README.split_once(&format!("\n## {section}\n")).unwrap();
    let (_, rest) = rest.split_once("```sh\n").unwrap();
    rest.split_once("\n```").unwrap().0.to_owned()
}

#[test]
fn the_commands_of_the_readme_come_to_what_a_simulation_does() {
    let place = Place::new();
    let commands = commands_of("Between institutions");
    // They name their port: one run of this test at a time on a machine.
    let lock = File::create(std::env::temp_dir().join("fedcdi-readme.lock")).unwrap();
    lock.lock().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_fedcdi")).parent().unwrap();
    let others = std::env::var("PATH").unwrap();
    let file = |name: &str| File::create(place.path(name)).unwrap();
    let mut shell = Command::new("bash");
    shell
        .args(["-e", "-c", &commands])
        .env("PATH", format!("{}:{others}", program.display()))
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(file("output.txt"))
        .stderr(file("words.txt"));
    let (mut shell, start) = (Group::start(&mut shell), Instant::now());
    let words = || fs::read_to_string(place.path("words.txt")).unwrap();
    let status = loop {
        if let Some(status) = shell.0.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < LONGEST, "it goes on: {}", words());
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{}", words());
    let output = fs::read_to_string(place.path("output.txt")).unwrap();
    assert!(output.contains("round 5"), "no audit: {output}");
    let same = "simulate --data study --seed 2 --rounds 5 --refine never --moves ignore";
    assert!(
        README.contains(same),
        "the README has another command for the same bytes"
    );
    place.succeed(&format!("{same} --out expected"));
    same_as_expected(&place);
}

/// Makes the kits again, with so many seconds for a question.
fn with_deadline(place: &Place, seconds: u32) {
    let text = fs::read_to_string(place.path("study.toml")).unwrap();
    place.file("study.toml", &format!("deadline = {seconds}\n{text}"));
    fs::remove_dir_all(place.path("kits")).unwrap();
    place.succeed("provision study.toml --out kits");
}

#[test]
fn a_site_that_stays_away_is_waited_for_until_the_deadline() {
    let place = Place::new();
    study_with(&place, "refine = \"never\"\n[coordinator]\nrounds = 3\n");
    with_deadline(&place, 2);
    let start = Instant::now();
    let mut parties = vec![Party::coordinator(&place)];
    parties.extend(SITES[..3].iter().map(|name| Party::site(&place, name)));
    wait_for(&mut parties);
    // Once: who does not join is not asked in the rounds.
    let seconds = start.elapsed().as_secs_f64();
    assert!((2.0..30.0).contains(&seconds), "{seconds}");
    // The result is that of the others.
    fs::remove_file(place.path("study/client-4.csv")).unwrap();
    place.succeed("simulate --spec spec.toml --out without");
    let files = ["belief.csv", "probabilities.csv", "graph.json"];
    place.assert_same("ledger/result", "without", &files);
    place.assert_same("state-client-1/result", "without", &files);
    let record = fs::read_to_string(place.path("ledger/result/run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    for round in record["rounds"].as_array().unwrap() {
        assert_eq!(round["n_answers"], 3, "{round}");
    }
}

#[test]
fn too_few_sites_are_waited_for_beyond_the_deadline() {
    let place = Place::new();
    study_with(
        &place,
        "refine = \"never\"\n[coordinator]\nrounds = 2\nquorum = 1.0\n",
    );
    with_deadline(&place, 1);
    let mut parties = vec![Party::coordinator(&place)];
    parties.extend(SITES[..3].iter().map(|name| Party::site(&place, name)));
    std::thread::sleep(Duration::from_secs(4));
    assert!(!parties.iter_mut().any(Party::has_ended));
    parties.push(Party::site(&place, SITES[3]));
    wait_for(&mut parties);
    same_as_expected(&place);
}

/// What a kill adds to the time that a study may take.
const PER_KILL: Duration = Duration::from_millis(500);

/// Rounds that nothing ends before their number is reached, with methods that take little time.
fn long_study(rounds: usize) -> String {
    format!(
        "refine = \"never\"\n[coordinator]\nrounds = {rounds}\ntolerance = 0.0\ngraph_patience = {}\n[local]\n\
         name = \"enco\"\nsettings = {{ epochs = 1, model_steps = 50, later_model_steps = 50, hidden = [8] }}\n",
        rounds + 1
    )
}

#[expect(clippy::print_stderr, reason = "measurements are for people")]
/// Kills parties so often, each at another moment, and starts them again. The study is long enough to be
/// still running then.
fn killed(n_kills: usize) {
    let place = Place::new();
    // Undisturbed parties need less time for a round than passes between two kills.
    study_with(&place, &long_study(4 * n_kills));
    let begin = |at: usize| match at {
        0 => Party::coordinator(&place),
        site => Party::site(&place, SITES[site - 1]),
    };
    let mut parties: Vec<Party> = (0..5).map(begin).collect();
    let longest = LONGEST + n_kills as u32 * PER_KILL;
    let (start, mut of_each, mut random) = (Instant::now(), [0; 5], 12345_u64);
    for n_killed in 0..n_kills {
        // A linear congruence is random enough for moments and victims.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        std::thread::sleep(Duration::from_millis(10 + (random >> 33) % 90));
        let at = (random >> 45) as usize % 5;
        assert!(!parties[at].has_ended(), "over after {n_killed} kills");
        parties[at].kill();
        parties[at] = begin(at);
        of_each[at] += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    while !parties.iter_mut().all(Party::has_ended) {
        assert!(start.elapsed() < longest, "the study takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
    eprintln!(
        "{of_each:?} kills of coordinator and sites in {seconds:.1} s, the end after {:.1} s",
        start.elapsed().as_secs_f64()
    );
    same_as_expected(&place);
}

#[test]
fn parties_that_are_killed_lose_nothing() {
    killed(100);
}

#[test]
#[ignore = "minutes: run by hand"]
fn parties_that_are_killed_five_hundred_times_lose_nothing() {
    killed(500);
}

#[test]
fn a_stranger_and_a_second_process_are_turned_away() {
    let place = Place::new();
    study(&place);
    fs::rename(place.path("kits"), place.path("first")).unwrap();
    place.succeed("provision study.toml --out kits");
    let _coordinator = Party::coordinator(&place);
    let _site = Party::site(&place, SITES[0]);
    std::thread::sleep(Duration::from_millis(500));
    // Of another set of kits: its certificate is of another authority.
    let output = |kit: &Path| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
            .args([
                "site",
                "--data",
                "study/client-1.csv",
                "--policy",
                "policy.toml",
                "--state",
                "other",
            ])
            .arg(kit)
            .current_dir(place.path(""))
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        child.kill().unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
    };
    let text = output(&place.path("first/client-1"));
    assert!(
        text.contains("cannot be reached") && text.contains("ertificate"),
        "{text}"
    );
    fs::remove_dir_all(place.path("other")).unwrap();
    let text = output(&place.path("kits/client-1"));
    assert!(
        text.contains("another process with this kit takes part"),
        "{text}"
    );
}
