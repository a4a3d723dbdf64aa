//! What people can check: what would leave, what left, and whether a record is whole; and a study by courier.
#![allow(clippy::unwrap_used)]

mod parties;
mod place;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use parties::{LONGEST, Party, SITES, run_all, same_as_expected, study, wait_for};
use place::Place;
use serde_json::Value;

fn audit(place: &Place, folder: &str) -> Value {
    let told = place.run(&format!("audit {folder} --json"));
    assert_eq!(told.code, 0, "{}", told.stderr);
    serde_json::from_str(&told.stdout).unwrap()
}

/// What left a site: kind, bytes, digest.
fn left(audit: &Value) -> Vec<(String, u64, String)> {
    let entries = audit["entries"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let answer = |entry: &Value| {
        let answer = &entry["answer"];
        let bytes = answer["bytes"].as_u64().unwrap();
        (text(&answer["kind"]), bytes, text(&answer["digest"]))
    };
    entries.map(answer).collect()
}

#[test]
fn a_rehearsal_shows_what_leaves() {
    let place = Place::new();
    study(&place);
    let site =
        "site kits/client-1 --data study/client-1.csv --policy policy.toml --state state-client-1";
    let told = place.run(&format!("{site} --dry-run account"));
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.stdout.contains("nothing was sent"), "{}", told.stdout);
    assert!(
        !place.path("state-client-1").exists(),
        "a rehearsal keeps nothing"
    );
    run_all(&place);
    let left = left(&audit(&place, "state-client-1"));
    let page = fs::read_to_string(place.path("account/what-would-leave.html")).unwrap();
    // Until other sites have changed the belief, it is the same to the byte.
    for (at, file) in ["00-join.bin", "01-round-1.bin"].into_iter().enumerate() {
        let bytes = fs::read(place.path("account").join(file)).unwrap();
        let (_, n_bytes, digest) = &left[at];
        assert_eq!(bytes.len() as u64, *n_bytes, "{file}");
        assert!(page.contains(digest.as_str()), "{file}: {digest}");
    }
    // Every kind of answer was shown.
    assert!(page.contains("At the end") && page.contains("Round 2"));
    let table = fs::read_to_string(place.path("account/01-round-1.csv")).unwrap();
    let n_numbers = table.lines().count() - 1;
    assert_eq!(left[1].0, format!("{n_numbers} numbers"));
    assert_eq!(table.lines().nth(1), Some("1,\"the number 1\",1,1"));
    // Terms travel in steps of 2^-28.
    let terms = table.lines().filter(|line| line.contains("\"term "));
    for line in terms {
        let numbers = line.rsplit_once("\",").unwrap().1.split_once(',').unwrap();
        let (value, sent): (f64, f64) = (numbers.0.parse().unwrap(), numbers.1.parse().unwrap());
        assert_eq!(value * f64::from(1 << 28), sent, "{line}");
    }
    // A second one may take its place, and nothing else is overwritten.
    place.succeed(&format!("{site} --dry-run account"));
    fs::write(place.path("account/notes.txt"), "mine").unwrap();
    let again = place.run(&format!("{site} --dry-run account"));
    assert!(again.code == 2 && place.path("account/notes.txt").exists());
}

#[test]
fn an_audit_finds_every_change_and_what_was_cut_off() {
    let place = Place::new();
    study(&place);
    run_all(&place);
    let whole = audit(&place, "ledger");
    assert!(
        whole["owner"]
            .as_str()
            .unwrap()
            .starts_with("coordinator of study ")
    );
    // What a site sent is what the coordinator took.
    let sent = left(&audit(&place, "state-client-2"));
    let taken = whole["entries"].as_array().unwrap().iter();
    let taken: Vec<&str> = taken
        .filter(|entry| entry["site"] == 2)
        .map(|entry| entry["answer"]["digest"].as_str().unwrap())
        .collect();
    assert_eq!(
        taken,
        sent.iter().map(|(.., d)| d.as_str()).collect::<Vec<_>>()
    );
    let text = place.run("audit state-client-2").stdout;
    assert!(
        text.contains("asked: round 1") && text.contains("left: "),
        "{text}"
    );

    let bytes = fs::read(place.path("ledger/journal")).unwrap();
    fs::create_dir(place.path("copy")).unwrap();
    let with = |bytes: &[u8]| {
        fs::write(place.path("copy/journal"), bytes).unwrap();
        place
            .run("audit copy --witness state-client-1/heads.csv --witness state-client-3/heads.csv")
    };
    let sound = with(&bytes);
    assert!(
        sound.code == 0 && sound.stdout.contains("notes of other parties agree"),
        "{}",
        sound.stderr
    );
    for at in (0..bytes.len()).step_by(bytes.len() / 20) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let found = with(&changed);
        assert!(
            found.code == 1 && found.stderr.contains("damaged at byte"),
            "{}",
            found.stderr
        );
    }
    // The last three records are gone: only other parties know.
    let short = {
        let mut ends = vec![0];
        while let Some(head) = bytes[ends[ends.len() - 1]..].first_chunk::<4>() {
            ends.push(ends[ends.len() - 1] + 52 + u32::from_le_bytes(*head) as usize);
        }
        &bytes[..ends[ends.len() - 4]]
    };
    let found = with(short);
    assert_eq!(found.code, 1, "{}", found.stdout);
    assert!(
        found
            .stderr
            .contains("Records were cut off or written anew"),
        "{}",
        found.stderr
    );
    place.refuse(
        "audit nowhere",
        &["there is no journal here", "state folder"],
    );
    place.refuse(
        "audit ledger --witness ledger/heads.csv",
        &["no line is about the coordinator"],
    );
    // The coordinator is witness to the sites.
    place.succeed("audit state-client-4 --witness ledger/heads.csv");
}

/// Sites whose machines have no network, and somebody who carries files.
#[test]
fn a_study_by_courier_comes_to_the_same() {
    let place = Place::new();
    study(&place);
    // Two sites connect themselves; the files of the others are carried.
    let arguments = [
        "coordinator",
        "kits/coordinator",
        "--state",
        "ledger",
        "--courier",
        "mail",
    ];
    let mut parties = vec![Party::start(&place, &arguments)];
    parties.extend(SITES[..2].iter().map(|name| Party::site(&place, name)));
    let (start, mut carried) = (Instant::now(), BTreeMap::<&str, usize>::new());
    while !parties.iter_mut().all(Party::has_ended) {
        assert!(start.elapsed() < LONGEST, "the study takes too long");
        std::thread::sleep(Duration::from_millis(20));
        for name in &SITES[2..] {
            let question = place.path(&format!("mail/{name}.question"));
            if !question.exists() || place.path(&format!("mail/{name}.answer")).exists() {
                continue;
            }
            if carried.get(name) == Some(&2) {
                // Rubbish is put aside, and the question stays.
                fs::write(place.path(&format!("mail/{name}.answer")), "rubbish").unwrap();
            } else {
                place.succeed(&format!(
                    "site kits/{name} --data study/{name}.csv --policy policy.toml --state state-{name} --offline mail/{name}.question mail/{name}.answer"
                ));
            }
            *carried.entry(name).or_default() += 1;
        }
    }
    same_as_expected(&place);
    assert!(place.path("mail/client-3.refused").exists());
    assert!(
        !place.path("mail/client-3.question").exists(),
        "nothing is asked any more"
    );
}

#[test]
fn logs_are_json_where_asked_for() {
    let place = Place::new();
    study(&place);
    let log = fs::File::create(place.path("log")).unwrap();
    let coordinator = std::process::Command::new(env!("CARGO_BIN_EXE_fedcdi"))
        .args([
            "coordinator",
            "kits/coordinator",
            "--state",
            "ledger",
            "--log",
            "json",
        ])
        .current_dir(place.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(log)
        .spawn();
    let mut parties = vec![Party(coordinator.unwrap())];
    parties.extend(SITES.iter().map(|name| Party::site(&place, name)));
    wait_for(&mut parties);
    let log = fs::read_to_string(place.path("log")).unwrap();
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kinds: Vec<String> = lines
        .map(|line| line["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds[0], "listening");
    for kind in ["connected", "round", "aggregated", "finished"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind}: {kinds:?}");
    }
}
