//! Settings reach what they are about: each test fails if a setting is read and then ignored.

#![allow(clippy::unwrap_used, reason = "test code")]

mod common;

use common::World;
use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Belief, Dataset, Seed, VarId};
use fedcdi_learn::enco::{Enco, EncoParams, Holdout, PriorLoss};
use fedcdi_learn::sdi::{Sdi, SdiParams};
use ndarray::Array2;

const SINGLE: [&[usize]; 4] = [&[0], &[1], &[2], &[3]];

fn world() -> World {
    World::new(&[4, 3, 4, 3], &[(0, 1), (0, 2), (1, 3), (2, 3)], 11)
}

fn quick() -> EncoParams {
    EncoParams {
        hidden: vec![8],
        model_steps: 40,
        graph_steps: 30,
        holdout: Holdout::Never,
        adapt: false,
        ..EncoParams::default()
    }
}

/// The posterior of a first round.
fn learn(params: EncoParams, data: &Dataset, prior: &Belief) -> Belief {
    let mut enco = Enco::new(params, data, Seed::new(0)).unwrap();
    enco.learn(0, prior).unwrap()
}

/// Existence of `size` where `sign` is above 0, else of `-size`; every pair points forwards.
fn belief(size: f64, sign: impl Fn(usize, usize) -> f64) -> Belief {
    let existence = Array2::from_shape_fn((4, 4), |(i, j)| size * sign(i, j).signum());
    let forwards = |(i, j)| if i < j { size } else { -size };
    let mut orientation = Array2::from_shape_fn((4, 4), forwards);
    orientation.diag_mut().fill(0.0);
    Belief::new(existence, orientation).unwrap()
}

/// The prior likes what is false and dislikes what is true. With a weight far above any likelihood
/// every edge follows it, which no data would make it do.
#[test]
fn a_heavy_prior_loss_outweighs_the_data() {
    let world = world();
    let data = world.data(500, &SINGLE, 100, 1);
    let is_true = |i, j| world.graph.has_edge(VarId(i), VarId(j));
    let prior = belief(1.0, |i, j| if is_true(i, j) { -1.0 } else { 1.0 });
    let with = |prior_loss| {
        let params = EncoParams {
            prior_loss,
            ..quick()
        };
        learn(params, &data, &prior)
    };
    let psi = prior.psi();
    let follows = |posterior: &Belief| {
        let towards = |(i, j): (usize, usize)| {
            let moved = posterior.existence()[(i, j)] - prior.existence()[(i, j)];
            moved * (psi[(i, j)] - 0.5) > 0.0
        };
        let pairs = prior.pairs().map(|(i, j)| (i.0, j.0));
        pairs.filter(|at| towards(*at)).count()
    };
    assert_eq!(follows(&with(PriorLoss::Log(1e4))), 12);
    assert!(follows(&with(PriorLoss::None)) < 10);
}

/// A prior of the logit 50 is clipped to 7, and 60 steps of 0.02 lead no further than 1.2 from there.
#[test]
fn a_sure_prior_is_clipped_before_a_round() {
    let data = world().data(500, &SINGLE, 100, 1);
    let prior = belief(50.0, |i, j| if i < j { 1.0 } else { -1.0 });
    let posterior = learn(quick(), &data, &prior);
    let largest = posterior
        .existence()
        .iter()
        .fold(0.0, |m: f64, l| m.max(l.abs()));
    assert!(largest < 8.3, "{largest}");
}

/// Variable 1 is a target in every step, so no step says anything about the edges into it, and the
/// penalty leaves them where they were.
#[test]
fn edges_into_a_target_are_not_penalised() {
    let data = world().data(500, &[&[1]], 100, 1);
    let params = EncoParams {
        sparsity: 5.0,
        ..quick()
    };
    let posterior = learn(params, &data, &Belief::uninformed(4));
    for cause in [0, 2, 3] {
        assert_eq!(posterior.existence()[(cause, 1)], 0.0);
        assert!(posterior.existence()[(1, cause)] < -0.5);
    }
}

#[test]
fn the_logits_of_sdi_stay_within_their_bound() {
    let data = world().data(500, &SINGLE, 100, 1);
    let spread = |max_logit| {
        let params = SdiParams {
            max_logit,
            epochs: 1,
            hidden: 8,
            model_steps: 40,
            episodes: 4,
            structure_rate: 0.5,
            ..SdiParams::default()
        };
        let mut sdi = Sdi::new(params, &data, Seed::new(0)).unwrap();
        let psi = sdi.learn(0, &belief(3.0, |_, _| 1.0)).unwrap().psi();
        let pairs = Belief::uninformed(4).pairs();
        let values: Vec<f64> = pairs.map(|(i, j)| psi[(i.0, j.0)]).collect();
        let least = values.iter().copied().fold(1.0, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        (least, most)
    };
    let (least, most) = spread(1.0);
    assert!(
        least > sigmoid(-1.0) - 1e-3 && most < sigmoid(1.0) + 1e-3,
        "{least} {most}"
    );
    let (least, most) = spread(5.0);
    assert!(
        least < sigmoid(-1.5) && most > sigmoid(1.5),
        "{least} {most}"
    );
}
