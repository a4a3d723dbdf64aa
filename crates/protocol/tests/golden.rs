//! A new version of the program reads the journals of an earlier one: studies that are running go on after
//! an upgrade, and those that are over can be checked.
//!
//! Each folder of `tests/golden` has a study of three toy sites: its plan, the journals of its coordinator
//! and of its first site, and the result. If this test fails, journals of studies that are running cannot
//! be used any more. Then the version of the protocol changes too, and the changelog says so. Only after
//! that, write the folders again, all of them or one:
//!
//! ```text
//! FEDCDI_GOLDEN=all cargo test -p fedcdi-protocol --test golden
//! FEDCDI_GOLDEN=sums cargo test -p fedcdi-protocol --test golden
//! ```
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use fedcdi_core::{Belief, ClientId, Dag};
use fedcdi_protocol::audit::{Audit, What};
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::journal::Chain;
use fedcdi_protocol::rules::{self, Evidence};
use fedcdi_protocol::{
    Coordinator, InProcess, Outcome, Receipt, RoundRecord, Scored, Site, Start, StudyPlan,
};
use serde_json::{Value, json};
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_moves, with_rounds, with_scores, with_tests};

/// A study as it was recorded.
struct Recorded {
    plan: String,
    coordinator: Vec<u8>,
    site: Vec<u8>,
    result: Value,
}

/// Name, plan, and who misses what.
type Study = (&'static str, StudyPlan, BTreeSet<(u32, ClientId)>);

/// The studies that are recorded.
fn studies() -> [Study; 2] {
    let plan = |n_vars| with_rounds(with_tests(plan_by::<Evidence>(n_vars, 3)), 2);
    let sums = with_moves(with_scores(plan(3), Start::Belief));
    [
        ("rounds", plan(4), [(2, ClientId(3))].into()),
        ("sums", sums, BTreeSet::new()),
    ]
}

fn file(study: &str, name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(study).join(name)
}

/// Runs the study of a plan.
fn recorded(plan: StudyPlan, dropped: BTreeSet<(u32, ClientId)>) -> Recorded {
    let world = World::new(plan);
    let disks: Vec<Disk> = (0..=3).map(|_| Disk::default()).collect();
    let mut coordinator = world.coordinator(&disks[0]);
    let site = |id: ClientId| world.site(id, &disks[id.0 as usize]);
    let mut sites: Vec<Site> = world.ids().map(site).collect();
    let carrier = InProcess {
        dropped,
        ..InProcess::default()
    };
    let outcome = carrier.run(&mut coordinator, &mut sites, &mut |_| {});
    Recorded {
        plan: world.plan.to_text(),
        coordinator: disks[0].content(),
        site: disks[1].content(),
        result: result(&outcome.unwrap()),
    }
}

/// What a study came to, number by number.
fn result(outcome: &Outcome) -> Value {
    let Outcome {
        belief,
        dag,
        stop,
        rounds,
        scored,
        moved,
        ..
    } = outcome;
    let rows = |logits: &ndarray::Array2<f64>| -> Vec<Vec<f64>> {
        logits.outer_iter().map(|row| row.to_vec()).collect()
    };
    let logits = [Belief::existence, Belief::orientation].map(|of| rows(of(belief)));
    let round = |record: &RoundRecord| {
        let counts = [record.n_answers, record.n_absent, record.n_edges];
        json!([record.round.0, counts, record.belief_change])
    };
    json!({
        "existence": logits[0],
        "orientation": logits[1],
        "edges": edges(dag),
        "stop": format!("{stop:?}"),
        "rounds": rounds.iter().map(round).collect::<Vec<_>>(),
        "scored": scored.as_ref().map(summary),
        "moved": moved.as_ref().map(|moved| rows(&moved.odds)),
    })
}

fn edges(dag: &Dag) -> Vec<[usize; 2]> {
    dag.edges()
        .map(|(cause, effect)| [cause.0, effect.0])
        .collect()
}

fn summary(scored: &Scored) -> Value {
    let Scored {
        gains,
        score,
        n_questions,
        n_sites,
        has_ended,
        ..
    } = scored;
    json!({
        "gains": gains,
        "score": score,
        "questions": n_questions,
        "sites": n_sites,
        "has_ended": has_ended,
    })
}

fn write(study: &str, recorded: &Recorded) {
    fs::create_dir_all(file(study, "")).unwrap();
    let result = serde_json::to_string_pretty(&recorded.result).unwrap() + "\n";
    fs::write(file(study, "plan.json"), format!("{}\n", recorded.plan)).unwrap();
    fs::write(file(study, "coordinator.journal"), &recorded.coordinator).unwrap();
    fs::write(file(study, "site-1.journal"), &recorded.site).unwrap();
    fs::write(file(study, "result.json"), result).unwrap();
}

fn read(study: &str) -> Recorded {
    let bytes = |name| fs::read(file(study, name)).unwrap();
    let text = |name| String::from_utf8(bytes(name)).unwrap();
    Recorded {
        plan: text("plan.json").trim().to_owned(),
        coordinator: bytes("coordinator.journal"),
        site: bytes("site-1.journal"),
        result: serde_json::from_str(&text("result.json")).unwrap(),
    }
}

/// The recorded studies; written first if somebody wants that.
fn all() -> Vec<(&'static str, StudyPlan, Recorded)> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = std::env::var("FEDCDI_GOLDEN").unwrap_or_default();
    let study = |(name, plan, dropped)| {
        if wanted == "all" || wanted == name {
            write(name, &recorded(plan, dropped));
        }
        let recorded = read(name);
        let plan = StudyPlan::from_text(&recorded.plan).unwrap();
        (name, plan, recorded)
    };
    studies().into_iter().map(study).collect()
}

fn open(plan: &StudyPlan, journal: &[u8]) -> (Coordinator, Disk) {
    let disk = Disk::with(journal);
    let coordinator = Coordinator::open(plan.clone(), &rules::standard(), disk.store());
    (coordinator.unwrap(), disk)
}

#[test]
fn plans_are_named_as_before() {
    for (name, plan, recorded) in all() {
        // Their digest is that of their text, and every message carries it.
        assert_eq!(plan.to_text(), recorded.plan, "{name}");
    }
}

#[test]
fn ledgers_are_replayed_to_their_result() {
    for (name, plan, recorded) in all() {
        let (coordinator, disk) = open(&plan, &recorded.coordinator);
        let outcome = coordinator.end().unwrap().unwrap();
        assert_eq!(result(outcome), recorded.result, "{name}");
        assert_eq!(disk.content(), recorded.coordinator, "{name}");
        let searched = outcome.scored.as_ref().map(|scored| scored.has_ended);
        assert_eq!(searched, (name == "sums").then_some(true), "{name}");
    }
}

#[test]
fn ledgers_that_end_at_any_record_go_on() {
    for (name, plan, recorded) in all() {
        let records = Chain::of(&recorded.coordinator).unwrap().links;
        let mut len = 0;
        for at in 0..records.len() {
            // Length, time and check before the body, and a hash after it.
            len += 20 + records[at].body.len() + 32;
            let (mut coordinator, disk) = open(&plan, &recorded.coordinator[..len]);
            for record in &records[at + 1..] {
                match Input::decode(record.body).unwrap() {
                    Input::Received { site, answer } => {
                        let receipt = coordinator.receive(site, &answer).unwrap();
                        assert!(matches!(receipt, Receipt::Taken(_)), "{name}: {receipt:?}");
                    }
                    input => drop(coordinator.apply(&input).unwrap()),
                }
            }
            assert_eq!(disk.content(), recorded.coordinator, "{name}, record {at}");
            let outcome = coordinator.end().unwrap().unwrap();
            assert_eq!(result(outcome), recorded.result, "{name}, record {at}");
        }
    }
}

#[test]
fn sites_have_their_answers_and_the_result() {
    for (name, plan, recorded) in all() {
        let world = World::new(plan.clone());
        let (id, disk) = (ClientId(1), Disk::with(&recorded.site));
        let site = Site::open(plan, &rules::standard(), world.data(id), disk.store()).unwrap();
        let told = result(&site.outcome().expect(name));
        assert_eq!(told, recorded.result, "{name}");
        assert_eq!(disk.content(), recorded.site, "{name}");
        // What it sent is what the coordinator has.
        let audit = Audit::of(&recorded.coordinator).unwrap();
        let received = audit.entries.iter().filter_map(|entry| match &entry.what {
            What::Received { site: 1, answer } => Some(answer.digest),
            _ => None,
        });
        let sent = site
            .answers()
            .map(|(_, bytes)| fedcdi_protocol::Digest::of(bytes));
        assert!(received.eq(sent), "{name}");
    }
}
