//! A disk that is full in mid-study: the party says so and ends, nothing that was acknowledged is lost, and
//! with more room it goes on to the same bytes.
//!
//! The disk is a small one in memory, which only root can make; elsewhere the tests do nothing.
#![allow(clippy::unwrap_used)]

mod parties;
mod place;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use parties::{LONGEST, Party, SITES, run_all, same_as_expected, study, wait_for};
use place::Place;

/// A disk that ends with this value.
struct Disk(PathBuf);

impl Disk {
    /// Of so many kilobytes at this folder; none where nobody may make one.
    fn new(folder: &Path, kilobytes: usize) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let size = format!("size={kilobytes}k");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(folder);
        let made = mount.stderr(Stdio::null()).status();
        let is_made = made.is_ok_and(|status| status.success());
        is_made.then(|| Self(folder.to_owned()))
    }

    fn grow(&self) {
        let mut mount = Command::new("mount");
        mount.args(["-o", "remount,size=8m"]).arg(&self.0);
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// A party whose words are kept.
fn begin(place: &Place, args: &str) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
        .args(args.split_whitespace())
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(place.path("words.txt")).unwrap())
        .spawn();
    child.unwrap()
}

fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("it goes on with a full disk");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The party ends with exit code 1, and says why.
fn says_that_the_disk_is_full(place: &Place, child: &mut Child) {
    let status = ended(child);
    let words = fs::read_to_string(place.path("words.txt")).unwrap();
    assert_eq!(status.code(), Some(1), "{words}");
    for part in [
        "the journal cannot be read or written: ",
        "free or replace the disk and start again",
        "No space left on device",
    ] {
        // Lines are broken where they are long.
        let words = words.split_whitespace().filter(|word| *word != "│");
        let words = words.collect::<Vec<_>>().join(" ");
        assert!(words.contains(part), "{words}");
    }
    assert!(!words.contains("panicked"), "{words}");
}

#[test]
fn a_coordinator_with_a_full_disk_ends_and_goes_on_with_more_room() {
    let place = Place::new();
    study(&place);
    let Some(disk) = Disk::new(&place.path("ledger"), 20) else {
        return;
    };
    // Full again at once the second time: it does not take what it cannot keep.
    for _ in 0..2 {
        let mut coordinator = begin(&place, "coordinator kits/coordinator --state ledger");
        let _sites = SITES.map(|name| Party::site(&place, name));
        says_that_the_disk_is_full(&place, &mut coordinator);
    }
    disk.grow();
    run_all(&place);
    same_as_expected(&place);
}

#[test]
fn a_site_with_a_full_disk_ends_and_goes_on_with_more_room() {
    let place = Place::new();
    study(&place);
    let Some(disk) = Disk::new(&place.path("state-client-1"), 8) else {
        return;
    };
    let mut parties = vec![Party::coordinator(&place)];
    parties.extend(SITES[1..].iter().map(|name| Party::site(&place, name)));
    let site =
        "site kits/client-1 --data study/client-1.csv --policy policy.toml --state state-client-1";
    let mut site = begin(&place, site);
    says_that_the_disk_is_full(&place, &mut site);
    disk.grow();
    parties.push(Party::site(&place, SITES[0]));
    wait_for(&mut parties);
    same_as_expected(&place);
}
