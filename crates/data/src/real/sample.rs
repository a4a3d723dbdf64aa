//! Ancestral sampling of real variables, and a common scale for them.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset, Regime, Seed};
use rayon::prelude::*;

use super::{RealNetwork, SetTo};

/// Rows of one block; part of what a seed means.
const BLOCK: usize = 4096;

/// Draws so many samples of each regime. Targets are drawn from what `set_to` says, whatever their
/// parents are. `progress` is told how many rows were finished, from any thread.
pub fn sample_real(
    network: &RealNetwork,
    regimes: &[(Regime, usize)],
    set_to: SetTo,
    seed: Seed,
    progress: &(dyn Fn(usize) + Sync),
) -> Dataset {
    let blocks = regimes.iter().enumerate().flat_map(|(regime, (_, n))| {
        let starts = (0..*n).step_by(BLOCK).enumerate();
        starts.map(move |(number, start)| (regime, number, BLOCK.min(n - start)))
    });
    let blocks: Vec<(usize, usize, usize)> = blocks.collect();
    let drawn: Vec<Vec<Vec<f64>>> = blocks
        .par_iter()
        .map(|&(regime, number, n_rows)| {
            let stream = seed.derive("regime", regime).derive("block", number);
            let values = draw_block(network, (&regimes[regime].0, set_to), n_rows, stream);
            progress(n_rows);
            values
        })
        .collect();
    let n_vars = network.schema().n_vars();
    let column = |var: usize| drawn.iter().flat_map(|b| b[var].iter().copied()).collect();
    let regime_of = blocks.iter();
    let regime_of = regime_of.flat_map(|(regime, _, n)| std::iter::repeat_n(*regime as u32, *n));
    Dataset::new(
        Arc::clone(network.schema()),
        (0..n_vars).map(|var| Column::Real(column(var))).collect(),
        regimes.iter().map(|(regime, _)| regime.clone()).collect(),
        regime_of.collect(),
    )
    .expect("sums and bounded functions of finite numbers are finite")
}

/// Values of one block, `[variable][row]`.
fn draw_block(
    network: &RealNetwork,
    (regime, set_to): (&Regime, SetTo),
    n_rows: usize,
    stream: Seed,
) -> Vec<Vec<f64>> {
    let mut rng = stream.rng();
    let mut values = vec![Vec::new(); network.schema().n_vars()];
    let mut inputs = Vec::new();
    for &var in network.dag().topological_order() {
        let mechanism = &network.mechanisms()[var.index()];
        let draw = |row: usize| {
            if regime.intervenes_on(var) {
                return set_to.draw(&mut rng);
            }
            inputs.clear();
            let parents = mechanism.parents().iter();
            inputs.extend(parents.map(|p| values[p.index()][row]));
            mechanism.draw(&mut inputs, &mut rng)
        };
        let column = (0..n_rows).map(draw).collect();
        values[var.index()] = column;
    }
    values
}

/// The same samples with every real column shifted and scaled to mean 0 and deviation 1 over its
/// observational samples (over all, if there are none). Without this, variables further down the
/// graph vary more, and sorting by variance would find much of it.
#[must_use]
pub fn standardise(data: &Dataset) -> Dataset {
    let mut rows = data.observational();
    if rows.is_empty() {
        rows = (0..data.n_samples()).collect();
    }
    let columns = data.schema().ids().map(|var| {
        let column = data.column(var);
        column.reals().map_or_else(
            || column.clone(),
            |values| Column::Real(standard(values, &rows)),
        )
    });
    Dataset::new(
        Arc::clone(data.schema()),
        columns.collect(),
        data.regimes().to_vec(),
        data.regime_of().to_vec(),
    )
    .expect("a common scale keeps numbers finite")
}

fn standard(values: &[f64], rows: &[usize]) -> Vec<f64> {
    let n = rows.len() as f64;
    let mean = rows.iter().map(|r| values[*r]).sum::<f64>() / n;
    let square = |r: &usize| (values[*r] - mean).powi(2);
    let deviation = (rows.iter().map(square).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 {
        1.0 / deviation
    } else {
        1.0
    };
    values.iter().map(|v| (v - mean) * scale).collect()
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Dag, Digraph, VarId};

    use super::*;
    use crate::SamplePlan;
    use crate::real::RealFamily;

    /// 0 -> 1, with interventions on each.
    fn draw(family: RealFamily, set_to: SetTo) -> Dataset {
        let edge = Digraph::from_edges(2, [(VarId(0), VarId(1))]);
        let dag = Dag::try_from(edge).unwrap();
        let network = RealNetwork::random(&dag, family, Seed::new(3)).unwrap();
        let mut regimes = vec![(Regime::Observational, 20_000)];
        regimes.extend(
            SamplePlan::every_variable(2)
                .into_iter()
                .map(|r| (r, 9_000)),
        );
        sample_real(&network, &regimes, set_to, Seed::new(4), &|_| ())
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
}
