//! The learned conditional of one variable: its network, loss head and optimiser state.
//!
//! Paper: ENCO, distribution fitting; every sample sees its own sampled parent set.
//!
//! | paper | code | shape |
//! |---|---|---|
//! | f_j | [`Conditional`] | one network |
//! | column j of p | `thresholds` | `[cause]`, see [`crate::fit::draws`] |
//! | -log f_j(x_j; M_j, x_-j), mean over the batch | [`Conditional::fit_step`] | f64 |
//! | law of x_j: softmax of a categorical variable, normal of a real one | `Head` | |
//! | L of a parent set | [`Conditional::nll_of_sets`] | one f64 per set |

use fedcdi_core::Seed;

use crate::fit::draws::Draws;
use crate::fit::parent_sets::ParentSets;
use crate::fit::samples::{Batch, Samples};
use crate::nn::gaussian::{self, Laws};
use crate::nn::{
    AdamStep, Distinct, InverseLists, Network, NetworkShape, RowLists, Softmax, Workspace,
};

/// Evaluated rows per pass in [`Conditional::nll_of_sets`]: activations stay in the L2 cache.
const BLOCK: usize = 256;

/// Equal rows are looked for under a parent set only if it has at most this many combinations of
/// values per sample: beyond, the search costs more than the few repeats it would find.
const COMBINATIONS_PER_SAMPLE: f64 = 16.0;

/// The network that predicts one variable from any subset of the others.
#[derive(Clone, Debug)]
pub(crate) struct Conditional {
    variable: usize,
    own_rows: std::ops::Range<usize>,
    network: Network,
    moments: Option<Box<[Network; 2]>>,
    head: Head,
    steps: usize,
}

#[derive(Clone, Debug)]
enum Head {
    Categorical(Softmax),
    Real,
}

/// Buffers of one worker, reused for every variable and step.
#[derive(Debug)]
pub(crate) struct Scratch {
    lists: RowLists,
    distinct: Distinct,
    inverse: InverseLists,
    workspace: Workspace,
    gradient: Option<Network>,
    /// Evaluated row of each sample (and set).
    row_of: Vec<u32>,
    weights: Vec<f32>,
    exponentials: Vec<f32>,
    log_sums: Vec<f32>,
    draws: Vec<u32>,
    members: Vec<u32>,
    /// Category of the predicted variable in each sample.
    observed: Vec<u32>,
    /// Value of the predicted variable in each sample, if it is real.
    observed_values: Vec<f32>,
    laws: Laws,
    is_real: Vec<bool>,
    /// Number of categories of each variable; infinite of a real one.
    categories: Vec<f64>,
}

impl Scratch {
    /// Buffers for these samples in batches of at most `batch`.
    pub(crate) fn new(samples: &Samples, batch: usize) -> Self {
        let categories = |v| {
            if samples.is_real(v) {
                f64::INFINITY
            } else {
                samples.n_categories(v) as f64
            }
        };
        Self {
            lists: if samples.has_reals() {
                RowLists::weighted()
            } else {
                RowLists::default()
            },
            distinct: Distinct::new(samples.n_rows(), batch),
            inverse: InverseLists::default(),
            workspace: Workspace::default(),
            gradient: None,
            row_of: Vec::new(),
            weights: Vec::new(),
            exponentials: Vec::new(),
            log_sums: Vec::new(),
            draws: vec![0; samples.n_vars()],
            members: Vec::new(),
            observed: Vec::new(),
            observed_values: Vec::new(),
            laws: Laws::default(),
            is_real: (0..samples.n_vars()).map(|v| samples.is_real(v)).collect(),
            categories: (0..samples.n_vars()).map(categories).collect(),
        }
    }

    /// Gradient buffers of the shape of `network`; kept from variable to variable.
    fn fit_gradient(&mut self, network: &Network) {
        let fits = |g: &Network| g.n_outputs() == network.n_outputs();
        if !self.gradient.as_ref().is_some_and(fits) {
            self.gradient = Some(network.gradient_buffers());
        }
    }
}

impl Conditional {
    /// A new network for `variable` with a random start.
    pub(crate) fn new(
        samples: &Samples,
        variable: usize,
        hidden: &[usize],
        slope: f32,
        seed: &Seed,
    ) -> Self {
        let (head, n_outputs) = if samples.is_real(variable) {
            (Head::Real, gaussian::OUTPUTS)
        } else {
            let n_categories = samples.n_categories(variable);
            (Head::Categorical(Softmax::new(n_categories)), n_categories)
        };
        let shape = NetworkShape {
            n_rows: samples.n_rows(),
            hidden: hidden.to_vec(),
            n_outputs,
            slope,
        };
        let mut draws = Draws::new(seed);
        Self {
            variable,
            own_rows: samples.rows_of(variable),
            network: shape.random(samples.n_vars(), draws.rng()),
            moments: None,
            head,
            steps: 0,
        }
    }

    pub(crate) fn variable(&self) -> usize {
        self.variable
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// One optimiser step on samples `range` of `batch`, each under its own sampled parent set.
    /// Returns the mean negative log-likelihood before the step.
    pub(crate) fn fit_step(
        &mut self,
        batch: &Batch,
        range: std::ops::Range<usize>,
        thresholds: &[u32],
        draws: &mut Draws,
        step: &AdamStep,
        scratch: &mut Scratch,
    ) -> f64 {
        sample_rows(batch, range.clone(), thresholds, draws, scratch);
        let nll = self.gradient(batch, range, scratch);
        let network = &mut self.network;
        scratch
            .inverse
            .fill(&scratch.lists, network.embedding.n_rows());
        let moments = self
            .moments
            .get_or_insert_with(|| Box::new([network.zeros_like(), network.zeros_like()]));
        let table = (&scratch.inverse, &scratch.workspace);
        let gradient = scratch.gradient.as_ref().expect("set by the gradient");
        network.step(moments, gradient, table, step, self.own_rows.clone());
        self.steps += 1;
        nll
    }

    /// Mean negative log-likelihood of the batch in `scratch`, and its gradient there.
    fn gradient(&self, batch: &Batch, range: std::ops::Range<usize>, scratch: &mut Scratch) -> f64 {
        scratch.fit_gradient(&self.network);
        self.network.forward(&scratch.lists, &mut scratch.workspace);
        let nll = match &self.head {
            Head::Categorical(head) => self.gradient_of_logits(head, batch, range, scratch),
            Head::Real => self.gradient_of_laws(batch, range, scratch),
        };
        let gradient = scratch.gradient.as_mut().expect("set above");
        let rows = scratch.lists.len();
        self.network
            .backward(rows, &mut scratch.workspace, gradient);
        nll
    }

    /// Turns the outputs in `scratch` into the gradient of the mean negative log-likelihood.
    fn gradient_of_logits(
        &self,
        head: &Softmax,
        batch: &Batch,
        range: std::ops::Range<usize>,
        scratch: &mut Scratch,
    ) -> f64 {
        let (rows, width) = (scratch.lists.len(), head.width());
        let weight = 1.0 / range.len() as f32;
        let outputs = &mut scratch.workspace.outputs()[..rows * width];
        let mut nll = 0.0;
        scratch.weights.clear();
        scratch.weights.resize(rows, 0.0);
        for (sample, &row) in range.clone().zip(&scratch.row_of) {
            nll -= f64::from(outputs[row as usize * width + self.category(batch, sample)]);
            scratch.weights[row as usize] += weight;
        }
        scratch.log_sums.resize(rows, 0.0);
        scratch.exponentials.resize(rows * width, 0.0);
        let (weights, log_sums) = (&scratch.weights, &mut scratch.log_sums);
        head.scaled(outputs, weights, &mut scratch.exponentials, log_sums);
        for (sample, &row) in range.clone().zip(&scratch.row_of) {
            nll += f64::from(log_sums[row as usize]);
            outputs[row as usize * width + self.category(batch, sample)] -= weight;
        }
        nll / range.len() as f64
    }

    /// As [`Self::gradient_of_logits`], for a real variable.
    fn gradient_of_laws(
        &self,
        batch: &Batch,
        range: std::ops::Range<usize>,
        scratch: &mut Scratch,
    ) -> f64 {
        let (rows, width) = (scratch.lists.len(), Laws::width());
        let weight = 1.0 / range.len() as f32;
        let outputs = &mut scratch.workspace.outputs()[..rows * width];
        scratch.laws.fill(outputs);
        outputs.fill(0.0);
        let mut nll = 0.0;
        for (sample, &row) in range.clone().zip(&scratch.row_of) {
            let value = batch.values(sample)[self.variable];
            nll += f64::from(scratch.laws.nll(row as usize, value));
            let gradient = &mut outputs[row as usize * width..][..width];
            scratch
                .laws
                .add_gradient(row as usize, value, weight, gradient);
        }
        nll / range.len() as f64
    }

    /// Observed category of this variable in one sample.
    #[inline]
    fn category(&self, batch: &Batch, sample: usize) -> usize {
        batch.sample(sample)[self.variable] as usize - self.own_rows.start
    }

    /// Mean negative log-likelihood of the batch under the sets from `first` on, one per element of
    /// `nll`.
    pub(crate) fn nll_of_sets(
        &self,
        batch: &Batch,
        sets: &ParentSets,
        first: usize,
        scratch: &mut Scratch,
        nll: &mut [f64],
    ) {
        let samples = 0..batch.len();
        if matches!(self.head, Head::Real) {
            let observed = samples.map(|sample| batch.values(sample)[self.variable]);
            scratch.observed_values.clear();
            scratch.observed_values.extend(observed);
        } else {
            let observed = samples.map(|sample| self.category(batch, sample) as u32);
            scratch.observed.clear();
            scratch.observed.extend(observed);
        }
        let mut done = 0;
        while done < nll.len() {
            scratch.lists.clear();
            scratch.row_of.clear();
            let mut end = done;
            while end < nll.len() && scratch.lists.len() < BLOCK {
                list_rows(batch, sets, first + end, scratch);
                end += 1;
            }
            self.nll_of_block(scratch, &mut nll[done..end]);
            done = end;
        }
    }

    /// Evaluates the lists in `scratch`: one mean for every set they came from.
    fn nll_of_block(&self, scratch: &mut Scratch, nll: &mut [f64]) {
        self.network.forward(&scratch.lists, &mut scratch.workspace);
        match &self.head {
            Head::Categorical(head) => nll_of_logits(head, scratch, nll),
            Head::Real => nll_of_laws(scratch, nll),
        }
    }
}

/// Means over the sets whose outputs are in `scratch`.
fn nll_of_logits(head: &Softmax, scratch: &mut Scratch, nll: &mut [f64]) {
    let (rows, width) = (scratch.lists.len(), head.width());
    let outputs = &scratch.workspace.outputs()[..rows * width];
    scratch.log_sums.resize(rows, 0.0);
    scratch.exponentials.resize(rows * width, 0.0);
    let log_sums = &mut scratch.log_sums;
    head.log_sum_exp(outputs, &mut scratch.exponentials, log_sums);
    let n_samples = scratch.observed.len();
    for (nll, rows) in nll.iter_mut().zip(scratch.row_of.chunks_exact(n_samples)) {
        let mut sum = 0.0;
        for (&row, &category) in rows.iter().zip(&scratch.observed) {
            let output = outputs[row as usize * width + category as usize];
            sum += f64::from(log_sums[row as usize] - output);
        }
        *nll = sum / n_samples as f64;
    }
}

/// As [`nll_of_logits`], for a real variable.
fn nll_of_laws(scratch: &mut Scratch, nll: &mut [f64]) {
    let rows = scratch.lists.len();
    let outputs = &scratch.workspace.outputs()[..rows * Laws::width()];
    scratch.laws.fill(outputs);
    let n_samples = scratch.observed_values.len();
    for (nll, rows) in nll.iter_mut().zip(scratch.row_of.chunks_exact(n_samples)) {
        let mut sum = 0.0;
        for (&row, &value) in rows.iter().zip(&scratch.observed_values) {
            sum += f64::from(scratch.laws.nll(row as usize, value));
        }
        *nll = sum / n_samples as f64;
    }
}

/// Draws a parent set for every sample of `range` and lists the distinct inputs.
fn sample_rows(
    batch: &Batch,
    range: std::ops::Range<usize>,
    thresholds: &[u32],
    draws: &mut Draws,
    scratch: &mut Scratch,
) {
    scratch.lists.clear();
    scratch.row_of.clear();
    scratch.distinct.clear();
    if scratch.lists.is_weighted() {
        return sample_weighted_rows(batch, range, thresholds, draws, scratch);
    }
    for sample in range {
        draws.fill(&mut scratch.draws);
        let rows = batch.sample(sample);
        scratch.lists.push_sampled(rows, &scratch.draws, thresholds);
        let row = scratch.distinct.close(&mut scratch.lists);
        scratch.row_of.push(row);
    }
}

/// As [`sample_rows`] where some variables are real: no two rows are likely to be equal.
fn sample_weighted_rows(
    batch: &Batch,
    range: std::ops::Range<usize>,
    thresholds: &[u32],
    draws: &mut Draws,
    scratch: &mut Scratch,
) {
    for sample in range {
        draws.fill(&mut scratch.draws);
        let (rows, values) = (batch.sample(sample), batch.values(sample));
        for (var, (draw, threshold)) in scratch.draws.iter().zip(thresholds).enumerate() {
            if draw < threshold {
                let value = scratch.is_real[var].then_some(values[var]);
                scratch.lists.push_variable(rows[var], value);
            }
        }
        scratch.row_of.push(scratch.lists.len() as u32);
        scratch.lists.finish_list();
    }
}

/// Lists the inputs of the batch under one parent set, equal ones once if that is likely to pay.
fn list_rows(batch: &Batch, sets: &ParentSets, set: usize, scratch: &mut Scratch) {
    scratch.members.clear();
    scratch.members.extend(sets.members(set));
    let categories = scratch
        .members
        .iter()
        .map(|m| scratch.categories[*m as usize]);
    let look = categories.product::<f64>() <= COMBINATIONS_PER_SAMPLE * batch.len() as f64;
    if look {
        scratch.distinct.clear();
    }
    if scratch.lists.is_weighted() {
        return list_weighted_rows(batch, look, scratch);
    }
    let lists = &mut scratch.lists;
    for sample in 0..batch.len() {
        lists.push_members(batch.sample(sample), &scratch.members);
        let row = if look {
            scratch.distinct.close(lists)
        } else {
            lists.finish_list();
            lists.len() as u32 - 1
        };
        scratch.row_of.push(row);
    }
}

/// As [`list_rows`] where some variables are real; equal rows are looked for only if no parent is.
fn list_weighted_rows(batch: &Batch, look: bool, scratch: &mut Scratch) {
    let lists = &mut scratch.lists;
    for sample in 0..batch.len() {
        let (rows, values) = (batch.sample(sample), batch.values(sample));
        for &var in &scratch.members {
            let var = var as usize;
            let value = scratch.is_real[var].then_some(values[var]);
            lists.push_variable(rows[var], value);
        }
        let row = if look {
            scratch.distinct.close(lists)
        } else {
            lists.finish_list();
            lists.len() as u32 - 1
        };
        scratch.row_of.push(row);
    }
}
