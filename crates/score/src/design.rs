//! Columns of an additive model, and the two ways to write its weights.
//!
//! `ln p(v given x) = a_v + sum_i b_(i, x_i, v) - ln sum_u exp(..)`. In full there is a column for the
//! intercept and for every category of every parent (one for a real parent), and a number per value of
//! the effect in each. Many such weights are the same model. What travels leaves out the last value and
//! the last category of every parent, whose weights are 0.

use fedcdi_core::VarId;

use crate::ask::{Outline, Slope};

/// Which columns a model has.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    pub(crate) effect: VarId,
    /// Values of the effect that occur.
    pub(crate) values: Vec<u16>,
    pub(crate) blocks: Vec<Block>,
    /// All columns, the intercept first.
    pub(crate) n_columns: usize,
}

/// The columns of one parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) parent: VarId,
    pub(crate) start: usize,
    pub(crate) width: usize,
    pub(crate) is_real: bool,
}

impl Block {
    pub(crate) fn columns(self) -> std::ops::Range<usize> {
        self.start..self.start + self.width
    }
}

impl Design {
    pub(crate) fn new(
        outline: &Outline,
        effect: VarId,
        values: Vec<u16>,
        parents: impl Iterator<Item = VarId>,
    ) -> Self {
        let mut n_columns = 1;
        let block = |parent| {
            let (start, width) = (n_columns, outline.width(parent));
            n_columns += width;
            Block {
                parent,
                start,
                width,
                is_real: outline.is_real(parent),
            }
        };
        let blocks = parents.map(block).collect();
        Self {
            effect,
            values,
            blocks,
            n_columns,
        }
    }

    pub(crate) fn n_values(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn block(&self, parent: VarId) -> Option<&Block> {
        self.blocks.iter().find(|block| block.parent == parent)
    }

    /// The question about these weights.
    pub(crate) fn slope(&self, weights: &[f64], outlook: bool) -> Slope {
        Slope {
            set: None,
            effect: self.effect,
            values: self.values.clone(),
            parents: self.blocks.iter().map(|block| block.parent).collect(),
            weights: self.reduced(weights),
            outlook,
        }
    }

    /// Weights as they travel, `[free column, value but the last]`.
    pub(crate) fn reduced(&self, full: &[f64]) -> Vec<f64> {
        let n = self.n_values();
        let at = |column: usize, value: usize| full[column * n + value] - full[column * n + n - 1];
        let references: Vec<usize> = (self.blocks.iter().filter(|block| !block.is_real))
            .map(|block| block.columns().end - 1)
            .collect();
        let intercept = |value| {
            let shifts = references.iter().map(|last| at(*last, value));
            at(0, value) + shifts.sum::<f64>()
        };
        let mut reduced: Vec<f64> = (0..n - 1).map(intercept).collect();
        for block in &self.blocks {
            let last = block.columns().end - 1;
            for column in block.columns() {
                if block.is_real {
                    reduced.extend((0..n - 1).map(|value| at(column, value)));
                } else if column < last {
                    reduced.extend((0..n - 1).map(|value| at(column, value) - at(last, value)));
                }
            }
        }
        reduced
    }

    /// Slopes in full from those that travel: they sum to 0 over values, and the columns of a
    /// categorical parent sum to the intercept.
    pub(crate) fn full_gradient(&self, reduced: &[f64]) -> Vec<f64> {
        let n = self.n_values();
        let mut full = vec![0.0; self.n_columns * n];
        let mut rows = reduced.chunks_exact(n - 1);
        let mut put = |full: &mut [f64], column: usize| {
            let row = rows.next().expect("a row per free column");
            full[column * n..][..n - 1].copy_from_slice(row);
        };
        put(&mut full, 0);
        for block in &self.blocks {
            let last = block.columns().end - 1;
            for column in block
                .columns()
                .filter(|column| block.is_real || *column < last)
            {
                put(&mut full, column);
            }
            if !block.is_real {
                for value in 0..n - 1 {
                    let others = (block.start..last).map(|column| full[column * n + value]);
                    full[last * n + value] = full[value] - others.sum::<f64>();
                }
            }
        }
        for row in full.chunks_exact_mut(n) {
            row[n - 1] = -row[..n - 1].iter().sum::<f64>();
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design() -> Design {
        // An effect of 3 values; parents of 2 categories and a real one.
        let outline = Outline(vec![Some(3), Some(2), None]);
        Design::new(
            &outline,
            VarId(0),
            vec![0, 1, 2],
            [VarId(1), VarId(2)].into_iter(),
        )
    }

    #[test]
    fn reduced_weights_are_the_same_model() {
        let design = design();
        let full: Vec<f64> = (0..12).map(|at| f64::from(at * at % 7)).collect();
        let reduced = design.reduced(&full);
        assert_eq!(reduced.len(), 3 * 2);
        // Log-odds of the first value against the last, for the first category and x = 2.
        let odds = |column: usize| full[column * 3] - full[column * 3 + 2];
        let expected = odds(0) + odds(1) + 2.0 * odds(3);
        assert!((reduced[0] + reduced[2] + 2.0 * reduced[4] - expected).abs() < 1e-12);
        // For the second category, the reference.
        let expected = odds(0) + odds(2) + 2.0 * odds(3);
        assert!((reduced[0] + 2.0 * reduced[4] - expected).abs() < 1e-12);
    }

    #[test]
    fn slopes_sum_to_nothing_over_values_and_to_the_intercept_over_categories() {
        let full = design().full_gradient(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let expected = [1., 2., -3., 3., 4., -7., -2., -2., 4., 5., 6., -11.];
        assert_eq!(full, expected);
    }
}
