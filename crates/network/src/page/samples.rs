//! Things to show, for tests.

use std::sync::Arc;
use std::time::Duration;

use fedcdi_core::{
    Belief, Choice, Dag, Digraph, KnowledgeFile, Round, RoundParams, SchemaHash, VarId,
};
use fedcdi_protocol::{
    Absence, Disclosure, Exchange, Moves, PlannedVariable, RoundRecord, StudyPlan, VERSION,
};

use super::study::{Asked, PartIn, Running, SiteRow, SoFar, Study};

/// Something that a page must not take for its own.
pub(super) const EVIL: &str = "<script>alert('\"x&')</script>";

pub(super) fn plan(name: &str, sites: &[&str], variables: &[&str]) -> Arc<StudyPlan> {
    let variable = |name: &&str| PlannedVariable {
        name: (*name).to_owned(),
        n_categories: Some(3),
    };
    Arc::new(StudyPlan {
        protocol: VERSION,
        name: name.to_owned(),
        sites: sites.iter().map(|name| (*name).to_owned()).collect(),
        variables: variables.iter().map(variable).collect(),
        schema: SchemaHash::from_bytes([0; 32]),
        seed: 5,
        local: Choice::named("enco"),
        rule: Choice::named("evidence"),
        exchange: Exchange::default(),
        rounds: RoundParams::default(),
        knowledge: KnowledgeFile::default(),
        disclosure: Disclosure::default(),
        score: None,
        moves: Moves::Ignore,
    })
}

pub(super) fn so_far(plan: &Arc<StudyPlan>) -> Arc<SoFar> {
    let n_vars = plan.variables.len();
    let dag = Dag::try_from(Digraph::from_edges(n_vars, [(VarId(0), VarId(1))])).unwrap();
    SoFar::new(plan, &Belief::uninformed(n_vars), &dag)
}

pub(super) fn record(round: u32) -> RoundRecord {
    RoundRecord {
        round: Round(round),
        n_answers: 3,
        n_absent: 1,
        belief_change: 0.375,
        consensus_entropy: 0.125,
        n_edges_raw: 2,
        n_edges: 1,
        n_pruned: 0,
        n_grafted: 0,
    }
}

/// In round 2, which began after 60 s and has 600 s: one site answered, one is at work, one is absent and
/// one was never heard.
pub(super) fn study() -> Study {
    let names = ["basel", "bern", "chur", "genf"];
    let plan = plan("hearts", &names, &["smoke", "cancer"]);
    let mut study = Study {
        digest: plan.digest().to_string(),
        so_far: Some(so_far(&plan)),
        plan: Some(plan),
        deadline: Duration::from_mins(10),
        quorum: 2,
        running: Some(Running {
            number: 2,
            asked: Asked::Round(2),
            since: Duration::from_mins(1),
        }),
        rounds: vec![record(1)],
        n_records: 17,
        head: "0123abcd".repeat(8),
        ..Study::default()
    };
    let parts = [
        (PartIn::Answered, true, Some(70)),
        (PartIn::Waiting, true, Some(75)),
        (PartIn::Absent(Absence::Failed), false, Some(40)),
        (PartIn::None, false, None),
    ];
    for (name, (part, connected, heard)) in names.iter().zip(parts) {
        let mut row = SiteRow::new(name);
        (row.part, row.connected) = (part, connected);
        row.heard = heard.map(Duration::from_secs);
        row.joined = heard.is_some();
        study.sites.push(row);
    }
    study
}
