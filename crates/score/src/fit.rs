//! Maximum likelihood by sums: L-BFGS in the metric of [`Metric`], one question after another.
//!
//! Nocedal and Wright (2006), algorithm 7.4. Rows are seen through log-likelihood and slopes alone.
//! Where a parent separates values perfectly there is no finite maximum; the likelihood still
//! converges, and the fit ends when it no longer gains.

use std::collections::VecDeque;

use crate::design::Design;
use crate::metric::Metric;

/// Pairs of moves and changes of slope that are kept.
const MEMORY: usize = 8;
/// A fit ends when it expects to gain less, in nats.
const TOLERANCE: f64 = 1e-3;
/// What a fit expects to gain may be too low by this factor.
const OPTIMISM: f64 = 4.0;
/// Evaluations after which a fit is as good as it gets.
const MOST_TRIALS: usize = 300;

/// A fit on its way.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) design: Design,
    pub(crate) metric: Metric,
    /// Where it is, `[column, value]`; meaningless before the first trial.
    pub(crate) weights: Vec<f64>,
    gradient: Vec<f64>,
    /// Negative log-likelihood there.
    pub(crate) nll: f64,
    memory: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    /// How much flatter the likelihood is than the metric says.
    flatter: f64,
    direction: Vec<f64>,
    slope: f64,
    step: f64,
    /// Weights that are asked about.
    trials: Vec<Vec<f64>>,
    n_trials: usize,
}

/// What sites say of some weights.
pub(crate) struct Said {
    pub(crate) nll: f64,
    /// In full, `[column, value]`.
    pub(crate) gradient: Vec<f64>,
}

impl Fit {
    /// From several weights, the best of which is where it starts.
    pub(crate) fn from_trials(design: Design, metric: Metric, trials: Vec<Vec<f64>>) -> Self {
        Self {
            design,
            metric,
            weights: Vec::new(),
            gradient: Vec::new(),
            nll: f64::INFINITY,
            memory: VecDeque::new(),
            flatter: 1.0,
            direction: Vec::new(),
            slope: f64::NEG_INFINITY,
            step: 1.0,
            trials,
            n_trials: 0,
        }
    }

    /// From weights whose slopes are known.
    pub(crate) fn from_known(
        design: Design,
        metric: Metric,
        weights: Vec<f64>,
        said: Said,
    ) -> Self {
        let mut fit = Self::from_trials(design, metric, vec![weights.clone()]);
        fit.accept(weights, said);
        fit
    }

    /// Weights that are asked about now; none once it has ended.
    pub(crate) fn trials(&self) -> &[Vec<f64>] {
        &self.trials
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.trials.is_empty()
    }

    /// How much more it expects to gain, in nats.
    pub(crate) fn expected(&self) -> f64 {
        -0.5 * self.slope
    }

    /// A log-likelihood that it hardly exceeds.
    pub(crate) fn most(&self) -> f64 {
        if self.weights.is_empty() {
            f64::INFINITY
        } else {
            -self.nll + OPTIMISM * self.expected()
        }
    }

    /// Takes what sites say of all trials, in order.
    pub(crate) fn take(&mut self, said: Vec<Said>) {
        self.n_trials += said.len();
        if self.weights.is_empty() {
            let trials = std::mem::take(&mut self.trials).into_iter().zip(said);
            let best = trials.min_by(|a, b| a.1.nll.total_cmp(&b.1.nll));
            let (weights, said) = best.expect("a fit starts somewhere");
            return self.accept(weights, said);
        }
        let said = said.into_iter().next().expect("one trial, one answer");
        let gained_enough = said.nll <= self.nll + 1e-4 * self.step * self.slope;
        if gained_enough {
            let weights = self.trials.remove(0);
            self.accept(weights, said);
        } else if self.step < 1e-6 || self.n_trials >= MOST_TRIALS {
            self.trials.clear();
        } else {
            self.step *= 0.4;
            self.set_trial();
        }
    }

    fn set_trial(&mut self) {
        let mut trial = self.weights.clone();
        add(&mut trial, self.step, &self.direction);
        self.trials = vec![trial];
    }

    fn accept(&mut self, weights: Vec<f64>, said: Said) {
        if !self.weights.is_empty() {
            let moved = difference(&weights, &self.weights);
            let change = difference(&said.gradient, &self.gradient);
            let product = dot(&moved, &change);
            if product > 0.0 {
                let mut solved = change.clone();
                self.metric.solve(&mut solved);
                self.flatter = product / dot(&change, &solved).max(f64::MIN_POSITIVE);
                if self.memory.len() == MEMORY {
                    self.memory.pop_front();
                }
                self.memory.push_back((moved, change, 1.0 / product));
            }
        }
        (self.weights, self.gradient, self.nll) = (weights, said.gradient, said.nll);
        self.direction = self.descent();
        self.slope = dot(&self.direction, &self.gradient);
        self.step = 1.0;
        if self.expected() < TOLERANCE || self.n_trials >= MOST_TRIALS {
            self.trials.clear();
        } else {
            self.set_trial();
        }
    }

    /// The two-loop recursion.
    fn descent(&self) -> Vec<f64> {
        let mut direction: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.memory.len());
        for (moved, change, inverse) in self.memory.iter().rev() {
            let share = inverse * dot(moved, &direction);
            add(&mut direction, -share, change);
            shares.push(share);
        }
        self.metric.solve(&mut direction);
        direction.iter_mut().for_each(|d| *d *= self.flatter);
        for ((moved, change, inverse), share) in self.memory.iter().zip(shares.iter().rev()) {
            let back = inverse * dot(change, &direction);
            add(&mut direction, share - back, moved);
        }
        direction
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
