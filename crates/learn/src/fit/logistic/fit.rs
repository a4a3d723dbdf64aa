//! Maximum likelihood by L-BFGS in the metric of [`Metric`], from a start that the counts give.
//!
//! Nothing but the counts enters, so a fit is the same whichever fits came before it. Where a parent
//! separates values perfectly there is no finite maximum; the likelihood still converges, and the
//! search ends when it no longer gains.

use std::collections::VecDeque;

use super::design::{Design, nll};
use super::metric::Metric;
use crate::independence::counts::Table;

/// Pairs of moves and gradient changes that are kept.
const MEMORY: usize = 10;
const MAX_STEPS: usize = 500;

/// Whether the metric moves to where the search is before this step: early, since the start is far
/// from the maximum, and then now and then. A move costs as much as two or three steps.
fn moves_metric(step: usize) -> bool {
    const EARLY: usize = 3;
    const EVERY: usize = 10;
    step == EARLY || (step > 0 && step.is_multiple_of(EVERY))
}

/// When a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Precision {
    /// For a first look, in half of the time: up to 3 nats were missing with 15 parents.
    Rough,
    /// For scores that are compared with one another: hardly a hundredth of a nat is missing.
    Fine,
}

/// Fits counts of an effect by parents of these sizes (in the order of the table): the log-likelihood
/// at the maximum, in nats.
///
/// Complexity: O(Q C p) per step for Q combinations that occur, C values and p parents, usually 10
/// to 20 steps; O(Q C p^2 + C F^3) every tenth for F = 1 + sum of sizes.
pub(crate) fn fit(table: &Table, sizes: &[usize], precision: Precision) -> f64 {
    // With at most one parent the model is the table itself.
    if sizes.len() < 2 {
        return table.log_likelihood();
    }
    let design = Design::new(table, sizes);
    if design.n_values < 2 {
        return table.log_likelihood();
    }
    let mut search = Search::new(&design);
    search.run(precision);
    -search.nll
}

/// Weights at the maximum, `[column, stride]`.
pub(super) fn weights(design: &Design, precision: Precision) -> Vec<f64> {
    let mut search = Search::new(design);
    search.run(precision);
    search.weights
}

struct Search<'a> {
    design: &'a Design,
    metric: Metric,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    nll: f64,
    /// Move, change of gradient, and the inverse of their product.
    memory: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl<'a> Search<'a> {
    fn new(design: &'a Design) -> Self {
        let full = start(design);
        // Correlated parents say the same thing twice: their sum may be worse than half of it.
        let starts = [1.0, 0.5, 0.0].map(|scale| {
            let mut weights = full.clone();
            let terms = &mut weights[design.stride..];
            terms.iter_mut().for_each(|w| *w *= scale);
            let mut gradient = vec![0.0; full.len()];
            (nll(design, &weights, &mut gradient), weights, gradient)
        });
        let best = starts.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let (nll, weights, gradient) = best.expect("there are three");
        Self {
            design,
            metric: Metric::new(design, &weights),
            weights,
            gradient,
            nll,
            memory: VecDeque::with_capacity(MEMORY),
        }
    }

    /// Searches for the maximum; false if the steps ran out first.
    fn run(&mut self, precision: Precision) -> bool {
        // The search ends when it expects to gain less, in nats.
        let tolerance = match precision {
            Precision::Rough => 1.0,
            Precision::Fine => 1e-3,
        };
        (0..MAX_STEPS).any(|step| {
            if moves_metric(step) {
                self.metric.move_to(self.design, &self.weights);
            }
            let direction = self.direction();
            let slope = dot(&direction, &self.gradient);
            -slope < 2.0 * tolerance || !self.advance(&direction, slope)
        })
    }

    /// The two-loop recursion of L-BFGS.
    fn direction(&self) -> Vec<f64> {
        let mut direction: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.memory.len());
        for (moved, change, inverse) in self.memory.iter().rev() {
            let share = inverse * dot(moved, &direction);
            add(&mut direction, -share, change);
            shares.push(share);
        }
        self.metric.solve(&mut direction);
        for ((moved, change, inverse), share) in self.memory.iter().zip(shares.iter().rev()) {
            let back = inverse * dot(change, &direction);
            add(&mut direction, share - back, moved);
        }
        direction
    }

    /// Moves along `direction`, halving until the likelihood gains enough; false if it never does.
    fn advance(&mut self, direction: &[f64], slope: f64) -> bool {
        let mut gradient = vec![0.0; self.gradient.len()];
        let mut step = 1.0;
        while step > 1e-8 {
            let mut weights = self.weights.clone();
            add(&mut weights, step, direction);
            let nll = nll(self.design, &weights, &mut gradient);
            if nll <= self.nll + 1e-4 * step * slope {
                self.accept(weights, gradient, nll);
                return true;
            }
            step *= 0.5;
        }
        false
    }

    fn accept(&mut self, weights: Vec<f64>, gradient: Vec<f64>, nll: f64) {
        let difference =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let moved = difference(&weights, &self.weights);
        let change = difference(&gradient, &self.gradient);
        let product = dot(&moved, &change);
        if product > 0.0 {
            if self.memory.len() == MEMORY {
                self.memory.pop_front();
            }
            self.memory.push_back((moved, change, 1.0 / product));
        }
        (self.weights, self.gradient, self.nll) = (weights, gradient, nll);
    }
}

/// Weights `[column, stride]` that would be right if parents were independent given the effect:
/// `ln p(v)`, and `ln p(v given x_p) - ln p(v)` for every parent. Half a count is added everywhere.
fn start(design: &Design) -> Vec<f64> {
    let n = design.stride;
    let mut weights = vec![0.5; design.n_columns * n];
    for (columns, counts, _) in design.combinations() {
        for &column in columns {
            add(&mut weights[column as usize * n..][..n], 1.0, counts);
        }
    }
    for row in weights.chunks_exact_mut(n) {
        let (values, pads) = row.split_at_mut(design.n_values);
        let total: f64 = values.iter().sum();
        values.iter_mut().for_each(|w| *w = (*w / total).ln());
        pads.fill(0.0);
    }
    let (intercept, terms) = weights.split_at_mut(n);
    for row in terms.chunks_exact_mut(n) {
        add(row, -1.0, intercept);
    }
    weights
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
}

#[cfg(test)]
mod tests {
    use super::super::design::tests::example;
    use super::*;

    #[test]
    fn the_gradient_vanishes_at_the_maximum() {
        let design = example();
        let mut search = Search::new(&design);
        for _ in 0..60 {
            let direction = search.direction();
            let slope = dot(&direction, &search.gradient);
            search.advance(&direction, slope);
        }
        let largest = search.gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        assert!(largest < 1e-6, "{largest}");
        let mut fitted = Search::new(&design);
        assert!(fitted.run(Precision::Fine) && (fitted.nll - search.nll).abs() < 0.01);
    }

    #[test]
    fn one_parent_is_the_table() {
        // 3 ln(3/4) + ln(1/4) + 2 ln 1.
        let table = Table {
            n_values: 2,
            combinations: vec![0, 1],
            counts: vec![3.0, 1.0, 0.0, 2.0],
        };
        let expected = 3.0 * 0.75f64.ln() + 0.25f64.ln();
        assert!((fit(&table, &[2], Precision::Fine) - expected).abs() < 1e-12);
        // The same with a second parent that never moves, through the iterations.
        let table = Table {
            combinations: vec![0, 0, 1, 0],
            ..table
        };
        let two = fit(&table, &[2, 1], Precision::Fine);
        assert!((two - expected).abs() < 0.01, "{two}");
    }

    #[test]
    fn perfect_separation_ends() {
        // The effect copies the first parent.
        let table = Table {
            n_values: 2,
            combinations: vec![0, 0, 0, 1, 1, 0, 1, 1],
            counts: vec![9.0, 0.0, 5.0, 0.0, 0.0, 7.0, 0.0, 8.0],
        };
        let design = Design::new(&table, &[2, 2]);
        let mut search = Search::new(&design);
        assert!(
            search.run(Precision::Fine) && search.nll < 0.02,
            "{}",
            search.nll
        );
    }
}
