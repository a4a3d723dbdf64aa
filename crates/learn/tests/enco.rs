//! ENCO through its public API: small worlds are recovered, rules hold, bad input is refused.
#![allow(clippy::unwrap_used, reason = "test code")]

mod common;

use std::sync::Arc;

use common::{World, rounds};
use fedcdi_core::graph::extract;
use fedcdi_core::{
    Belief, Dataset, Digraph, KnowledgeFile, LocalMethod, Schema, Seed, VarId, Variable,
};
use fedcdi_learn::LearnError;
use fedcdi_learn::enco::{Enco, EncoParams, Holdout, PriorLoss};

/// Small enough for a test, large enough for four variables.
fn quick() -> EncoParams {
    EncoParams {
        hidden: vec![16, 16],
        model_steps: 300,
        later_model_steps: 200,
        graph_steps: 60,
        graphs: 30,
        ..EncoParams::default()
    }
}

/// The belief after this many rounds.
fn discover(data: &Dataset, params: &EncoParams, n_rounds: u32, seed: u64) -> Belief {
    let mut enco = Enco::new(params.clone(), data, Seed::new(seed)).unwrap();
    rounds(&mut enco, data.n_vars(), n_rounds)
}

fn edges(belief: &Belief) -> Digraph {
    let both = |(i, j)| belief.existence()[(i, j)] > 0.0 && belief.orientation()[(i, j)] > 0.0;
    let n = belief.n_vars();
    Digraph::from_matrix(&ndarray::Array2::from_shape_fn((n, n), both), |edge| *edge)
}

fn world() -> World {
    World::new(&[4, 3, 4, 3], &[(0, 1), (0, 2), (1, 3), (2, 3)], 11)
}

const SINGLE: [&[usize]; 4] = [&[0], &[1], &[2], &[3]];

#[test]
fn a_small_world_is_recovered() {
    let world = world();
    let data = world.data(3000, &SINGLE, 200, 1);
    let found = discover(&data, &quick(), 3, 0);
    assert_eq!(edges(&found), world.graph);
}

#[test]
fn regimes_with_several_targets_orient_too() {
    let world = world();
    let pairs: [&[usize]; 6] = [&[0, 1], &[0, 2], &[0, 3], &[1, 2], &[1, 3], &[2, 3]];
    let data = world.data(3000, &pairs, 200, 1);
    let found = discover(&data, &quick(), 3, 0);
    assert_eq!(edges(&found), world.graph);
}

#[test]
fn every_choice_of_settings_finds_the_small_world() {
    let world = world();
    let data = world.data(3000, &SINGLE, 200, 1);
    let base = quick();
    let held_out = EncoParams {
        holdout: Holdout::Share(0.5),
        ..base.clone()
    };
    let log = EncoParams {
        prior_loss: PriorLoss::Log(0.01),
        ..base
    };
    for params in [held_out, log] {
        let found = discover(&data, &params, 3, 0);
        assert_eq!(edges(&found), world.graph, "{params:?}");
    }
}

#[test]
fn known_edges_are_kept_and_forbidden_ones_never_appear() {
    let world = world();
    let data = world.data(2000, &SINGLE, 100, 1);
    let names = data.schema().names();
    let edge = |cause: usize, effect: usize| [names[cause].clone(), names[effect].clone()];
    let knowledge = KnowledgeFile {
        required: vec![edge(3, 0)],
        forbidden: vec![edge(0, 1)],
        ..KnowledgeFile::default()
    };
    let knowledge = knowledge.check(data.schema()).unwrap();
    let mut enco = Enco::new(quick(), &data, Seed::new(0))
        .unwrap()
        .with(&knowledge, None)
        .unwrap();
    let found = rounds(&mut enco, 4, 3);
    assert!(found.probability(VarId(0), VarId(1)) < 1e-20);
    assert_eq!(found.probability(VarId(3), VarId(0)), 1.0);
}

/// Three rows under an intervention on a variable apart say nothing about the others; the
/// observational rows tell the arms of a collider from its middle.
#[test]
fn observational_rows_orient_a_collider() {
    let arms = [(0, 2), (1, 2)];
    let mean_orientation = |observational_weight| {
        let params = EncoParams {
            observational_weight,
            ..quick()
        };
        let orientation = |world: u64| {
            let data = World::new(&[3, 3, 3, 3], &arms, world).data(4000, &[&[3]], 3, 1);
            let found = discover(&data, &params, 3, 0);
            arms.map(|arm| found.orientation()[arm]).iter().sum::<f64>() / 2.0
        };
        (0..5).map(orientation).sum::<f64>() / 5.0
    };
    assert!(mean_orientation(0.0) < 0.1);
    assert!(mean_orientation(1.0) > 0.3);
}

#[test]
fn without_interventions_edges_are_found_and_directions_stay_open() {
    let world = World::new(&[3, 3, 3], &[(0, 1), (1, 2)], 5);
    let data = world.data(4000, &[], 0, 1);
    let found = discover(&data, &quick(), 3, 0);
    assert!(found.orientation().iter().all(|theta| *theta == 0.0));
    // Orientations stay open, so a true edge is in doubt between its two directions at most.
    for (cause, effect) in [(0, 1), (1, 2)] {
        let existence = found.existence();
        assert!(existence[(cause, effect)] > 0.0 && existence[(effect, cause)] > 0.0);
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let data = world().data(600, &SINGLE, 50, 1);
    let params = EncoParams {
        model_steps: 50,
        later_model_steps: 50,
        ..quick()
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| discover(&data, &params, 2, 3))
    };
    let (one, two, three) = (run(1), run(2), run(3));
    assert_eq!(one, two);
    assert_eq!(one, three);
    let other = discover(&data, &params, 2, 4);
    assert_ne!(one, other);
}

#[test]
fn data_that_cannot_be_learned_from_is_refused() {
    let refuse = |data: &fedcdi_core::Dataset| Enco::new(quick(), data, Seed::new(0)).err();
    let world = world();
    let rows = world.data(0, &SINGLE, 5, 1);
    assert_eq!(refuse(&rows), Some(LearnError::NoObservationalRows));
    let one = World::new(&[2], &[], 0).data(5, &[], 0, 1);
    assert_eq!(refuse(&one), Some(LearnError::OneVariable(1)));
    let constant = World::new(&[2, 1], &[], 0).data(5, &[], 0, 1);
    let variable = "x1".to_owned();
    assert_eq!(refuse(&constant), Some(LearnError::OneCategory(variable)));
}

#[test]
fn a_prior_of_another_size_is_refused() {
    let data = world().data(50, &SINGLE, 5, 1);
    let mut enco = Enco::new(quick(), &data, Seed::new(0)).unwrap();
    let error = enco.learn(0, &Belief::uninformed(5)).unwrap_err();
    assert!(matches!(
        error,
        LearnError::Size {
            what: "prior",
            found: 5,
            expected: 4
        }
    ));
    assert!(
        error
            .to_string()
            .contains("over 5 variables, the data has 4")
    );
}

#[test]
fn divergence_names_round_step_and_variable() {
    let data = world().data(500, &SINGLE, 5, 1);
    let mut params = quick();
    params.model_rate = 1e30;
    let mut enco = Enco::new(params, &data, Seed::new(0)).unwrap();
    let error = enco.learn(0, &Belief::uninformed(4)).unwrap_err();
    let LearnError::Diverged {
        round: 0,
        epoch: 0,
        variable,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(variable, "x0");
}

#[test]
fn a_hidden_common_cause_scores_highest() {
    let world = World::new(&[4, 3, 3, 3], &[(0, 1), (0, 2), (2, 3)], 21);
    let all = world.data(4000, &[&[1], &[2], &[3]], 300, 1);
    // Variable 0 stays unmeasured.
    let variables = (1..4)
        .map(|v| Variable::with_codes(format!("x{v}"), 3))
        .collect();
    let schema = Arc::new(Schema::new(variables).unwrap());
    let mut builder = fedcdi_core::DatasetBuilder::with_capacity(schema, all.n_samples());
    for sample in 0..all.n_samples() {
        let row: Vec<u16> = (1..4).map(|v| all.value(sample, VarId(v))).collect();
        let targets = all.regime(sample).targets().iter().map(|t| VarId(t.0 - 1));
        builder
            .push(&row, &fedcdi_core::Regime::intervened(targets))
            .unwrap();
    }
    let params = EncoParams {
        confounders: true,
        ..quick()
    };
    let data = builder.finish().unwrap();
    let mut enco = Enco::new(params, &data, Seed::new(0)).unwrap();
    rounds(&mut enco, 3, 3);
    let confounded = enco.confounders();
    let pairs: Vec<_> = confounded.iter().map(|(a, b, _)| (a.0, b.0)).collect();
    assert_eq!(pairs, [(0, 1)], "{confounded:?}");
}

#[test]
fn the_papers_settings_find_the_small_world() {
    let world = world();
    let data = world.data(3000, &SINGLE, 200, 1);
    let params = EncoParams::paper();
    let found = discover(&data, &params, 2, 0);
    assert_eq!(extract::above_half(&found), world.graph);
}
