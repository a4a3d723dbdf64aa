//! Random neural conditionals, the mechanisms of all synthetic data in the paper.
//!
//! Paper: FedCDI appendix B "Graph and dataset generation" (after ENCO).
//!
//! | step | size |
//! |---|---|
//! | every parent value picks an embedding, entries N(0, 1) | 4 per parent |
//! | linear layer on the stacked embeddings, orthogonal times 2.5, bias U(-0.5, 0.5) | 48 |
//! | leaky ReLU, slope 0.1 | 48 |
//! | linear layer without bias, orthogonal times 2.5, then softmax | one per category |
//!
//! A variable without parents follows the softmax of N(0, 1) draws.
//!
//! The first layer is linear in the stacked embeddings, so its share of every (parent, value) is
//! multiplied out once at creation; evaluation adds those shares.

use fedcdi_core::Seed;
use ndarray::{Array2, s};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::Parents;

const EMBEDDING: usize = 4;
const HIDDEN: usize = 48;
const GAIN: f64 = 2.5;
const SLOPE: f64 = 0.1;

/// P(variable | parents) as a random two-layer network.
#[derive(Clone, Debug, PartialEq)]
pub struct NeuralConditional {
    pub(super) parents: Parents,
    /// Hidden pre-activations without parents.
    bias: Vec<f64>,
    /// `[offset of the parent + its value, hidden]`: what a parent's value adds.
    shares: Array2<f64>,
    offsets: Vec<usize>,
    /// `[category, hidden]`; for a variable without parents its logits, `[category, 1]`.
    output: Array2<f64>,
}

impl NeuralConditional {
    pub(crate) fn random(parents: Parents, n_categories: usize, seed: Seed) -> Self {
        let mut rng = seed.rng();
        let starts = parents.categories.iter().scan(0, |next, n| {
            *next += n;
            Some(*next - n)
        });
        let offsets: Vec<usize> = starts.collect();
        if parents.ids.is_empty() {
            return Self {
                parents,
                bias: Vec::new(),
                shares: Array2::zeros((0, 0)),
                offsets,
                output: gaussian(n_categories, 1, &mut rng),
            };
        }
        let embeddings = gaussian(parents.categories.iter().sum(), EMBEDDING, &mut rng);
        let first = orthogonal(HIDDEN, EMBEDDING * parents.ids.len(), &mut rng);
        let bias = (0..HIDDEN).map(|_| rng.random_range(-0.5..0.5)).collect();
        let output = orthogonal(n_categories, HIDDEN, &mut rng);
        let mut shares = Array2::zeros((embeddings.nrows(), HIDDEN));
        for (parent, (&start, &n)) in offsets.iter().zip(&parents.categories).enumerate() {
            let weights = first.slice(s![.., parent * EMBEDDING..(parent + 1) * EMBEDDING]);
            let rows = s![start..start + n, ..];
            shares
                .slice_mut(rows)
                .assign(&embeddings.slice(rows).dot(&weights.t()));
        }
        Self {
            parents,
            bias,
            shares,
            offsets,
            output,
        }
    }

    pub(super) fn n_categories(&self) -> usize {
        self.output.nrows()
    }

    /// Writes the law under these parent values into `law`.
    pub(super) fn probabilities(&self, parent_values: &[u16], law: &mut [f64]) {
        if self.parents.ids.is_empty() {
            law.iter_mut().zip(&self.output).for_each(|(p, l)| *p = *l);
            return softmax(law);
        }
        let mut hidden = [0.0; HIDDEN];
        hidden.copy_from_slice(&self.bias);
        for (&offset, &value) in self.offsets.iter().zip(parent_values) {
            let share = self.shares.row(offset + usize::from(value));
            hidden.iter_mut().zip(share).for_each(|(h, s)| *h += s);
        }
        for h in &mut hidden {
            *h = h.max(SLOPE * *h);
        }
        for (logit, weights) in law.iter_mut().zip(self.output.rows()) {
            *logit = weights.iter().zip(&hidden).map(|(w, h)| w * h).sum();
        }
        softmax(law);
    }
}

fn softmax(logits: &mut [f64]) {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
        sum += *logit;
    }
    logits.iter_mut().for_each(|p| *p /= sum);
}

fn gaussian(rows: usize, columns: usize, rng: &mut impl Rng) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(rng))
}

/// A uniformly random matrix with orthonormal columns (rows, where it is wider than tall), times
/// the gain. Gram-Schmidt on Gaussian columns is the QR factor with a positive diagonal.
fn orthogonal(rows: usize, columns: usize, rng: &mut impl Rng) -> Array2<f64> {
    if rows < columns {
        return orthogonal(columns, rows, rng).reversed_axes();
    }
    let mut q = gaussian(rows, columns, rng);
    for k in 0..columns {
        // The second pass removes what rounding left of the first.
        for _ in 0..2 {
            for done in 0..k {
                let overlap = q.column(done).dot(&q.column(k));
                let (fixed, mut column) = q.multi_slice_mut((s![.., done], s![.., k]));
                column.scaled_add(-overlap, &fixed);
            }
        }
        let norm = q.column(k).dot(&q.column(k)).sqrt();
        q.column_mut(k).mapv_inplace(|x| x / norm);
    }
    q * GAIN
}

#[cfg(test)]
mod tests {
    use fedcdi_core::VarId;

    use super::*;

    #[test]
    fn columns_or_rows_are_orthonormal_times_the_gain() {
        let mut rng = Seed::new(1).rng();
        for (rows, columns) in [(48, 12), (48, 80), (10, 48), (48, 48)] {
            let w = orthogonal(rows, columns, &mut rng);
            assert_eq!(w.dim(), (rows, columns));
            let gram = if rows >= columns {
                w.t().dot(&w)
            } else {
                w.dot(&w.t())
            };
            for ((i, j), value) in gram.indexed_iter() {
                let expected = if i == j { GAIN * GAIN } else { 0.0 };
                assert!((value - expected).abs() < 1e-9, "{i} {j}: {value}");
            }
        }
    }

    #[test]
    fn a_law_is_a_distribution_that_depends_on_the_parents() {
        let parents = [(VarId(3), 4), (VarId(0), 2)].into_iter().collect();
        let network = NeuralConditional::random(parents, 5, Seed::new(2));
        let law = |values: &[u16]| {
            let mut law = [0.0; 5];
            network.probabilities(values, &mut law);
            law
        };
        for a in 0..4 {
            for b in 0..2 {
                assert!((law(&[a, b]).iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
        assert_ne!(law(&[0, 0]), law(&[1, 0]));
        assert_ne!(law(&[0, 0]), law(&[0, 1]));
    }

    /// The layers written out one by one, from the same draws.
    #[test]
    fn multiplied_out_layers_equal_the_network() {
        let seed = Seed::new(3);
        let parents = [(VarId(0), 3), (VarId(1), 2)].into_iter().collect();
        let network = NeuralConditional::random(parents, 4, seed);
        let mut rng = seed.rng();
        let embeddings = gaussian(5, EMBEDDING, &mut rng);
        let first = orthogonal(HIDDEN, 2 * EMBEDDING, &mut rng);
        let bias: Vec<f64> = (0..HIDDEN).map(|_| rng.random_range(-0.5..0.5)).collect();
        let output = orthogonal(4, HIDDEN, &mut rng);
        let (a, b) = (2, 1);
        let stacked: Vec<f64> = embeddings
            .row(a)
            .iter()
            .chain(embeddings.row(3 + b))
            .copied()
            .collect();
        let hidden = first.dot(&ndarray::Array1::from(stacked)) + ndarray::Array1::from(bias);
        let mut expected = output
            .dot(&hidden.mapv(|h| if h > 0.0 { h } else { 0.1 * h }))
            .to_vec();
        softmax(&mut expected);
        let mut law = [0.0; 4];
        network.probabilities(&[2, 1], &mut law);
        for (found, expected) in law.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-12);
        }
    }
}
