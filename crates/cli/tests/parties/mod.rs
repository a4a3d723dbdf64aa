//! A study of four sites, and its parties as processes on this machine.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program uses what it needs"
)]

use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::Place;

pub const SITES: [&str; 4] = ["client-1", "client-2", "client-3", "client-4"];
pub const LONGEST: Duration = Duration::from_mins(2);

/// A study of four sites with its kits, and what a simulation of it comes to.
pub fn study(place: &Place) {
    study_with(place, "refine = \"never\"\n[coordinator]\nrounds = 5\n");
}

/// The same with these settings.
pub fn study_with(place: &Place, settings: &str) {
    place.succeed("generate --vars 6 --categories 3 --obs 800 --int 600 --seed 1 --out all");
    place.succeed("split all --clients 4 --by vertical --out study");
    let sites = SITES.map(|name| format!("{name:?}")).join(", ");
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let text = format!(
        "name = \"demo\"\nsites = [{sites}]\nschema = \"study/schema.json\"\naddress = \"127.0.0.1:{port}\"\nseed = 2\n{settings}"
    );
    fs::write(place.path("study.toml"), text).unwrap();
    fs::write(place.path("policy.toml"), "rounds = 10000\ncount = true\n").unwrap();
    place.succeed("provision study.toml --out kits");
    // What a study does not say, it does not ask; a simulation does.
    let moves = if settings.contains("moves") {
        ""
    } else {
        "moves = \"ignore\"\n"
    };
    let spec = format!("seed = 2\ndata = {{ file = \"study\" }}\n{moves}{settings}");
    fs::write(place.path("spec.toml"), spec).unwrap();
    place.succeed("simulate --spec spec.toml --out expected");
}

/// A party as a process of its own, which ends with this value.
pub struct Party(pub Child);

impl Party {
    pub fn start(place: &Place, args: &[&str]) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
            .args(args)
            .current_dir(place.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    pub fn coordinator(place: &Place) -> Self {
        Self::start(
            place,
            &["coordinator", "kits/coordinator", "--state", "ledger"],
        )
    }

    pub fn site(place: &Place, name: &str) -> Self {
        let (kit, data) = (format!("kits/{name}"), format!("study/{name}.csv"));
        let (state, policy) = (format!("state-{name}"), "policy.toml");
        Self::start(
            place,
            &[
                "site", &kit, "--data", &data, "--policy", policy, "--state", &state,
            ],
        )
    }

    pub fn has_ended(&mut self) -> bool {
        match self.0.try_wait().unwrap() {
            None => false,
            Some(status) => {
                assert!(status.success(), "a party ended with {status}");
                true
            }
        }
    }

    pub fn kill(&mut self) {
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

/// A process with all that it started, which end with this value.
pub struct Group(pub Child);

impl Group {
    pub fn start(command: &mut Command) -> Self {
        Self(command.process_group(0).spawn().unwrap())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut kill = Command::new("kill");
        let all = format!("-{}", self.0.id());
        // After a good end nothing is left to kill.
        let _ = kill.args(["-9", "--", &all]).stderr(Stdio::null()).status();
        let _ = self.0.wait();
    }
}

/// Runs the study of four sites to its end.
pub fn run_all(place: &Place) {
    let mut parties = vec![Party::coordinator(place)];
    parties.extend(SITES.iter().map(|name| Party::site(place, name)));
    wait_for(&mut parties);
}

pub fn wait_for(parties: &mut [Party]) {
    let start = Instant::now();
    while !parties.iter_mut().all(Party::has_ended) {
        assert!(start.elapsed() < LONGEST, "the study takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn same_as_expected(place: &Place) {
    for file in ["belief.csv", "probabilities.csv", "graph.json"] {
        let read = |folder: &str| fs::read(place.path(folder).join(file)).unwrap();
        assert!(read("ledger/result") == read("expected"), "{file} differs");
        for name in SITES {
            let own = read(&format!("state-{name}/result"));
            assert!(own == read("expected"), "{file} of {name} differs");
        }
    }
}
