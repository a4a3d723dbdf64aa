//! Does a variable move when another one is set? One number for every ordered pair, to be summed over sites.
//!
//! Ours; it is the evidence of [`Effect`](super::effect::Effect) on the careful side. [`moves`] tells log-odds
//! of "j moves when i is set" against "it does not", from the rows under an intervention on i alone:
//!
//! | explanation of these rows | their law | code |
//! |---|---|---|
//! | j follows i as the two are associated in observational rows | `q(y|x)`, [`Conditional`] | `follows` |
//! | j follows i as strongly, but in another way | a law per value of i, around `p(y)`, as far from it as q is | `otherwise` |
//! | j does not move | `p(y)` of the observational rows, [`Base`] | `rests` |
//! | j depends on i or has another law than before, however weakly | a law per value of i, any distance from `p(y)` | `shows` |
//!
//! Where the first two are less likely than rest, their better one counts, as long as the rows do not show
//! any movement; else movement counts. So a negative number says that j does not move *as strongly as it is
//! associated*. It takes rows: with one row per value of i the second explanation is never unlikely.
//!
//! Real variables are cut into [`LEVELS`] levels with equally many observational rows. Without observational
//! rows nothing is told. Rows under several interventions at once are left out, as everywhere in this module.
//!
//! Complexity: O(N^2 n) for N variables and n rows.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset, Schema, VarId, Variable};
use ndarray::Array2;
use rayon::prelude::*;

use super::conditional::{Base, CONCENTRATIONS, Conditional};
use super::effect::{ln_rising, still};
use super::evidence::ByUse;
use crate::independence::counts::Cell;

/// Levels of a real variable.
const LEVELS: usize = 8;

/// `[cause, effect]`: log-odds that the effect moves when the cause is set, in nats; 0 where nothing set it.
pub fn moves(data: &Dataset) -> Array2<f64> {
    let n_vars = data.n_vars();
    let mut odds = Array2::zeros((n_vars, n_vars));
    if data.observational().is_empty() {
        return odds;
    }
    let rows = ByUse::of(&levelled(data));
    let all = (0..n_vars).flat_map(|i| (0..n_vars).map(move |j| (i, j)));
    let pairs: Vec<(usize, usize)> = all.filter(|(i, j)| i != j).collect();
    let of_pair = |(i, j): &(usize, usize)| rows.with_pair((VarId(*i), VarId(*j)), log_odds);
    let found: Vec<f64> = pairs.par_iter().map(of_pair).collect();
    pairs
        .iter()
        .zip(found)
        .for_each(|(at, found)| odds[*at] = found);
    odds
}

/// From the rows that set the cause, as [cause, effect].
pub(super) fn log_odds(cells: &[Cell], conditional: &Conditional<'_>, base: &Base) -> f64 {
    let n_rows: usize = cells.iter().map(|cell| cell.n as usize).sum();
    let rests: f64 = cells
        .iter()
        .map(|cell| f64::from(cell.n) * base.p(cell.effect).ln())
        .sum();
    let follows = by_value(cells, |row, n| {
        let given = conditional.given(row[0].cause);
        let rising = |cell: &Cell| ln_rising(given.weight(cell.effect), cell.n as usize);
        row.iter().map(rising).sum::<f64>() - ln_rising(given.total, n)
    });
    let otherwise = around(cells, base, conditional.concentration);
    let moves = follows.max(otherwise) - rests;
    if moves >= 0.0 {
        return moves;
    }
    // What rests may have another law than in the few observational rows.
    let rests = still(cells, base) - ln_rising(base.total, n_rows);
    let all = CONCENTRATIONS.map(|concentration| around(cells, base, concentration) - rests);
    let most = all.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mean = all.iter().map(|odds| (odds - most).exp()).sum::<f64>() / all.len() as f64;
    let shows = most + mean.ln();
    if shows > 0.0 { shows } else { moves }
}

/// Sum over the values that were set; rows of one value come with their number.
fn by_value(cells: &[Cell], of: impl Fn(&[Cell], usize) -> f64) -> f64 {
    let rows = cells.chunk_by(|a, b| a.cause == b.cause);
    rows.map(|row| of(row, row.iter().map(|cell| cell.n as usize).sum()))
        .sum()
}

/// Log-likelihood with a law per value that was set, at this concentration around the base law.
fn around(cells: &[Cell], base: &Base, concentration: f64) -> f64 {
    by_value(cells, |row, n| {
        let weight = |cell: &Cell| concentration * base.p(cell.effect);
        let rising = |cell: &Cell| ln_rising(weight(cell), cell.n as usize);
        row.iter().map(rising).sum::<f64>() - ln_rising(concentration, n)
    })
}

/// The table with levels in place of real numbers.
fn levelled(data: &Dataset) -> Dataset {
    let observed = data.observational();
    let columns = data.schema().ids().map(|var| {
        let (variable, column) = (data.schema().variable(var), data.column(var));
        match column.reals() {
            None => (variable.clone(), column.clone()),
            Some(reals) => {
                let cuts = cuts(observed.iter().map(|row| reals[*row]).collect());
                let level = |value: &f64| cuts.partition_point(|cut| cut <= value) as u16;
                let codes = Column::of_codes(reals.iter().map(level).collect(), LEVELS);
                (Variable::with_codes(&variable.name, LEVELS), codes)
            }
        }
    });
    let (variables, columns): (Vec<_>, Vec<_>) = columns.unzip();
    let schema = Schema::new(variables).expect("the names are those of the table");
    let (regimes, regime_of) = (data.regimes().to_vec(), data.regime_of().to_vec());
    let levelled = Dataset::new(Arc::new(schema), columns, regimes, regime_of);
    levelled.expect("levels are codes of their variables")
}

/// Where the next level begins, in order; fewer where values repeat.
fn cuts(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let mut cuts: Vec<f64> = (1..LEVELS)
        .map(|level| values[values.len() * level / LEVELS])
        .collect();
    cuts.dedup();
    cuts
}
