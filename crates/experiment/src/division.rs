//! From all rows to the clients that have them.

use fedcdi_core::{Dataset, Remedied, Remedy, Seed};
use fedcdi_data::split::SplitError;
use fedcdi_data::{SplitPlan, Study, TargetSplit};

use crate::spec::RowLimits;

/// Why there are no clients.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivisionError {
    /// A federation of fewer than two.
    #[error(
        "a federation needs at least 2 clients, there is {0}; {remedy}",
        remedy = more_clients()
    )]
    TooFewClients(usize),
    /// A division of tables that stay as they are.
    #[error(
        "split says how the data is divided, but not over how many clients; add clients = K, or leave split out to take the tables of the study as they are"
    )]
    NotDivided,
    /// The data cannot be divided so.
    #[error(transparent)]
    Split(#[from] SplitError),
}

fn more_clients() -> Remedy {
    let remedy = Remedy::from("pass ").setting("clients");
    remedy.text(", or use fedcdi discover")
}

impl Remedied for DivisionError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::TooFewClients(_) => Some(more_clients()),
            Self::NotDivided => None,
            Self::Split(error) => error.remedy(),
        }
    }
}

/// Said where `study` has fewer rows than [`divide`] is asked to cut it to; of clients that stay as
/// they are, the first that has.
pub fn shortfall(study: &Study, clients: Option<usize>, rows: RowLimits) -> Option<String> {
    if clients.is_some() {
        return rows.shortfall(&study.pool());
    }
    study.clients().iter().find_map(|client| {
        let text = rows.shortfall(&client.data)?;
        Some(format!("{}: {text}", client.name))
    })
}

/// Said where rows were left out because a value was missing.
pub fn dropped(study: &Study) -> Option<String> {
    let kept: usize = study.clients().iter().map(|c| c.data.n_samples()).sum();
    let n_dropped = study.n_dropped();
    let all = kept + n_dropped;
    (n_dropped > 0).then(|| {
        format!("{n_dropped} of {all} rows have a missing value and were left out (--missing drop)")
    })
}

/// The data of `study` cut to the first `rows` and divided over so many clients, of which `split`
/// says who gets which interventional rows; without a number, the clients stay as they are.
///
/// # Errors
/// [`DivisionError`] if there are fewer than two, the data cannot be divided so, or a division was
/// asked for without a number.
pub fn divide(
    study: &Study,
    clients: Option<usize>,
    split: &TargetSplit,
    rows: RowLimits,
    seed: u64,
) -> Result<Study, DivisionError> {
    let n_clients = clients.unwrap_or(study.clients().len());
    if n_clients < 2 {
        return Err(DivisionError::TooFewClients(n_clients));
    }
    let cut = |data: &Dataset| data.first(rows.observational, rows.per_intervention);
    if clients.is_none() {
        if *split != TargetSplit::default() {
            return Err(DivisionError::NotDivided);
        }
        return Ok(study.map(cut));
    }
    let plan = SplitPlan {
        n_clients,
        targets: split.clone(),
    };
    let seed = Seed::new(seed).derive("split", 0);
    let truth = study.truth().cloned();
    Ok(Study::split(&cut(&study.pool()), truth, &plan, seed)?)
}
