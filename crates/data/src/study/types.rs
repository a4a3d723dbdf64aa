//! What a study is.

use std::sync::Arc;

use fedcdi_core::{Dag, Dataset, Schema, Seed};
use serde::{Deserialize, Serialize};

use crate::synth::split::{SplitError, SplitPlan, split};

/// The samples of every client, all under one schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    pub(super) clients: Vec<Client>,
    pub(super) truth: Option<Dag>,
    pub(super) n_dropped: usize,
    pub(super) ignored: Vec<String>,
}

/// One client's samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Name of the site, and of its file.
    pub name: String,
    /// Its samples.
    pub data: Dataset,
}

/// How the tables of a study are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// Text that any program reads.
    #[default]
    Csv,
    /// Compact, typed, with the schema inside.
    Parquet,
}

impl TableFormat {
    /// The extension of such files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

impl Study {
    pub(super) fn of(clients: Vec<Client>, truth: Option<Dag>) -> Self {
        Self {
            clients,
            truth,
            n_dropped: 0,
            ignored: Vec::new(),
        }
    }

    /// One table that is not divided.
    pub fn pooled(data: Dataset, truth: Option<Dag>) -> Self {
        let name = "data".to_owned();
        Self::of(vec![Client { name, data }], truth)
    }

    /// One table per client, called `client-1`, `client-2`, .. (with leading zeros where needed).
    /// Panics if there are no clients or their schemas differ: splits of one table never do.
    pub fn divided(tables: Vec<Dataset>, truth: Option<Dag>) -> Self {
        let schema = Arc::clone(tables.first().expect("a study has a client").schema());
        assert!(tables.iter().all(|t| *t.schema() == schema), "one schema");
        let digits = tables.len().to_string().len();
        let clients = (1..).zip(tables).map(|(number, data)| Client {
            name: format!("client-{number:0digits$}"),
            data,
        });
        Self::of(clients.collect(), truth)
    }

    /// The rows of `table` divided over clients as `plan` says.
    ///
    /// # Errors
    /// [`SplitError`] if the plan does not fit the data.
    pub fn split(
        table: &Dataset,
        truth: Option<Dag>,
        plan: &SplitPlan,
        seed: Seed,
    ) -> Result<Self, SplitError> {
        Ok(Self::divided(split(table, plan, seed)?, truth))
    }

    /// The clients, by name.
    pub fn clients(&self) -> &[Client] {
        &self.clients
    }

    /// The true graph, where it is known.
    pub fn truth(&self) -> Option<&Dag> {
        self.truth.as_ref()
    }

    /// Rows that were left out when the tables were read, because a value was missing.
    pub fn n_dropped(&self) -> usize {
        self.n_dropped
    }

    /// Names of the files beside the tables of its folder that were not read, sorted: some may be
    /// the tables of clients in a format that is not known.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Names and categories that all clients share.
    pub fn schema(&self) -> &Arc<Schema> {
        self.clients[0].data.schema()
    }

    /// The same study with every client's table changed; rows may be left out, not variables.
    #[must_use]
    pub fn map(&self, change: impl Fn(&Dataset) -> Dataset) -> Self {
        let clients = self.clients.iter().map(|client| Client {
            name: client.name.clone(),
            data: change(&client.data),
        });
        self.with_clients(clients.collect())
    }

    fn with_clients(&self, clients: Vec<Client>) -> Self {
        Self {
            n_dropped: self.n_dropped,
            ignored: self.ignored.clone(),
            ..Self::of(clients, self.truth.clone())
        }
    }

    /// One client alone, with the truth.
    #[must_use]
    pub fn only(&self, client: usize) -> Self {
        self.with_clients(vec![self.clients[client].clone()])
    }

    /// Whether some client intervened on something.
    pub fn has_interventions(&self) -> bool {
        let mut tables = self.clients.iter().map(|client| &client.data);
        tables.any(|data| data.regimes().iter().any(|r| !r.is_observational()))
    }

    /// All samples in one table.
    pub fn pool(&self) -> Dataset {
        let tables: Vec<&Dataset> = self.clients.iter().map(|c| &c.data).collect();
        Dataset::concat(&tables).expect("clients share a schema")
    }
}
