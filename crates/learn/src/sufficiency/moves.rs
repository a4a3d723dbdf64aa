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
//! associated*. It takes rows: with one row per value of i the second explanation is never unlikely, and where both have
//! two values, 400 rows for each make it unlikely by about 6 nats.
//!
//! Real variables are cut into [`LEVELS`] levels with equally many observational rows. Without observational
//! rows nothing is told. Rows under several interventions at once are left out, as everywhere in this module.
//!
//! Complexity: O(N^2 n) for N variables and n rows.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset, Regime, Schema, VarId, Variable};
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
    let is_set = |i: usize| data.regimes().contains(&Regime::intervened([VarId(i)]));
    let is_set: Vec<bool> = (0..n_vars).map(is_set).collect();
    let pairs: Vec<(usize, usize)> = all.filter(|(i, j)| i != j && is_set[*i]).collect();
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

#[cfg(test)]
mod tests {
    use fedcdi_core::{DatasetBuilder, Seed};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const OBSERVED: Regime = Regime::Observational;

    fn set(var: usize) -> Regime {
        Regime::intervened([VarId(var)])
    }

    /// A table of binary variables: so many rows with these codes under this regime.
    fn table(n_vars: usize, rows: &[(usize, &[u16], Regime)]) -> Dataset {
        let variables = (0..n_vars).map(|at| Variable::with_codes(format!("v{at}"), 2));
        let schema = Arc::new(Schema::new(variables.collect()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 0);
        for (n, codes, regime) in rows {
            (0..*n).for_each(|_| builder.push(codes, regime).unwrap());
        }
        builder.finish().unwrap()
    }

    /// v1 is 0 and 1 so often, where v0 is 0; the other way round where it is 1.
    fn follows(
        often: usize,
        seldom: usize,
        regime: &Regime,
    ) -> Vec<(usize, &'static [u16], Regime)> {
        let cells: [(usize, &[u16]); 4] = [
            (often, &[0, 0]),
            (seldom, &[0, 1]),
            (seldom, &[1, 0]),
            (often, &[1, 1]),
        ];
        cells.map(|(n, codes)| (n, codes, regime.clone())).to_vec()
    }

    fn under(observed: (usize, usize), set_to: (usize, usize)) -> f64 {
        let rows = [
            follows(observed.0, observed.1, &OBSERVED),
            follows(set_to.0, set_to.1, &set(0)),
        ];
        moves(&table(2, &rows.concat()))[(0, 1)]
    }

    #[test]
    fn few_rows_by_hand() {
        // As in the tests of the module: p = 1/2, a = 4, q(0|0) = 5/8, q(1|0) = 3/8.
        let cells = |counts: &[(u16, u16, u32)]| -> Vec<Cell> {
            let cell = |&(cause, effect, n): &_| Cell {
                given: 0,
                cause,
                effect,
                n,
            };
            counts.iter().map(cell).collect()
        };
        let base = Base::of(&[3, 3]);
        let observed = cells(&[(0, 0, 3), (0, 1, 1), (1, 1, 2)]);
        let conditional = Conditional::fit(&observed, &base);
        let odds = |counts: &[_]| log_odds(&cells(counts), &conditional, &base);
        assert!((odds(&[(0, 0, 1)]) - 1.25f64.ln()).abs() < 1e-12);
        // 3/8 as it is associated, 1/2 in another way.
        assert_eq!(odds(&[(0, 1, 1)]), 0.0);
        // 5/8 3/9 and 1/2 2/5 against 1/4. Any movement: the mean over a of a / (4 (a + 1)), 0.2061, against
        // 3.5 3.5 / (7 8) = 0.2188.
        assert!((odds(&[(0, 0, 1), (0, 1, 1)]) - (5.0f64 / 6.0).ln()).abs() < 1e-12);
        assert_eq!(odds(&[]), 0.0);
    }

    #[test]
    fn what_follows_moves_and_what_takes_no_notice_rests() {
        assert!(under((450, 50), (45, 5)) > 20.0);
        // The better one is a law per value, which rows contradict slowly where there are only two.
        let rests = [25, 400].map(|n| under((450, 50), (n, n)));
        assert!(rests[0] < -2.0 && rests[1] < -5.0, "{rests:?}");
        // Nothing is associated, so nothing can be told.
        assert!(under((250, 250), (25, 25)).abs() < 0.5);
    }

    #[test]
    fn an_effect_weaker_than_its_association_is_no_rest() {
        // A common cause makes most of the association: 9 of 10 follow, and 6 of 10 where it is set.
        let weak = under((450, 50), (120, 80));
        assert!(weak > 0.0, "{weak}");
        // Some effects move the other way.
        assert!(under((450, 50), (10, 40)) > 5.0);
    }

    #[test]
    fn few_observational_rows_do_not_make_anything_rest() {
        // v1 has another share than the ten rows say, but does not depend on what is set.
        let observed = follows(3, 2, &OBSERVED);
        let skewed: [(usize, &[u16]); 4] =
            [(120, &[0, 0]), (30, &[0, 1]), (120, &[1, 0]), (30, &[1, 1])];
        let skewed = skewed.map(|(n, codes)| (n, codes, set(0)));
        let odds = moves(&table(2, &[observed, skewed.to_vec()].concat()));
        assert!(odds[(0, 1)] > -1.0, "{odds}");
        let none = moves(&table(2, &skewed));
        assert_eq!(none, Array2::<f64>::zeros((2, 2)));
    }

    #[test]
    fn real_numbers_tell_the_same_whatever_their_scale() {
        // v1 = v0 and a little, v2 none of it; where v1 is set, v0 rests.
        let mut rng = Seed::new(5).rng();
        let mut row = |at: usize| {
            let [v0, noise, v1, v2]: [f64; 4] = std::array::from_fn(|_| rng.random());
            [v0, if at < 800 { v0 + 0.2 * noise } else { v1 }, v2]
        };
        let rows: Vec<[f64; 3]> = (0..1200).map(&mut row).collect();
        let regime_of = (0..1200).map(|at| at / 400).collect();
        let of = |scale: fn(f64) -> f64| {
            let column = |var: usize| rows.iter().map(|row| scale(row[var])).collect();
            let schema = ["a", "b", "c"].map(Variable::real).to_vec();
            let schema = Arc::new(Schema::new(schema).unwrap());
            let regimes = vec![OBSERVED, set(0), set(1)];
            let columns = (0..3).map(|var| Column::Real(column(var))).collect();
            moves(&Dataset::new(schema, columns, regimes, Vec::clone(&regime_of)).unwrap())
        };
        let odds = of(|x| x);
        assert!(odds[(0, 1)] > 50.0 && odds[(1, 0)] < -50.0, "{odds}");
        assert!(odds.row(2).iter().all(|odds| *odds == 0.0));
        assert_eq!(odds, of(|x| x.exp() * 1e6));
    }

    fn tables() -> impl Strategy<Value = Vec<([u16; 3], usize)>> {
        vec(
            (
                any::<[bool; 3]>().prop_map(|codes| codes.map(u16::from)),
                0..4usize,
            ),
            1..80,
        )
    }

    proptest! {
        /// Whoever has the rows under an intervention, as long as all of them are at one site, beside the same
        /// observational rows.
        #[test]
        fn sites_with_whole_regimes_add_up_to_one_table(rows in tables(), at in any::<[bool; 3]>()) {
            let has = |rows: &[([u16; 3], usize)], keep: &dyn Fn(usize) -> bool| {
                let kept: Vec<_> = rows.iter().filter(|(_, regime)| keep(*regime)).collect();
                let regime = |at: usize| at.checked_sub(1).map_or(OBSERVED, set);
                let kept: Vec<_> = kept.into_iter().map(|(codes, at)| (1, &codes[..], regime(*at))).collect();
                moves(&table(3, &kept))
            };
            let all = has(&rows, &|_| true);
            let [one, other] = [true, false].map(|side| has(&rows, &|regime| regime == 0 || at[regime - 1] == side));
            prop_assert_eq!(one + other, all.clone());
            prop_assert!(all.iter().all(|odds| odds.is_finite()));
        }
    }
}
