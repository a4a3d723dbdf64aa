//! Ancestral sampling from a network, observational and under interventions.
//!
//! Rows are drawn in blocks of fixed size, each from a stream of its own, so the result is the same
//! at any number of threads. A law with few parent configurations is tabulated once, as cumulative
//! probabilities; others are evaluated per row.

use fedcdi_core::{Column, Dataset, ParamsError, Regime, Seed, VarId};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use std::sync::Arc;

use super::intervene::{InterventionKind, SetTo};
use super::mechanism::Mechanism;
use super::network::Network;

/// Rows of one block; part of what a seed means.
const BLOCK: usize = 4096;

/// Laws with at most this many configurations of their parents are tabulated.
const MAX_TABULATED: usize = 20_000;

/// How many samples to take, and under which interventions.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplePlan {
    /// Samples of each regime, in this order.
    pub regimes: Vec<(Regime, usize)>,
    /// What interventions do.
    pub kind: InterventionKind,
    /// What perfect interventions draw real targets from.
    pub set_to: SetTo,
}

impl SamplePlan {
    /// Most samples, observational and interventional each: those of both are numbered in 32 bits.
    pub const MOST: usize = 2_000_000_000;

    /// `n_observational` samples, then `n_interventional` spread evenly over `regimes` (the first
    /// ones get one more where it does not divide).
    ///
    /// # Errors
    /// [`ParamsError`] if there are interventional samples but nothing to intervene on, or more
    /// samples than [`Self::MOST`].
    pub fn even(
        n_observational: usize,
        n_interventional: usize,
        regimes: Vec<Regime>,
        kind: InterventionKind,
    ) -> Result<Self, ParamsError> {
        let n = regimes.len();
        let possible = n > 0 || n_interventional == 0;
        let need = "at least 1 to draw interventional samples";
        ParamsError::require("targets", n, need, possible)?;
        for (field, size) in [("obs", n_observational), ("int", n_interventional)] {
            ParamsError::require(field, size, "at most 2000000000 rows", size <= Self::MOST)?;
        }
        let observational = (Regime::Observational, n_observational);
        let count = |at: usize| n_interventional / n + usize::from(at < n_interventional % n);
        let others = (0..).zip(regimes).map(|(at, r)| (r, count(at)));
        Ok(Self {
            regimes: std::iter::once(observational).chain(others).collect(),
            kind,
            set_to: SetTo::default(),
        })
    }

    /// Single-variable regimes on every variable.
    pub fn every_variable(n_vars: usize) -> Vec<Regime> {
        let targets = (0..n_vars).map(VarId);
        targets.map(|target| Regime::intervened([target])).collect()
    }

    /// All samples together.
    pub fn n_samples(&self) -> usize {
        self.regimes.iter().map(|(_, n)| n).sum()
    }
}

/// Draws what `plan` asks for. `progress` is told how many rows were finished, from any thread.
pub fn sample(
    network: &Network,
    plan: &SamplePlan,
    seed: Seed,
    progress: &(dyn Fn(usize) + Sync),
) -> Dataset {
    let blocks: Vec<Block> = (plan.regimes.iter().enumerate())
        .flat_map(|(regime, (_, n))| {
            let starts = (0..*n).step_by(BLOCK).enumerate();
            starts.map(move |(number, start)| Block {
                regime,
                number,
                n_rows: BLOCK.min(n - start),
            })
        })
        .collect();
    let soft = seed.derive("interventions", 0);
    let regimes = plan.regimes.par_iter();
    let laws: Vec<Vec<Law>> = regimes
        .map(|(regime, _)| network.under(regime, plan.kind, plan.set_to, soft))
        .map(|network| network.mechanisms().iter().map(Law::new).collect())
        .collect();
    let drawn: Vec<Vec<Column>> = blocks
        .par_iter()
        .map(|block| {
            let stream = seed.derive("regime", block.regime);
            let stream = stream.derive("block", block.number);
            let columns = draw_block(network, &laws[block.regime], block.n_rows, stream);
            progress(block.n_rows);
            columns
        })
        .collect();
    assemble(network, plan, &blocks, &drawn)
}

struct Block {
    regime: usize,
    number: usize,
    n_rows: usize,
}

fn assemble(
    network: &Network,
    plan: &SamplePlan,
    blocks: &[Block],
    drawn: &[Vec<Column>],
) -> Dataset {
    let schema = network.schema();
    let columns = schema.ids().map(|var| {
        let mut column = Column::of(schema.variable(var), plan.n_samples());
        drawn
            .iter()
            .for_each(|block| column.append(&block[var.index()]));
        column
    });
    let regimes = plan.regimes.iter().map(|(regime, _)| regime.clone());
    let regime_of = blocks.iter();
    let regime_of = regime_of.flat_map(|b| std::iter::repeat_n(b.regime as u32, b.n_rows));
    Dataset::new(
        Arc::clone(schema),
        columns.collect(),
        regimes.collect(),
        regime_of.collect(),
    )
    .expect("codes have categories, and functions of finite numbers are finite")
}

/// Values of one block by variable; codes are not narrowed yet.
fn draw_block(network: &Network, laws: &[Law], n_rows: usize, stream: Seed) -> Vec<Column> {
    let mut rng = stream.rng();
    let mut columns = vec![Column::U16(Vec::new()); laws.len()];
    for &var in network.dag().topological_order() {
        let law = &laws[var.index()];
        let parents = law.mechanism.parents().iter().map(|p| &columns[p.index()]);
        let column = match &law.mechanism {
            Mechanism::Real(mechanism) => {
                let parents: Vec<&[f64]> = parents.filter_map(Column::reals).collect();
                let mut inputs = Vec::new();
                let draw = |row: usize| {
                    inputs.clear();
                    inputs.extend(parents.iter().map(|values| values[row]));
                    mechanism.draw(&mut inputs, &mut rng)
                };
                Column::Real((0..n_rows).map(draw).collect())
            }
            Mechanism::Set(set_to) => {
                Column::Real((0..n_rows).map(|_| set_to.draw(&mut rng)).collect())
            }
            Mechanism::Table(_) | Mechanism::Neural(_) => {
                let parents: Vec<&[u16]> = parents.filter_map(codes).collect();
                Column::U16(law.draw(&parents, n_rows, &mut rng))
            }
        };
        columns[var.index()] = column;
    }
    columns
}

fn codes(column: &Column) -> Option<&[u16]> {
    match column {
        Column::U16(codes) => Some(codes),
        _ => None,
    }
}

/// A mechanism made ready for many draws.
struct Law {
    mechanism: Mechanism,
    /// Cumulative probabilities of all parent configurations, where they are few.
    table: Option<Vec<f64>>,
}

impl Law {
    fn new(mechanism: &Mechanism) -> Self {
        let n_categories = mechanism.n_categories();
        let few = |n: &usize| n_categories > 0 && *n <= MAX_TABULATED;
        let parents = mechanism.parents_with_categories();
        let table = parents.n_rows().filter(few).map(|n| {
            let mut table = vec![0.0; n * n_categories];
            for (row, law) in table.chunks_mut(n_categories).enumerate() {
                mechanism.probabilities(&parents.values_of(row), law);
                accumulate(law);
            }
            table
        });
        Self {
            mechanism: mechanism.clone(),
            table,
        }
    }

    /// Codes of so many rows, given those of the parents.
    fn draw(&self, parents: &[&[u16]], n_rows: usize, rng: &mut impl Rng) -> Vec<u16> {
        let mut values = Vec::new();
        let mut row_law = vec![0.0; self.mechanism.n_categories()];
        let draw = |row: usize| {
            values.clear();
            values.extend(parents.iter().map(|codes| codes[row]));
            let cumulative = self.cumulative(&values, &mut row_law);
            let u: f64 = rng.random();
            // The last category takes what rounding leaves below 1.
            let bounds = &cumulative[..cumulative.len() - 1];
            bounds.iter().filter(|bound| u >= **bound).count() as u16
        };
        (0..n_rows).map(draw).collect()
    }

    /// Cumulative probabilities under these parent values; `scratch` holds them if need be.
    fn cumulative<'a>(&'a self, parent_values: &[u16], scratch: &'a mut [f64]) -> &'a [f64] {
        let Some(table) = &self.table else {
            self.mechanism.probabilities(parent_values, scratch);
            accumulate(scratch);
            return scratch;
        };
        let row = self
            .mechanism
            .parents_with_categories()
            .row_of(parent_values);
        &table[row * scratch.len()..][..scratch.len()]
    }
}

/// Turns probabilities into cumulative ones. From the last possible category on they are exactly 1,
/// so that rounding cannot draw an impossible category.
fn accumulate(law: &mut [f64]) {
    let total: f64 = law.iter().sum();
    let last = law.iter().rposition(|p| *p > 0.0).unwrap_or(0);
    let mut sum = 0.0;
    for (category, p) in law.iter_mut().enumerate() {
        sum += *p;
        *p = if category < last { sum / total } else { 1.0 };
    }
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
    use super::*;

    #[test]
    fn impossible_categories_get_no_room() {
        let mut law = [0.0, 0.25, 0.0, 0.75, 0.0];
        accumulate(&mut law);
        assert_eq!(law, [0.0, 0.25, 0.25, 1.0, 1.0]);
    }

    #[test]
    fn rows_are_spread_evenly_with_the_rest_in_front() {
        let regimes = SamplePlan::every_variable(3);
        let plan = SamplePlan::even(5, 8, regimes, InterventionKind::Perfect).unwrap();
        let counts: Vec<usize> = plan.regimes.iter().map(|(_, n)| *n).collect();
        assert_eq!(counts, [5, 3, 3, 2]);
        assert_eq!(plan.n_samples(), 13);
        assert!(SamplePlan::even(5, 8, vec![], InterventionKind::Perfect).is_err());
        let regimes = SamplePlan::every_variable(3);
        let huge = SamplePlan::even(usize::MAX, 8, regimes, InterventionKind::Perfect);
        assert_eq!(huge.unwrap_err().field, "obs");
    }
}
