//! What moves what, in whole runs: paths that cancel, and sites that do not tell.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use fedcdi_core::choice::Params as _;
use fedcdi_core::{
    Choice, Dag, Dataset, DatasetBuilder, Digraph, Regime, Schema, Seed, VarId, Variable,
};
use fedcdi_data::Study;
use fedcdi_protocol::Moves;
use fedcdi_score::SearchParams;
use fedcdi_study::{RunResult, Spec, Watchers, run};
use rand::{Rng, RngExt};

const CAUSE: VarId = VarId(0);
const FIRST: VarId = VarId(1);
const VIA: VarId = VarId(2);
const LAST: VarId = VarId(3);

fn truth() -> Dag {
    let edges = [
        (CAUSE, FIRST),
        (FIRST, VIA),
        (FIRST, LAST),
        (VIA, LAST),
        (CAUSE, LAST),
    ];
    Dag::try_from(Digraph::from_edges(4, edges)).unwrap()
}

/// FIRST -> LAST cancels FIRST -> VIA -> LAST exactly, and CAUSE makes FIRST and LAST go together all the same.
/// With x for +-1: P(VIA = FIRST) = 0.9, so E(VIA | FIRST) = 0.8 FIRST, and
/// P(LAST = 1) = 0.5 + 0.1 VIA - 0.08 FIRST + 0.3 CAUSE.
fn row(set: Option<VarId>, rng: &mut impl Rng) -> [u16; 4] {
    let sign = |code: u16| 2.0 * f64::from(code) - 1.0;
    let mut row = [0; 4];
    for var in [CAUSE, FIRST, VIA, LAST] {
        let copies = |of: VarId, p: f64| if row[of.0] == 1 { p } else { 1.0 - p };
        let p = match var {
            var if set == Some(var) => 0.5,
            FIRST => copies(CAUSE, 0.95),
            VIA => copies(FIRST, 0.9),
            LAST => {
                let [cause, first, via, _] = row.map(sign);
                0.5 + 0.1 * via - 0.08 * first + 0.3 * cause
            }
            _ => 0.5,
        };
        row[var.0] = u16::from(rng.random_bool(p));
    }
    row
}

fn table(seed: u64, n_observational: usize, targets: &[VarId]) -> Dataset {
    let names = ["cause", "first", "via", "last"];
    let schema = Schema::new(names.map(|name| Variable::with_codes(name, 2)).to_vec()).unwrap();
    let mut builder = DatasetBuilder::with_capacity(Arc::new(schema), 0);
    let mut rng = Seed::new(seed).derive("rows", 0).rng();
    for _ in 0..n_observational {
        builder
            .push(&row(None, &mut rng), &Regime::Observational)
            .unwrap();
    }
    for target in targets {
        let regime = Regime::intervened([*target]);
        for _ in 0..5000 {
            builder
                .push(&row(Some(*target), &mut rng), &regime)
                .unwrap();
        }
    }
    builder.finish().unwrap()
}

fn found(study: &Study, spec: &Spec) -> RunResult {
    run(study, spec, Watchers::default()).unwrap()
}

#[test]
fn an_edge_that_a_path_cancels_is_not_lost() {
    let all = table(1, 20_000, &[CAUSE, FIRST, VIA, LAST]);
    let sites = vec![
        table(2, 10_000, &[CAUSE, FIRST]),
        table(3, 10_000, &[VIA, LAST]),
    ];
    let studies = [
        Study::pooled(all, Some(truth())),
        Study::divided(sites, Some(truth())),
    ];
    for (study, moves) in studies
        .iter()
        .flat_map(|study| [(study, Moves::Use), (study, Moves::Ignore)])
    {
        let by_scores = Choice::named(SearchParams::NAME);
        for method in [by_scores, Spec::default().method] {
            let run = found(
                study,
                &Spec {
                    method,
                    moves: Some(moves),
                    ..Spec::default()
                },
            );
            let shd = run.scores.as_ref().unwrap().graph.shd;
            assert_eq!(shd, 0, "{} {moves:?} {:?}", run.method, run.dag);
            let Some(moved) = run.moved() else {
                assert_eq!(moves, Moves::Ignore);
                continue;
            };
            // Without the guard it would be: nothing moves at the end of the two ways.
            let odds = moved.odds[(FIRST.0, LAST.0)];
            assert!(odds < -moved.needed(), "{odds}");
            assert!(!run.ruled_out().contains(&(FIRST, LAST)));
            // What really rests is ruled out.
            assert!(run.ruled_out().contains(&(FIRST, CAUSE)));
            assert!(run.ruled_out().contains(&(LAST, VIA)));
        }
    }
}

#[test]
fn an_edge_that_a_path_cancels_is_not_lost_where_nobody_sets_the_path() {
    let study = Study::pooled(table(1, 20_000, &[CAUSE, FIRST, LAST]), Some(truth()));
    let run = found(&study, &Spec::default());
    let moved = run.moved().unwrap();
    assert!(moved.odds[(FIRST.0, LAST.0)] < -moved.needed());
    assert!(!run.ruled_out().contains(&(FIRST, LAST)));
    assert!(run.dag.adjacent(FIRST, LAST), "{:?}", run.dag);
}
