//! A study between processes: real TLS on loopback, and parties that are killed.
#![allow(clippy::unwrap_used)]

mod place;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use place::Place;

const SITES: [&str; 4] = ["client-1", "client-2", "client-3", "client-4"];
const LONGEST: Duration = Duration::from_mins(2);

/// A study of four sites with its kits, and what a simulation of it comes to.
fn study(place: &Place) {
    place.succeed("generate --vars 6 --categories 3 --obs 800 --int 600 --seed 1 --out all");
    place.succeed("split all --clients 4 --by vertical --out study");
    let sites = SITES.map(|name| format!("{name:?}")).join(", ");
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let text = format!(
        "name = \"demo\"\nsites = [{sites}]\nschema = \"study/schema.json\"\naddress = \"127.0.0.1:{port}\"\nseed = 2\n[coordinator]\nrounds = 5\n"
    );
    fs::write(place.path("study.toml"), text).unwrap();
    fs::write(place.path("policy.toml"), "").unwrap();
    place.succeed("provision study.toml --out kits");
    let spec = "seed = 2\ndata = { file = \"study\" }\n[coordinator]\nrounds = 5\n";
    fs::write(place.path("spec.toml"), spec).unwrap();
    place.succeed("simulate --spec spec.toml --out expected");
}

/// A party as a process of its own, which ends with this value.
struct Party(Child);

impl Party {
    fn start(place: &Place, args: &[&str]) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
            .args(args)
            .current_dir(place.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    fn coordinator(place: &Place) -> Self {
        Self::start(
            place,
            &["coordinator", "kits/coordinator", "--state", "ledger"],
        )
    }

    fn site(place: &Place, name: &str) -> Self {
        let (kit, data) = (format!("kits/{name}"), format!("study/{name}.csv"));
        let (state, policy) = (format!("state-{name}"), "policy.toml");
        Self::start(
            place,
            &[
                "site", &kit, "--data", &data, "--policy", policy, "--state", &state,
            ],
        )
    }

    fn has_ended(&mut self) -> bool {
        match self.0.try_wait().unwrap() {
            None => false,
            Some(status) => {
                assert!(status.success(), "a party ended with {status}");
                true
            }
        }
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn same_as_expected(place: &Place) {
    for file in ["belief.csv", "probabilities.csv", "graph.json"] {
        let read = |folder: &str| fs::read(place.path(folder).join(file)).unwrap();
        assert!(read("ledger/result") == read("expected"), "{file} differs");
    }
}

#[test]
fn a_study_between_processes_comes_to_what_a_simulation_does() {
    let place = Place::new();
    study(&place);
    // Who is there first does not matter.
    let mut parties = vec![Party::site(&place, SITES[0])];
    parties.push(Party::coordinator(&place));
    parties.extend(SITES[1..].iter().map(|name| Party::site(&place, name)));
    let start = Instant::now();
    while !parties.iter_mut().all(Party::has_ended) {
        assert!(start.elapsed() < LONGEST, "the study takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
    same_as_expected(&place);
}

/// Kills parties again and again, each at another moment, and starts them again.
fn killed(n_kills: usize) {
    let place = Place::new();
    study(&place);
    let begin = |at: usize| match at {
        0 => Party::coordinator(&place),
        site => Party::site(&place, SITES[site - 1]),
    };
    let mut parties: Vec<Party> = (0..5).map(begin).collect();
    let (start, mut n_killed, mut random) = (Instant::now(), 0, 12345_u64);
    while !parties[0].has_ended() {
        assert!(start.elapsed() < LONGEST, "the study takes too long");
        // A linear congruence is random enough for moments and victims.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        std::thread::sleep(Duration::from_millis(10 + (random >> 33) % 90));
        let at = (random >> 45) as usize % 5;
        if n_killed < n_kills && !parties[at].has_ended() {
            parties[at].kill();
            parties[at] = begin(at);
            n_killed += 1;
        }
    }
    assert!(n_killed > n_kills / 2, "only {n_killed} were killed");
    same_as_expected(&place);
}

#[test]
fn parties_that_are_killed_lose_nothing() {
    killed(20);
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
