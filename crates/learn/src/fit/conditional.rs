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
    /// Category of the predicted variable in each sample, or the bits of its value if it is real.
    observed: Vec<u32>,
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
            laws: Laws::default(),
            is_real: (0..samples.n_vars()).map(|v| samples.is_real(v)).collect(),
            categories: (0..samples.n_vars()).map(categories).collect(),
        }
    }

    /// Ends the list that is being written, or drops it if `look` finds an equal one.
    #[inline]
    fn close_list(&mut self, look: bool) {
        let row = if look {
            self.distinct.close(&mut self.lists)
        } else {
            self.lists.finish_list();
            self.lists.len() as u32 - 1
        };
        self.row_of.push(row);
    }

    /// Adds a variable of one sample to the list that is being written.
    #[inline]
    fn push(&mut self, var: usize, rows: &[u32], values: &[f32]) {
        let value = self.is_real[var].then(|| values[var]);
        self.lists.push_variable(rows[var], value);
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
        // Buffers are kept from variable to variable.
        let fits = |g: &Network| g.n_outputs() == self.network.n_outputs();
        if !scratch.gradient.as_ref().is_some_and(fits) {
            scratch.gradient = Some(self.network.gradient_buffers());
        }
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
        let observed = (0..batch.len()).map(|sample| match self.head {
            Head::Categorical(_) => self.category(batch, sample) as u32,
            Head::Real => batch.values(sample)[self.variable].to_bits(),
        });
        scratch.observed.clear();
        scratch.observed.extend(observed);
        let mut done = 0;
        while done < nll.len() {
            scratch.lists.clear();
            scratch.row_of.clear();
            let mut end = done;
            while end < nll.len() && scratch.lists.len() < BLOCK {
                list_rows(batch, sets, first + end, scratch);
                end += 1;
            }
            let nll = &mut nll[done..end];
            self.network.forward(&scratch.lists, &mut scratch.workspace);
            match &self.head {
                Head::Categorical(head) => nll_of_logits(head, scratch, nll),
                Head::Real => nll_of_laws(scratch, nll),
            }
            done = end;
        }
    }
}

fn nll_of_logits(head: &Softmax, scratch: &mut Scratch, nll: &mut [f64]) {
    let (rows, width) = (scratch.lists.len(), head.width());
    let outputs = &scratch.workspace.outputs()[..rows * width];
    scratch.log_sums.resize(rows, 0.0);
    scratch.exponentials.resize(rows * width, 0.0);
    let log_sums = &mut scratch.log_sums[..];
    head.log_sum_exp(outputs, &mut scratch.exponentials, log_sums);
    let of = |row: usize, category: u32| log_sums[row] - outputs[row * width + category as usize];
    means(&scratch.row_of, &scratch.observed, of, nll);
}

fn nll_of_laws(scratch: &mut Scratch, nll: &mut [f64]) {
    let rows = scratch.lists.len();
    let laws = &mut scratch.laws;
    laws.fill(&scratch.workspace.outputs()[..rows * Laws::width()]);
    let of = |row, value| laws.nll(row, f32::from_bits(value));
    means(&scratch.row_of, &scratch.observed, of, nll);
}

/// Mean of `nll_of` an evaluated row and an observation over the samples of every set.
#[inline]
fn means(row_of: &[u32], observed: &[u32], nll_of: impl Fn(usize, u32) -> f32, nll: &mut [f64]) {
    for (nll, rows) in nll.iter_mut().zip(row_of.chunks_exact(observed.len())) {
        let mut sum = 0.0;
        for (&row, &observed) in rows.iter().zip(observed) {
            sum += f64::from(nll_of(row as usize, observed));
        }
        *nll = sum / observed.len() as f64;
    }
}

/// Draws a parent set for every sample of `range` and lists the distinct inputs. Where some variables
/// are real, no two are likely to be equal.
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
    let weighted = scratch.lists.is_weighted();
    for sample in range {
        draws.fill(&mut scratch.draws);
        let (rows, values) = (batch.sample(sample), batch.values(sample));
        if weighted {
            for (var, threshold) in thresholds.iter().enumerate().take(rows.len()) {
                if scratch.draws[var] < *threshold {
                    scratch.push(var, rows, values);
                }
            }
        } else {
            scratch.lists.push_sampled(rows, &scratch.draws, thresholds);
        }
        scratch.close_list(!weighted);
    }
}

/// Lists the inputs of the batch under one parent set, equal ones once if that is likely to pay.
fn list_rows(batch: &Batch, sets: &ParentSets, set: usize, scratch: &mut Scratch) {
    scratch.members.clear();
    scratch.members.extend(sets.members(set));
    let members = scratch.members.iter();
    let categories = members.map(|m| scratch.categories[*m as usize]);
    let look = categories.product::<f64>() <= COMBINATIONS_PER_SAMPLE * batch.len() as f64;
    if look {
        scratch.distinct.clear();
    }
    let weighted = scratch.lists.is_weighted();
    for sample in 0..batch.len() {
        let (rows, values) = (batch.sample(sample), batch.values(sample));
        if weighted {
            for member in sets.members(set) {
                scratch.push(member as usize, rows, values);
            }
        } else {
            scratch.lists.push_members(rows, &scratch.members);
        }
        scratch.close_list(look);
    }
}
