//! A disk that says it could not keep something: the party says so and ends, nothing was acknowledged that
//! a power cut could take, and after another start the study comes to the same bytes.
//!
//! The calls of a real process are made to fail by strace. Where that cannot be, the tests say so and do
//! nothing.
#![allow(clippy::unwrap_used)]

mod parties;
mod place;

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parties::{Group, LONGEST, Party, SITES, same_as_expected, study, wait_for};
use place::Place;

/// Of folders and files of a result, and of journals.
const SAVING: [&str; 2] = ["fsync", "fdatasync"];
const COORDINATOR: [&str; 4] = ["coordinator", "kits/coordinator", "--state", "ledger"];
const SITE: [&str; 8] = [
    "site",
    "kits/client-1",
    "--data",
    "study/client-1.csv",
    "--policy",
    "policy.toml",
    "--state",
    "state-client-1",
];

#[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
fn has_strace() -> bool {
    let tried = Command::new("strace")
        .args([
            "-f",
            "-o",
            "/dev/null",
            "-e",
            "inject=fsync:error=EIO:when=1",
            "true",
        ])
        .stderr(Stdio::null())
        .status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: strace is not there or may not trace; install strace to run this test");
    }
    works
}

/// A call and its number in every thread of a process.
type Call = (&'static str, usize);

/// A party whose calls are written to `calls.*`, a file per thread. The call `failing` fails.
fn traced(place: &Place, args: &[&str], failing: Option<Call>) -> Group {
    for file in calls(place) {
        fs::remove_file(file).unwrap();
    }
    let mut strace = Command::new("strace");
    strace.args(["-ff", "-y", "-s", "0", "-o", "calls", "-e"]);
    strace.arg(format!("trace=write,{}", SAVING.join(",")));
    if let Some((call, number)) = failing {
        let rule = format!("inject={call}:error=EIO:when={number}");
        strace.args(["-e", &rule]);
    }
    strace
        .arg(env!("CARGO_BIN_EXE_fedcdi"))
        .args(args)
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(place.path("words.txt")).unwrap());
    Group::start(&mut strace)
}

/// Files of calls, that of the first thread first.
fn calls(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.path("")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let thread = |path: &PathBuf| -> Option<u32> {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix("calls.")?.parse().ok()
    };
    let mut files: Vec<PathBuf> = paths.filter(|path| thread(path).is_some()).collect();
    files.sort_by_key(thread);
    files
}

/// What a process did with its journal.
#[derive(Debug, Default)]
struct Journal {
    /// The length of every record that it wrote, first those of its first thread.
    written: Vec<usize>,
    /// The length of the one that was written and could not be made safe.
    lost: Option<usize>,
    /// Calls that failed, of whatever file.
    n_failed: usize,
}

fn journal(place: &Place) -> Journal {
    let mut journal = Journal::default();
    for file in calls(place) {
        let mut last = None;
        for line in fs::read_to_string(file).unwrap().lines() {
            let has_failed = line.contains("(INJECTED)");
            journal.n_failed += usize::from(has_failed);
            if !line.contains("/journal>") {
                continue;
            }
            if has_failed {
                journal.lost = last;
            } else if line.starts_with("write(") {
                let n_bytes = line.rsplit("= ").next().unwrap().parse().unwrap();
                journal.written.push(n_bytes);
                last = Some(n_bytes);
            }
        }
    }
    journal
}

/// The process ends by itself with exit code 1, and says what failed, where, and what to do.
fn ends_with(place: &Place, child: &mut Group, parts: &[&str]) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < LONGEST, "it goes on with a failing disk");
        std::thread::sleep(Duration::from_millis(20));
    };
    let words = fs::read_to_string(place.path("words.txt")).unwrap();
    assert_eq!(status.code(), Some(1), "{words}");
    for part in parts.iter().chain([&"Input/output error"]) {
        assert!(words.contains(part), "{part:?} is not in: {words}");
    }
    assert!(!words.contains("panicked"), "{words}");
}

/// A power cut takes what was not made safe.
fn cut_power(journal: &Path, lost: Option<usize>) {
    let file = OpenOptions::new().write(true).open(journal).unwrap();
    let len = file.metadata().unwrap().len();
    file.set_len(len - lost.unwrap_or(0) as u64).unwrap();
}

/// Everything that `witnesses` were told to be safe is in the journal; how many of them were told something.
fn holds_what_was_acknowledged(place: &Place, state: &str, witnesses: &[String]) -> usize {
    let notes = |witness: &&String| {
        let text = fs::read_to_string(place.path(witness)).unwrap_or_default();
        let owner = if state == "ledger" {
            "coordinator"
        } else {
            "site 1 "
        };
        text.lines().any(|line| line.starts_with(owner))
    };
    let told: Vec<&String> = witnesses.iter().filter(notes).collect();
    for witness in &told {
        place.succeed(&format!("audit {state} --witness {witness}"));
    }
    told.len()
}

fn begin_again(place: &Place) {
    for folder in ["ledger", SITES[0], SITES[1], SITES[2], SITES[3]] {
        for folder in [folder.to_owned(), format!("state-{folder}")] {
            let _ = fs::remove_dir_all(place.path(&folder));
        }
    }
}

fn others(place: &Place) -> Vec<Party> {
    SITES[1..]
        .iter()
        .map(|name| Party::site(place, name))
        .collect()
}

/// Which call fails, what the last words name, and whether a record was written and not safe.
type Case = (Call, &'static [&'static str], bool);

#[test]
fn a_coordinator_that_cannot_save_acknowledges_nothing_and_goes_on_later() {
    if !has_strace() {
        return;
    }
    let place = Place::new();
    study(&place);
    let in_journal: &[&str] = &[
        "ledger/journal: ",
        "free or replace the disk and start again",
    ];
    let in_result: &[&str] = &["ledger", "check the disk and the permissions"];
    let in_folder: &[&str] = &["ledger: ", "check the disk and the permissions"];
    let [files, journals] = SAVING;
    let cases: [Case; 6] = [
        ((files, 1), in_folder, false),
        // The owner of the journal, and that the study began.
        ((journals, 2), in_folder, true),
        ((journals, 3), in_folder, true),
        // Answers, of whichever thread is there first.
        ((journals, 4), in_journal, true),
        ((journals, 6), in_journal, true),
        ((files, 6), in_result, false),
    ];
    for (failing, parts, is_lost) in cases {
        // A power cut takes only what was not safe.
        for has_power in [true, false].into_iter().take(1 + usize::from(is_lost)) {
            begin_again(&place);
            let mut parties = others(&place);
            parties.push(Party::site(&place, SITES[0]));
            let mut failed = traced(&place, &COORDINATOR, Some(failing));
            ends_with(&place, &mut failed, parts);
            let Journal { lost, n_failed, .. } = journal(&place);
            // The first failure was the last call: nobody tries once more.
            assert_eq!((n_failed, lost.is_some()), (1, is_lost), "{failing:?}");
            let file = place.path("ledger/journal");
            if !has_power {
                cut_power(&file, lost);
            }
            let witnesses = SITES.map(|name| format!("state-{name}/heads.csv"));
            let n_told = holds_what_was_acknowledged(&place, "ledger", &witnesses);
            let is_under_way = parts != in_folder;
            assert_eq!(n_told > 0, is_under_way, "{failing:?}");
            // What was there to be read is written again, before anything else.
            let mut again = traced(&place, &COORDINATOR, None);
            wait_for(&mut parties);
            assert!(again.0.wait().unwrap().success());
            if has_power && let Some(lost) = lost {
                assert_eq!(journal(&place).written[0], lost, "{failing:?}");
            }
            same_as_expected(&place);
        }
    }
}

#[test]
fn a_site_that_cannot_save_sends_nothing_and_goes_on_later() {
    if !has_strace() {
        return;
    }
    let place = Place::new();
    study(&place);
    let in_journal: &[&str] = &[
        "state-client-1/journal: ",
        "free or replace the disk and start again",
    ];
    let in_files: &[&str] = &["state-client-1", "check the disk and the permissions"];
    let [files, journals] = SAVING;
    let cases: [Case; 5] = [
        ((files, 1), in_files, false),
        // The owner; two answers.
        ((journals, 2), in_files, true),
        ((journals, 3), in_journal, true),
        ((journals, 5), in_journal, true),
        ((files, 6), in_files, false),
    ];
    for (failing, parts, is_lost) in cases {
        // A power cut takes only what was not safe.
        for has_power in [true, false].into_iter().take(1 + usize::from(is_lost)) {
            begin_again(&place);
            let mut parties = others(&place);
            parties.push(Party::coordinator(&place));
            let mut failed = traced(&place, &SITE, Some(failing));
            ends_with(&place, &mut failed, parts);
            let Journal { lost, n_failed, .. } = journal(&place);
            assert_eq!((n_failed, lost.is_some()), (1, is_lost), "{failing:?}");
            if !has_power {
                cut_power(&place.path("state-client-1/journal"), lost);
            }
            let witness = ["ledger/heads.csv".to_owned()];
            let n_told = holds_what_was_acknowledged(&place, "state-client-1", &witness);
            let is_under_way = parts == in_journal || failing.1 == 6;
            assert_eq!(n_told > 0, is_under_way, "{failing:?}");
            parties.push(Party::site(&place, SITES[0]));
            wait_for(&mut parties);
            same_as_expected(&place);
        }
    }
}
