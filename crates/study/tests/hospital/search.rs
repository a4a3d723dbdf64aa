//! Other patients of whom the hospital would have told the same.
//!
//! A search by chance: a few patients are changed at a time, gladly if that brings the tests nearer to
//! what was told, and otherwise the less gladly the further it leads away. What it finds is proven by
//! telling it all again ([`Query::told_of`]); the quick statistics here only show the way. It finds
//! some of what is possible, so its numbers are lower bounds.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use fedcdi_core::{EdgeTest, Seed, VarId};
use fedcdi_learn::independence::disclosed::Tables;
use fedcdi_learn::independence::strata::is_filled;
use rand::{Rng, RngExt};

use super::asked::{Query, Told, largest};
use super::patients::{CELLS, Patients, SIZES, values};

/// One test, ready to be made many times.
struct Quick {
    /// Place of every combination in the tables of the test.
    places: [usize; CELLS],
    n_strata: usize,
    sizes: [usize; 2],
    planned: f64,
    told: Option<i64>,
}

impl Quick {
    fn new(query: &Query, told: Option<i64>) -> Self {
        let vars: Vec<usize> = query.vars();
        let place = |cell| {
            let values = values(cell);
            vars.iter().fold(0, |code, v| code * SIZES[*v] + values[*v])
        };
        Self {
            places: std::array::from_fn(place),
            n_strata: query.given.iter().map(|v| SIZES[*v]).product(),
            sizes: [SIZES[query.cause], SIZES[query.effect]],
            planned: query.degrees(),
            told,
        }
    }

    /// Statistic and degrees of freedom as [`Tables::told`] has them; 0 of nothing.
    fn statistic(&self, mut counts: Vec<u32>, means: &mut Means) -> (f64, f64) {
        let cells = self.sizes[0] * self.sizes[1];
        for stratum in counts.chunks_mut(cells) {
            if stratum.iter().sum::<u32>() < 5 {
                stratum.fill(0);
            }
        }
        let n_rows: u32 = counts.iter().sum();
        let occurs = |stratum: &&[u32]| stratum.iter().any(|n| *n > 0);
        let n_strata = counts.chunks(cells).filter(occurs).count();
        if !is_filled(n_rows as usize, n_strata, self.sizes) {
            return (0.0, 0.0);
        }
        let telling = counts.chunks(cells);
        let telling = telling.filter(|stratum| tells(stratum, self.sizes[1]));
        let rows: Vec<f64> = telling.flatten().map(|n| f64::from(*n)).collect();
        let n_telling: f64 = rows.iter().sum();
        let (mut g, mut degrees, mut kept) = (0.0, 0.0, 0.0);
        for stratum in counts.chunks_mut(cells) {
            let found = means.centred(stratum, self.sizes);
            g += found.0;
            degrees += found.1;
            if found.1 > 0.0 {
                kept += stratum.iter().map(|n| f64::from(*n)).sum::<f64>();
            }
        }
        if degrees > 0.0 && kept >= 0.9 * n_telling {
            return (g, degrees);
        }
        let summed = Tables::of_counts(rows, self.sizes).summed_cells(5.0);
        summed.unwrap_or((g, degrees))
    }

    /// How far the test of these patients is from what was told.
    fn miss(&self, patients: &Patients, means: &mut Means) -> f64 {
        const OF_KIND: f64 = 3.0;
        let cells = self.sizes[0] * self.sizes[1];
        let mut counts = vec![0; self.n_strata * cells];
        for (place, count) in self.places.iter().zip(&patients.0) {
            counts[*place] += count;
        }
        let (g, degrees) = self.statistic(counts, means);
        match self.told {
            None if degrees > 0.0 => OF_KIND,
            None => 0.0,
            Some(_) if degrees == 0.0 => OF_KIND,
            Some(told) => {
                let test = EdgeTest {
                    cause: VarId(0),
                    effect: VarId(1),
                    statistic: g,
                    degrees,
                };
                let found = test.at_degrees(self.planned).statistic;
                let found = found.min(largest(self.planned));
                ((found - told as f64).abs() - 0.5).max(0.0)
            }
        }
    }
}

/// Whether both sides have more than one value.
fn tells(stratum: &[u32], columns: usize) -> bool {
    let seen = |digit: &dyn Fn(usize) -> usize| {
        let cells = stratum.iter().enumerate().filter(|(_, n)| **n > 0);
        let mut values: Vec<usize> = cells.map(|(at, _)| digit(at)).collect();
        values.sort_unstable();
        values.dedup();
        values.len() > 1
    };
    seen(&|at| at / columns) && seen(&|at| at % columns)
}

/// Means of `k ln k` that were needed before.
#[derive(Default)]
struct Means(HashMap<[u32; 3], f64>);

impl Means {
    /// G, centred, and degrees of freedom of one table without its small cells.
    fn centred(&mut self, table: &mut [u32], [rows, columns]: [usize; 2]) -> (f64, f64) {
        loop {
            let by_row: Vec<u32> = table.chunks(columns).map(|row| row.iter().sum()).collect();
            let column = |y| table.iter().skip(y).step_by(columns).sum();
            let by_column: Vec<u32> = (0..columns).map(column).collect();
            let total: u32 = by_row.iter().sum();
            let rarest = |margin: &[u32]| margin.iter().copied().filter(|m| *m > 0).min();
            let n_seen = |margin: &[u32]| margin.iter().filter(|m| **m > 0).count();
            if n_seen(&by_row) < 2 || n_seen(&by_column) < 2 {
                return (0.0, 0.0);
            }
            let (Some(x), Some(y)) = (rarest(&by_row), rarest(&by_column)) else {
                return (0.0, 0.0);
            };
            if f64::from(x * y) >= 5.0 * f64::from(total) {
                let degrees = (n_seen(&by_row) - 1) * (n_seen(&by_column) - 1);
                let g = self.difference(table, &by_row, &by_column);
                return (2.0 * g + degrees as f64, degrees as f64);
            }
            if x <= y {
                let at = by_row.iter().position(|m| *m == x).unwrap_or(0);
                table[at * columns..(at + 1) * columns].fill(0);
            } else {
                let at = by_column.iter().position(|m| *m == y).unwrap_or(0);
                (0..rows).for_each(|row| table[row * columns + at] = 0);
            }
        }
    }

    /// Sum of `k ln k` over cells less its mean: half of G less its mean.
    fn difference(&mut self, table: &[u32], by_row: &[u32], by_column: &[u32]) -> f64 {
        let total: u32 = by_row.iter().sum();
        let mut sum = 0.0;
        for (x, row) in by_row.iter().enumerate().filter(|(_, n)| **n > 0) {
            for (y, column) in by_column.iter().enumerate().filter(|(_, n)| **n > 0) {
                let key = [*row.min(column), *row.max(column), total];
                let mean = *self.0.entry(key).or_insert_with(|| mean_times_ln(key));
                sum += times_ln(table[x * by_column.len() + y]) - mean;
            }
        }
        sum
    }
}

fn times_ln(k: u32) -> f64 {
    f64::from(k) * f64::from(k.max(1)).ln()
}

/// Mean of `k ln k`, where k of `total` have both of two properties that `a` and `b` have.
fn mean_times_ln([a, b, total]: [u32; 3]) -> f64 {
    let least = (a + b).saturating_sub(total);
    let (mut weight, mut mass, mut sum) = (1e-300, 0.0, 0.0);
    for k in least..=a.min(b) {
        mass += weight;
        sum += weight * times_ln(k);
        let up = f64::from(a - k) * f64::from(b - k);
        weight *= up / (f64::from(k + 1) * f64::from(total + k + 1 - a - b));
    }
    sum / mass
}

/// Where to look.
pub(crate) struct Search<'a> {
    /// What must be told.
    pub(crate) told: &'a Told,
    /// Combinations of values that patients may have.
    pub(crate) cells: Vec<usize>,
    /// How many patients there may be.
    pub(crate) n: RangeInclusive<u32>,
    /// How far away from what was told it may lead.
    pub(crate) heat: f64,
}

impl Search<'_> {
    /// Tables of drug and result, each of patients of whom exactly the same is told; and one of those
    /// groups of patients for each.
    pub(crate) fn from(
        &self,
        start: &Patients,
        steps: usize,
        seed: Seed,
    ) -> BTreeMap<[[u32; 2]; 2], Patients> {
        let (quick, mut means, mut rng) = (self.quick(), Means::default(), seed.rng());
        let (mut here, mut miss) = (start.clone(), 0.0);
        let at_start = missed(&quick, start, &mut means, miss);
        assert_eq!(at_start, Some(0.0), "of these it was told");
        let mut found = BTreeMap::from([(start.drug_by_hiv(), start.clone())]);
        for _ in 0..steps {
            let next = self.changed(&here, &mut rng);
            let most = miss - self.heat * rng.random_range(1e-9..1.0f64).ln();
            if next == here || !self.n.contains(&next.n()) || !next.rarer_are_rarer() {
                continue;
            }
            let Some(next_miss) = missed(&quick, &next, &mut means, most) else {
                continue;
            };
            (here, miss) = (next, next_miss);
            let table = here.drug_by_hiv();
            if miss == 0.0 && !found.contains_key(&table) && self.is_possible(&here) {
                found.insert(table, here.clone());
            }
        }
        found
    }

    /// The tests; those that say the same in both directions once.
    fn quick(&self) -> Vec<Quick> {
        let mirrors =
            |query: &Query| query.cause > query.effect && self.told.contains_key(&query.turned());
        let once = self.told.iter().filter(|(query, _)| !mirrors(query));
        once.map(|(query, told)| Quick::new(query, *told)).collect()
    }

    /// One to three patients come, go, or are others.
    fn changed(&self, patients: &Patients, rng: &mut impl Rng) -> Patients {
        let mut next = patients.clone();
        for _ in 0..rng.random_range(1..=3) {
            let [from, to] = [(); 2].map(|()| {
                let at = rng.random_range(0..=self.cells.len());
                self.cells.get(at)
            });
            match from.map(|from| &mut next.0[*from]) {
                Some(0) => continue,
                Some(count) => *count -= 1,
                None => {}
            }
            if let Some(to) = to {
                next.0[*to] += 1;
            }
        }
        next
    }

    /// Whether really the same would have been told.
    fn is_possible(&self, patients: &Patients) -> bool {
        let mut told = self.told.iter();
        told.all(|(query, told)| query.told_of(patients) == *told)
    }
}

/// How far tests are from what was told; none if that is more than `most`.
fn missed(quick: &[Quick], patients: &Patients, means: &mut Means, most: f64) -> Option<f64> {
    let mut sum = 0.0;
    for test in quick {
        sum += test.miss(patients, means);
        if sum > most {
            return None;
        }
    }
    Some(sum)
}
