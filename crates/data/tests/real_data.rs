//! Generated real data: interventions cut parents off, targets follow the law asked for.

#![expect(clippy::unwrap_used, reason = "everything here is a test")]

use fedcdi_core::{Dag, Dataset, Digraph, Regime, Seed, VarId};
use fedcdi_data::{InterventionKind, Network, RealFamily, SamplePlan, SetTo, sample, standardise};

/// 0 -> 1, with interventions on each.
fn draw(family: RealFamily, set_to: SetTo) -> Dataset {
    let edge = Digraph::from_edges(2, [(VarId(0), VarId(1))]);
    let dag = Dag::try_from(edge).unwrap();
    let network = Network::random_real(&dag, family, Seed::new(3)).unwrap();
    let mut regimes = vec![(Regime::Observational, 20_000)];
    regimes.extend(
        SamplePlan::every_variable(2)
            .into_iter()
            .map(|r| (r, 9_000)),
    );
    let plan = SamplePlan {
        regimes,
        kind: InterventionKind::Perfect,
        set_to,
    };
    sample(&network, &plan, Seed::new(4), &|_| ())
}

fn column(data: &Dataset, regime: usize, var: usize) -> Vec<f64> {
    let values = data.column(VarId(var)).reals().unwrap();
    let rows = &data.samples_by_regime()[regime];
    rows.iter().map(|row| values[*row]).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| f(a - ma, b - mb)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// The larger of the correlations with the cause and with its square.
fn dependence(cause: &[f64], effect: &[f64]) -> f64 {
    let squares: Vec<f64> = cause.iter().map(|v| v * v).collect();
    let both = [cause, &squares].map(|values| correlation(values, effect).abs());
    both[0].max(both[1])
}

#[test]
fn an_intervention_cuts_the_parents_off_and_leaves_the_rest() {
    for family in [RealFamily::Linear, RealFamily::Additive, RealFamily::Neural] {
        let data = draw(family, SetTo::Uniform);
        let pair = |regime| (column(&data, regime, 0), column(&data, regime, 1));
        let (cause, effect) = pair(0);
        assert!(dependence(&cause, &effect) > 0.1, "{family:?}");
        let (cause, effect) = pair(1);
        assert!(cause.iter().all(|v| (-1.0..1.0).contains(v)));
        assert!(dependence(&cause, &effect) > 0.1, "{family:?}");
        let (cause, effect) = pair(2);
        assert!(effect.iter().all(|v| (-1.0..1.0).contains(v)));
        // Four standard errors of an independent pair.
        assert!(dependence(&cause, &effect) < 4.0 / 9000f64.sqrt());
    }
}

#[test]
fn targets_follow_the_law_that_was_asked_for() {
    let shifted = column(&draw(RealFamily::Linear, SetTo::Shifted), 2, 1);
    let m = mean(&shifted);
    let variance = mean(&shifted.iter().map(|v| (v - m).powi(2)).collect::<Vec<_>>());
    assert!((m - 2.0).abs() < 0.05 && (variance - 1.0).abs() < 0.06);
}

#[test]
fn standardised_columns_have_mean_zero_and_deviation_one_where_nothing_was_done() {
    let data = standardise(&draw(RealFamily::Linear, SetTo::Shifted));
    for var in 0..2 {
        let seen = column(&data, 0, var);
        let square = mean(&seen.iter().map(|v| v * v).collect::<Vec<_>>());
        assert!(mean(&seen).abs() < 1e-12 && (square - 1.0).abs() < 1e-12);
    }
    assert!(mean(&column(&data, 1, 0)) > 1.0);
}
