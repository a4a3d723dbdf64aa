//! The smallest group of rows that may be behind a number.
//!
//! A group is the observational rows, or the rows under one intervention (on one variable, or on several at
//! once). Rows of smaller groups are left out before the site learns, counts or tests anything: so every
//! number that leaves is of groups that are large enough, whatever is asked, and so is every difference of
//! such numbers.

use fedcdi_core::{Dataset, Regime};

/// A site none of whose groups is large enough.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this site has {n_rows} rows, and its largest group of rows under one intervention, or under none, has {largest}: \
     its policy lets only groups of {smallest} rows take part; stay out of this study, or lower smallest_group"
)]
pub struct TooFew {
    /// Rows in all.
    pub n_rows: usize,
    /// Those of the largest group.
    pub largest: usize,
    /// The policy's limit.
    pub smallest: usize,
}

/// The rows of groups that are large enough.
pub(super) fn large_groups(rows: &Dataset, smallest: usize) -> Result<Dataset, TooFew> {
    let groups = rows.samples_by_regime();
    let is_large = |group: &&Vec<usize>| group.len() >= smallest;
    let mut kept: Vec<usize> = groups.iter().filter(is_large).flatten().copied().collect();
    if kept.is_empty() {
        return Err(TooFew {
            n_rows: rows.n_samples(),
            largest: groups.iter().map(Vec::len).max().unwrap_or(0),
            smallest,
        });
    }
    if kept.len() == rows.n_samples() {
        return Ok(rows.clone());
    }
    kept.sort_unstable();
    Ok(rows.select(&kept))
}

/// The groups that are left out, in words.
pub(super) fn small_groups(rows: &Dataset, smallest: usize) -> Vec<String> {
    let groups = rows.regimes().iter().zip(rows.samples_by_regime());
    let small = groups.filter(|(_, group)| group.len() < smallest);
    let words = |(regime, group): (&Regime, Vec<usize>)| {
        let targets: Vec<&str> = regime
            .targets()
            .iter()
            .map(|target| rows.schema().name(*target))
            .collect();
        let n = group.len();
        match &targets[..] {
            [] => format!("{n} without an intervention"),
            targets => format!("{n} under an intervention on {}", targets.join(" and ")),
        }
    };
    small.map(words).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Schema, VarId, Variable};

    use super::*;

    /// So many rows without an intervention, on a, and on a and b.
    fn table(sizes: [usize; 3]) -> Dataset {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut table = DatasetBuilder::with_capacity(schema, 0);
        let regimes = [vec![], vec![0], vec![0, 1]];
        for (n, targets) in sizes.into_iter().zip(regimes) {
            let regime = Regime::intervened(targets.into_iter().map(VarId));
            for at in 0..n {
                table.push(&[(at % 2) as u16, 0], &regime).unwrap();
            }
        }
        table.finish().unwrap()
    }

    #[test]
    fn rows_of_small_groups_are_left_out() {
        assert_eq!(large_groups(&table([10, 1, 9]), 10), Ok(table([10, 0, 0])));
        assert_eq!(
            large_groups(&table([9, 10, 10]), 10),
            Ok(table([0, 10, 10]))
        );
        assert_eq!(large_groups(&table([3, 2, 1]), 0), Ok(table([3, 2, 1])));
    }

    #[test]
    fn a_site_of_ten_rows_in_small_groups_stays_out() {
        let error = large_groups(&table([6, 3, 1]), 10).unwrap_err();
        let expected = TooFew {
            n_rows: 10,
            largest: 6,
            smallest: 10,
        };
        assert_eq!(error, expected);
    }

    #[test]
    fn what_is_left_out_is_named() {
        let small = small_groups(&table([9, 1, 20]), 10);
        let expected = ["9 without an intervention", "1 under an intervention on a"];
        assert_eq!(small, expected);
    }
}
