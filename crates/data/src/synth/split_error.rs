//! Why a dataset cannot be divided over clients.

use fedcdi_core::{Remedied, Remedy};

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
    #[error("the shares {shares:?} sum to {}, but the data has {n_targets} intervened variables; give every one of them to a client", shares.iter().map(|n| *n as u128).sum::<u128>())]
    Shares {
        /// Targets per client asked for.
        shares: Vec<usize>,
        /// Targets in the data.
        n_targets: usize,
    },
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
