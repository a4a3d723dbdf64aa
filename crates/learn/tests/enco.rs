//! ENCO through its public API: small worlds are recovered, rules hold, bad input is refused.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::World;
use fedcdi_core::graph::extract;
use fedcdi_core::{Belief, Digraph, KnowledgeFile, RoundParams, Schema, Seed, VarId, Variable};
use fedcdi_learn::enco::{
    Discovery, Enco, EncoParams, Holdout, Networks, PriorLoss, StopReason, discover, discover_with,
};
use fedcdi_learn::{LearnError, Observer, Progress};

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

/// This many rounds.
fn rounds(rounds: u32) -> RoundParams {
    RoundParams {
        rounds,
        ..RoundParams::one_table()
    }
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
    let found = discover(&data, &quick(), &rounds(3), Seed::new(0), None).unwrap();
    assert_eq!(edges(&found.belief), world.graph);
    assert!(found.oriented);
}

#[test]
fn regimes_with_several_targets_orient_too() {
    let world = world();
    let pairs: [&[usize]; 6] = [&[0, 1], &[0, 2], &[0, 3], &[1, 2], &[1, 3], &[2, 3]];
    let data = world.data(3000, &pairs, 200, 1);
    let found = discover(&data, &quick(), &rounds(3), Seed::new(0), None).unwrap();
    assert_eq!(edges(&found.belief), world.graph);
}

#[test]
fn every_choice_of_settings_finds_the_small_world() {
    let world = world();
    let data = world.data(3000, &SINGLE, 200, 1);
    let base = quick();
    let kept = EncoParams {
        networks: Networks::Kept,
        ..base.clone()
    };
    let held_out = EncoParams {
        holdout: Holdout::Share(0.5),
        ..base.clone()
    };
    let log = EncoParams {
        prior_loss: PriorLoss::Log(0.01),
        ..base
    };
    for params in [kept, held_out, log] {
        let found = discover(&data, &params, &rounds(3), Seed::new(0), None).unwrap();
        assert_eq!(edges(&found.belief), world.graph, "{params:?}");
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
        tiers: Vec::new(),
    };
    let knowledge = knowledge.check(data.schema()).unwrap();
    let mut enco = Enco::new(quick(), &data, Seed::new(0))
        .unwrap()
        .with_knowledge(&knowledge)
        .unwrap();
    let found = discover_with(&mut enco, &Belief::uninformed(4), &rounds(3)).unwrap();
    assert!(found.belief.probability(VarId(0), VarId(1)) < 1e-20);
    assert_eq!(found.belief.probability(VarId(3), VarId(0)), 1.0);
}

#[test]
fn discovery_ends_when_the_graph_rests() {
    let world = world();
    let data = world.data(2000, &SINGLE, 100, 1);
    let with = |graph_patience| RoundParams {
        graph_patience,
        tolerance: 0.0,
        ..rounds(8)
    };
    let found = discover(&data, &quick(), &with(2), Seed::new(0), None).unwrap();
    assert_eq!(found.stop_reason, StopReason::Converged);
    // One round to compare with, and two that rest.
    assert!((3..8).contains(&found.rounds.len()), "{:?}", found.rounds);
    let all = discover(&data, &quick(), &with(8), Seed::new(0), None).unwrap();
    assert_eq!(
        (all.rounds.len(), all.stop_reason),
        (8, StopReason::RoundLimit)
    );
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
            let found = discover(&data, &params, &rounds(3), Seed::new(0), None).unwrap();
            arms.map(|arm| found.belief.orientation()[arm])
                .iter()
                .sum::<f64>()
                / 2.0
        };
        (0..5).map(orientation).sum::<f64>() / 5.0
    };
    assert!(mean_orientation(0.0) < 0.1);
    assert!(mean_orientation(1.0) > 0.3);
}

#[test]
fn without_interventions_edges_are_found_and_the_result_says_so() {
    let world = World::new(&[3, 3, 3], &[(0, 1), (1, 2)], 5);
    let data = world.data(4000, &[], 0, 1);
    let found = discover(&data, &quick(), &rounds(3), Seed::new(0), None).unwrap();
    assert!(!found.oriented);
    assert!(found.belief.orientation().iter().all(|theta| *theta == 0.0));
    // Orientations stay open, so a true edge is in doubt between its two directions at most.
    for (cause, effect) in [(0, 1), (1, 2)] {
        let existence = found.belief.existence();
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
    let run = |threads: usize| -> Discovery {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| discover(&data, &params, &rounds(2), Seed::new(3), None).unwrap())
    };
    let (one, two, three) = (run(1), run(2), run(3));
    assert_eq!(one.belief, two.belief);
    assert_eq!(one.belief, three.belief);
    let other = discover(&data, &params, &rounds(2), Seed::new(4), None).unwrap();
    assert_ne!(one.belief, other.belief);
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
    assert_eq!(
        refuse(&constant),
        Some(LearnError::OneCategory { variable })
    );
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
    let error = discover(&data, &params, &rounds(3), Seed::new(0), None).unwrap_err();
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
fn settings_out_of_range_are_named() {
    let refuse = |params: EncoParams| params.check().unwrap_err().field;
    let base = EncoParams::default();
    assert!(base.check().is_ok());
    assert_eq!(
        refuse(EncoParams {
            batch: 0,
            ..base.clone()
        }),
        "batch"
    );
    assert_eq!(
        refuse(EncoParams {
            graphs: 1,
            ..base.clone()
        }),
        "graphs"
    );
    assert_eq!(
        refuse(EncoParams {
            hidden: vec![],
            ..base.clone()
        }),
        "hidden"
    );
    assert_eq!(
        refuse(EncoParams {
            sparsity: -1.0,
            ..base.clone()
        }),
        "sparsity"
    );
    assert_eq!(
        refuse(EncoParams {
            holdout: Holdout::Share(1.5),
            ..base.clone()
        }),
        "holdout"
    );
    assert_eq!(
        refuse(EncoParams {
            existence_rate: f64::NAN,
            ..base
        }),
        "existence_rate"
    );
}

/// Counts reports, and stops in the second round.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn progress(&self, progress: &Progress) {
        self.0
            .fetch_max(progress.round * 1000 + progress.done, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1000
    }
}

#[test]
fn a_cancelled_run_returns_the_last_whole_round() {
    let data = world().data(300, &SINGLE, 20, 1);
    let params = EncoParams {
        model_steps: 20,
        later_model_steps: 20,
        ..quick()
    };
    let observer = Arc::new(Impatient(AtomicUsize::new(0)));
    let found = discover(&data, &params, &rounds(3), Seed::new(0), Some(observer)).unwrap();
    assert_eq!(found.stop_reason, StopReason::Cancelled);
    assert_eq!(found.rounds.len(), 1);
}

#[test]
fn a_still_belief_ends_the_run() {
    let data = world().data(300, &SINGLE, 20, 1);
    let params = EncoParams {
        model_steps: 20,
        ..quick()
    };
    let still = RoundParams {
        tolerance: 1.0,
        ..rounds(3)
    };
    let found = discover(&data, &params, &still, Seed::new(0), None).unwrap();
    assert_eq!(found.stop_reason, StopReason::Converged);
    assert_eq!(found.rounds.len(), 1);
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
    let found = discover(
        &builder.finish().unwrap(),
        &params,
        &rounds(3),
        Seed::new(0),
        None,
    )
    .unwrap();
    let scores = found.confounders.unwrap();
    assert!(scores[(0, 1)] > 0.35, "{scores}");
    assert!(scores[(0, 2)] < 0.35 && scores[(1, 2)] < 0.35, "{scores}");
}

#[test]
fn the_papers_settings_find_the_small_world() {
    let world = world();
    let data = world.data(3000, &SINGLE, 200, 1);
    let params = EncoParams::paper();
    let found = discover(&data, &params, &rounds(2), Seed::new(0), None).unwrap();
    assert_eq!(extract::above_half(&found.belief), world.graph);
}
