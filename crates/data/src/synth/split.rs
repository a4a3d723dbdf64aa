//! Dividing a dataset over clients.
//!
//! Paper: section 3 (horizontal and vertical distribution) and appendix B "Dataset size and
//! distribution": observational rows are always divided horizontally; a target's interventional
//! rows go whole to its only owner, or are divided among the clients that share it.
//!
//! Rows are dealt at random from the seed; every client keeps its rows in file order. A regime with
//! several targets is one unit: it has one owner in a vertical split, and in an explicit one it is
//! owned by the clients that list all its targets.

use fedcdi_core::{Dataset, Regime, Remedied, Remedy, Seed, VarId};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Over how many clients, and who gets which interventions.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitPlan {
    /// Number of clients, K.
    pub n_clients: usize,
    /// Who gets which interventional rows.
    pub targets: TargetSplit,
}

/// Who gets which interventional rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetSplit {
    /// Every client has rows of every target.
    #[default]
    Horizontal,
    /// Disjoint sets of targets of (nearly) equal size, drawn at random, that cover all.
    Vertical,
    /// Disjoint sets of these sizes, drawn at random, that cover all targets.
    Shares(Vec<usize>),
    /// The targets of each client, named; a shared target is divided among its owners.
    Explicit(Vec<Vec<VarId>>),
}

impl TargetSplit {
    /// Number of clients that it speaks of, if it does.
    pub fn n_clients(&self) -> Option<usize> {
        match self {
            Self::Horizontal | Self::Vertical => None,
            Self::Shares(shares) => Some(shares.len()),
            Self::Explicit(lists) => Some(lists.len()),
        }
    }
}

/// Why a dataset cannot be divided so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// No clients.
    #[error("a split needs at least 1 client, 0 asked for; {remedy}", remedy = more_clients())]
    NoClients,
    /// More clients than targets.
    #[error(
        "{0} clients cannot have disjoint targets, the data has only {1} intervened variables; use fewer clients or a horizontal split"
    )]
    TooManyClients(usize, usize),
    /// Shares that do not cover the targets.
    #[error(
        "the shares {0:?} sum to {sum}, but the data has {1} intervened variables; give every one of them to a client",
        sum = .0.iter().map(|n| *n as u128).sum::<u128>()
    )]
    Shares(Vec<usize>, usize),
    /// Another number of shares or lists than of clients.
    #[error(
        "targets are divided into {0} parts, but there are {1} clients; give one part per client"
    )]
    Lists(usize, usize),
    /// A target that no variable is.
    #[error(
        "target {0} is listed, but the data has {1} variables, numbered from 0; correct the lists"
    )]
    Unknown(usize, usize),
    /// Interventional rows that nobody would get.
    #[error(
        "no client lists {0}, so its rows would be lost; add it to a client or remove those rows first"
    )]
    Unowned(String),
    /// Nothing to divide.
    #[error("there are no rows to divide; {remedy}", remedy = more_rows())]
    NoData,
    /// More clients than rows.
    #[error("{0} clients cannot share {1} rows; use fewer clients")]
    TooFewRows(usize, usize),
    /// A client would have nothing.
    #[error("client {} would have no rows; use fewer clients", .0 + 1)]
    NoRows(usize),
}

fn more_clients() -> Remedy {
    Remedy::from("raise ").setting("clients")
}

fn more_rows() -> Remedy {
    let remedy = Remedy::from("give more data, or raise ").setting("obs");
    remedy.text(" or ").setting("int")
}

impl Remedied for SplitError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NoClients => Some(more_clients()),
            Self::NoData => Some(more_rows()),
            _ => None,
        }
    }
}

/// The rows of each client as datasets that share the schema.
///
/// # Errors
/// [`SplitError`] if the plan does not fit the data; see its variants.
pub fn split(dataset: &Dataset, plan: &SplitPlan, seed: Seed) -> Result<Vec<Dataset>, SplitError> {
    match (plan.n_clients, dataset.n_samples()) {
        (0, _) => return Err(SplitError::NoClients),
        (_, 0) => return Err(SplitError::NoData),
        (n_clients, n_rows) if n_clients > n_rows => {
            return Err(SplitError::TooFewRows(n_clients, n_rows));
        }
        _ => (),
    }
    let owners = owners(dataset, plan, seed)?;
    let mut rows = vec![Vec::new(); plan.n_clients];
    for (regime, samples) in dataset.samples_by_regime().into_iter().enumerate() {
        deal(samples, &owners[regime], regime, &mut rows, seed);
    }
    for (client, rows) in rows.iter_mut().enumerate() {
        if rows.is_empty() {
            return Err(SplitError::NoRows(client));
        }
        rows.sort_unstable();
    }
    Ok(rows.iter().map(|rows| dataset.select(rows)).collect())
}

/// Deals the shuffled samples of one regime to its owners in turn. Where they do not divide, the
/// turn starts at another owner for every regime, so that no client collects all the odd ones.
fn deal(
    mut samples: Vec<usize>,
    owners: &[usize],
    regime: usize,
    rows: &mut [Vec<usize>],
    seed: Seed,
) {
    samples.shuffle(&mut seed.derive("rows", regime).rng());
    for (turn, sample) in samples.into_iter().enumerate() {
        rows[owners[(turn + regime) % owners.len()]].push(sample);
    }
}

/// Clients that share each regime of the dataset.
fn owners(dataset: &Dataset, plan: &SplitPlan, seed: Seed) -> Result<Vec<Vec<usize>>, SplitError> {
    let (regimes, n_clients) = (dataset.regimes(), plan.n_clients);
    let is_experiment = |r: &usize| !regimes[*r].is_observational();
    let experiments: Vec<usize> = (0..regimes.len()).filter(is_experiment).collect();
    let mut owners = vec![(0..n_clients).collect(); regimes.len()];
    if let Some(n_lists) = plan.targets.n_clients().filter(|n| *n != n_clients) {
        return Err(SplitError::Lists(n_lists, n_clients));
    }
    let n_targets = experiments.len();
    match &plan.targets {
        TargetSplit::Horizontal => {}
        TargetSplit::Vertical if n_clients > n_targets => {
            return Err(SplitError::TooManyClients(n_clients, n_targets));
        }
        TargetSplit::Vertical => {
            let (share, rest) = (n_targets / n_clients, n_targets % n_clients);
            let shares = (0..n_clients).map(|client| share + usize::from(client < rest));
            assign_disjoint(&experiments, shares, &mut owners, seed);
        }
        TargetSplit::Shares(shares) => {
            let sum = shares.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
            if sum != Some(n_targets) {
                return Err(SplitError::Shares(shares.clone(), n_targets));
            }
            assign_disjoint(&experiments, shares.iter().copied(), &mut owners, seed);
        }
        TargetSplit::Explicit(lists) => {
            let n_vars = dataset.n_vars();
            if let Some(target) = lists.iter().flatten().find(|t| t.0 >= n_vars) {
                return Err(SplitError::Unknown(target.0, n_vars));
            }
            for &regime in &experiments {
                owners[regime] = listed_owners(dataset, &regimes[regime], lists)?;
            }
        }
    }
    Ok(owners)
}

fn assign_disjoint(
    experiments: &[usize],
    shares: impl Iterator<Item = usize>,
    owners: &mut [Vec<usize>],
    seed: Seed,
) {
    let mut order = experiments.to_vec();
    order.shuffle(&mut seed.derive("targets", 0).rng());
    let owner = shares.enumerate();
    let owner = owner.flat_map(|(client, n)| std::iter::repeat_n(client, n));
    for (regime, client) in order.into_iter().zip(owner) {
        owners[regime] = vec![client];
    }
}

fn listed_owners(
    dataset: &Dataset,
    regime: &Regime,
    lists: &[Vec<VarId>],
) -> Result<Vec<usize>, SplitError> {
    let lists_all = |list: &Vec<VarId>| regime.targets().iter().all(|t| list.contains(t));
    let owners: Vec<usize> = (0..lists.len()).filter(|c| lists_all(&lists[*c])).collect();
    if owners.is_empty() {
        let names = regime.targets().iter().map(|t| dataset.schema().name(*t));
        return Err(SplitError::Unowned(names.collect::<Vec<_>>().join(";")));
    }
    Ok(owners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Schema, Variable};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// `n_obs` observational rows, then `per_target` for each target; row number in base 256 in two
    /// columns, so that rows can be told apart.
    fn table(n_vars: usize, n_obs: usize, per_target: usize) -> Dataset {
        let variables = (0..n_vars.max(2)).map(|v| Variable::with_codes(format!("v{v}"), 256));
        let schema = Arc::new(Schema::new(variables.collect()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(Arc::clone(&schema), 0);
        let mut number = 0u16;
        let mut push = |regime: &Regime| {
            let mut row = vec![0; schema.n_vars()];
            (row[0], row[1]) = (number % 256, number / 256);
            builder.push(&row, regime).unwrap();
            number += 1;
        };
        (0..n_obs).for_each(|_| push(&Regime::Observational));
        for v in 0..n_vars {
            (0..per_target).for_each(|_| push(&Regime::intervened([VarId(v)])));
        }
        builder.finish().unwrap()
    }

    fn row_numbers(dataset: &Dataset) -> Vec<u16> {
        (0..dataset.n_samples())
            .map(|s| dataset.value(s, VarId(0)) + 256 * dataset.value(s, VarId(1)))
            .collect()
    }

    fn divide(
        dataset: &Dataset,
        n_clients: usize,
        targets: TargetSplit,
    ) -> Result<Vec<Dataset>, SplitError> {
        split(dataset, &SplitPlan { n_clients, targets }, Seed::new(3))
    }

    #[test]
    fn horizontal_gives_every_client_every_target() {
        for client in divide(&table(4, 40, 8), 4, TargetSplit::Horizontal).unwrap() {
            assert_eq!(client.observational().len(), 10);
            assert_eq!(client.interventional_counts(), [2, 2, 2, 2]);
        }
    }

    #[test]
    fn vertical_gives_whole_targets_to_one_owner() {
        let clients = divide(&table(20, 10, 5), 3, TargetSplit::Vertical).unwrap();
        let counts: Vec<Vec<usize>> = clients.iter().map(Dataset::interventional_counts).collect();
        for v in 0..20 {
            let mut rows: Vec<usize> = counts.iter().map(|c| c[v]).collect();
            rows.sort_unstable();
            assert_eq!(rows, [0, 0, 5]);
        }
        let mut sizes = counts.iter().map(|c| c.iter().filter(|n| **n > 0).count());
        assert!(sizes.by_ref().eq([7, 7, 6]));
    }

    #[test]
    fn shares_decide_how_many_targets_each_owns() {
        let clients = divide(&table(20, 10, 5), 2, TargetSplit::Shares(vec![16, 4])).unwrap();
        let owned = |c: &Dataset| c.interventional_counts().iter().filter(|n| **n > 0).count();
        assert_eq!((owned(&clients[0]), owned(&clients[1])), (16, 4));
    }

    #[test]
    fn shared_targets_are_divided_among_their_owners() {
        let lists = vec![vec![VarId(0), VarId(1)], vec![VarId(1), VarId(2)]];
        let clients = divide(&table(3, 4, 6), 2, TargetSplit::Explicit(lists)).unwrap();
        assert_eq!(clients[0].interventional_counts(), [6, 3, 0]);
        assert_eq!(clients[1].interventional_counts(), [0, 3, 6]);
    }

    #[test]
    fn plans_that_do_not_fit_are_refused() {
        let data = table(3, 4, 6);
        assert_eq!(
            divide(&data, 0, TargetSplit::Horizontal),
            Err(SplitError::NoClients)
        );
        assert_eq!(
            divide(&data, 4, TargetSplit::Vertical),
            Err(SplitError::TooManyClients(4, 3))
        );
        assert!(matches!(
            divide(&data, 2, TargetSplit::Shares(vec![2, 2])),
            Err(SplitError::Shares(_, 3))
        ));
        assert!(matches!(
            divide(&data, 3, TargetSplit::Shares(vec![2, 1])),
            Err(SplitError::Lists(2, 3))
        ));
        assert_eq!(
            divide(
                &data,
                2,
                TargetSplit::Explicit(vec![vec![VarId(0)], vec![VarId(1)]])
            ),
            Err(SplitError::Unowned("v2".into()))
        );
        let all = [0, 1, 2, 7].map(VarId).to_vec();
        assert_eq!(
            divide(&data, 1, TargetSplit::Explicit(vec![all])),
            Err(SplitError::Unknown(7, 3))
        );
        let huge = vec![usize::MAX, 4];
        assert_eq!(
            divide(&data, 2, TargetSplit::Shares(huge.clone())),
            Err(SplitError::Shares(huge, 3))
        );
        assert_eq!(
            divide(&table(2, 1, 1), 2, TargetSplit::Shares(vec![2, 0])),
            Err(SplitError::NoRows(1))
        );
        assert_eq!(
            divide(&data, usize::MAX, TargetSplit::Horizontal),
            Err(SplitError::TooFewRows(usize::MAX, 22))
        );
        assert_eq!(
            divide(&table(1, 0, 0), 2, TargetSplit::Horizontal),
            Err(SplitError::NoData)
        );
    }

    proptest! {
        #[test]
        fn every_row_goes_to_exactly_one_client(
            n_clients in 1..6usize, n_obs in 6..60usize, per_target in 1..9usize, vertical: bool
        ) {
            let data = table(6, n_obs, per_target);
            let targets = if vertical { TargetSplit::Vertical } else { TargetSplit::Horizontal };
            let clients = divide(&data, n_clients, targets).unwrap();
            let mut rows: Vec<u16> = clients.iter().flat_map(row_numbers).collect();
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..data.n_samples() as u16).collect::<Vec<_>>());
            let sizes = clients.iter().map(|c| c.observational().len());
            prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
        }
    }
}
