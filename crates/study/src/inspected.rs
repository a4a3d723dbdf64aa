//! What tables hold, and whether it is enough.

use fedcdi_data::{Inspection, Study};
use fedcdi_learn::sufficiency::{FederationSufficiency, Sufficiency};
use serde::Serialize;

/// What the tables of a study hold.
#[derive(Debug, Serialize)]
pub struct Inspected {
    /// Of names and labels.
    pub schema_hash: String,
    /// Variables.
    pub n_vars: usize,
    /// Rows of all sites.
    pub n_samples: usize,
    /// Rows that nothing was intervened on in.
    pub n_observational: usize,
    /// Edges of the true graph, where it is known.
    pub truth_edges: Option<usize>,
    /// Files of the folder that are no tables.
    pub ignored: Vec<String>,
    /// One entry per site.
    pub clients: Vec<InspectedSite>,
    /// What several sites can tell together.
    pub federation: Option<FederationSufficiency>,
}

/// What the table of one site holds.
#[derive(Debug, Serialize)]
pub struct InspectedSite {
    /// Its name.
    pub name: String,
    /// Counts and warnings.
    #[serde(flatten)]
    pub inspection: Inspection,
    /// Absent if a variable is real.
    pub sufficiency: Option<Sufficiency>,
}

impl Inspected {
    /// Looks at every table.
    pub fn of(study: &Study) -> Self {
        let clients = study.clients().iter().map(|client| InspectedSite {
            name: client.name.clone(),
            inspection: Inspection::of(&client.data),
            sufficiency: Sufficiency::if_countable(&client.data),
        });
        let clients: Vec<InspectedSite> = clients.collect();
        let total = |of: fn(&Inspection) -> usize| clients.iter().map(|c| of(&c.inspection)).sum();
        Self {
            schema_hash: study.schema().hash().to_string(),
            n_vars: study.schema().n_vars(),
            n_samples: total(|i| i.n_samples),
            n_observational: total(|i| i.n_observational),
            truth_edges: study.truth().map(|t| t.n_edges()),
            ignored: study.ignored().to_vec(),
            federation: together(&clients),
            clients,
        }
    }
}

fn together(clients: &[InspectedSite]) -> Option<FederationSufficiency> {
    let each = clients.iter().map(|c| c.sufficiency.as_ref());
    let each: Vec<&Sufficiency> = each.collect::<Option<_>>()?;
    let several = each.len() > 1;
    several.then(|| FederationSufficiency::of(&each)).flatten()
}
