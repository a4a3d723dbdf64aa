//! The estimator with exact conditionals: a binary chain `X1 -> X2 -> X3`.
//!
//! p(X1) = (.3, .7), p(X2|X1) = [[.6, .4], [.4, .6]], p(X3|X2) = [[.2, .8], [.8, .2]], uniform
//! interventions, conditionals fitted on the observational law.

use super::estimator::Means;
use crate::fit::parent_sets::ParentSets;

type State = [usize; 3];

const STATES: usize = 8;

fn state(number: usize) -> State {
    [number >> 2 & 1, number >> 1 & 1, number & 1]
}

/// Probability of a state, with the mechanism of `target` replaced by a fair coin.
fn probability(x: State, target: Option<usize>) -> f64 {
    let own = [
        [0.3, 0.7][x[0]],
        [[0.6, 0.4], [0.4, 0.6]][x[0]][x[1]],
        [[0.2, 0.8], [0.8, 0.2]][x[1]][x[2]],
    ];
    let factor = |v: usize| if target == Some(v) { 0.5 } else { own[v] };
    (0..3).map(factor).product()
}

/// Observational `p(x_effect | x_parents)`.
fn conditional(x: State, effect: usize, parents: &[usize]) -> f64 {
    let agree = |y: &State| parents.iter().all(|p| y[*p] == x[*p]);
    let states: Vec<State> = (0..STATES).map(state).filter(agree).collect();
    let with = states.iter().filter(|y| y[effect] == x[effect]);
    with.map(|y| probability(*y, None)).sum::<f64>()
        / states.iter().map(|y| probability(*y, None)).sum::<f64>()
}

/// Exact expected NLL of `effect` given `parents` under do(`target`).
fn nll(effect: usize, parents: &[usize], target: usize) -> f64 {
    let term = |x: State| probability(x, Some(target)) * -conditional(x, effect, parents).ln();
    (0..STATES).map(|number| term(state(number))).sum()
}

/// Gain of `cause -> effect` given `others`, as the estimator sees it: minus D.
fn gain(cause: usize, effect: usize, others: &[usize], target: usize) -> f64 {
    let mut with = others.to_vec();
    with.push(cause);
    let mut sets = ParentSets::new(3);
    sets.clear(2);
    sets.push(others.iter().copied());
    sets.push(with.iter().copied());
    let values = [nll(effect, others, target), nll(effect, &with, target)];
    let mut found = [None; 3];
    Means::default().differences(&sets, &values, &mut found);
    assert!(others.iter().all(|other| found[*other].is_none()));
    -found[cause].expect("one set with, one without")
}

fn assert_close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 5e-7,
        "{found}, expected {expected}"
    );
}

#[test]
fn gains_of_true_edges_under_an_intervention_on_the_cause() {
    assert_close(gain(0, 1, &[], 0), 0.023_345_8);
    assert_close(gain(0, 1, &[2], 0), 0.014_975_1);
    assert_close(gain(1, 2, &[], 1), 0.193_898);
    assert_close(gain(1, 2, &[0], 1), 0.199_997);
}

#[test]
fn gains_averaged_over_interventions_that_spare_the_effect() {
    let mean = |c, e, z: &[usize], targets: [usize; 2]| {
        targets.map(|t| gain(c, e, z, t)).iter().sum::<f64>() / 2.0
    };
    assert_close(mean(0, 1, &[], [0, 2]), 0.020_138_9);
    assert_close(mean(1, 2, &[], [0, 1]), 0.193_898);
    assert_close(mean(1, 2, &[0], [0, 1]), 0.192_762);
}

#[test]
fn a_spurious_edge_gains_nothing_given_the_true_parent() {
    assert_close(gain(0, 2, &[], 0), 0.008_370_7);
    assert_close(gain(0, 2, &[1], 0), 0.0);
}
