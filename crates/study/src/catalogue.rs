//! What a run can choose from: methods, whether FedCDI runs them at its sites or they are rivals, and
//! rules of aggregation.

use fedcdi_core::choice::{Kind, Registry};
use fedcdi_core::{Choice, Dataset, ParamsError};
use fedcdi_data::Study;
use fedcdi_learn::registry::{self, Local};
use fedcdi_learn::{About, LearnError, TableKind};
use fedcdi_protocol::rules::{self, Rules};
use fedcdi_rivals::Rival;
use fedcdi_score::SearchParams;

use crate::run::RunError;
use crate::spec::Spec;

/// A method that was chosen.
pub enum Method {
    /// FedCDI runs it at every site.
    Local(Box<dyn Local>),
    /// The coordinator searches by scores, from sums over the sites' rows; sites run nothing.
    Score(SearchParams),
    /// It runs in place of FedCDI.
    Rival(Box<dyn Rival>),
}

impl Method {
    /// What people want to know before they run it.
    pub fn about(&self) -> About {
        match self {
            Self::Local(method) => method.about(),
            Self::Score(_) => ABOUT_SCORE,
            Self::Rival(method) => method.about(),
        }
    }

    /// Whether sites can run it together, without a vote on finished graphs.
    pub fn is_federated(&self) -> bool {
        match self {
            Self::Local(_) | Self::Score(_) => true,
            Self::Rival(method) => method.is_federated(),
        }
    }

    /// Passes over its rows that a site makes in a round, for showing progress.
    pub fn epochs(&self) -> usize {
        match self {
            Self::Local(method) => method.epochs(),
            Self::Score(_) | Self::Rival(_) => 1,
        }
    }

    /// Whether the settings make sense at one of several sites.
    pub(crate) fn check_for_federation(&self) -> Result<(), ParamsError> {
        match self {
            Self::Local(method) => method.check_for_federation(),
            Self::Score(_) | Self::Rival(_) => Ok(()),
        }
    }

    /// Whether this data has what the method needs.
    fn accepts(&self, data: &Dataset) -> bool {
        let regimes = match self {
            Self::Local(method) => method.accepts(data),
            Self::Score(_) => About::leaves_each_alone(data),
            Self::Rival(method) => method.accepts(data),
        };
        regimes && self.about().kinds.contains(&TableKind::of(data))
    }
}

const ABOUT_SCORE: About = About {
    title: "Score",
    does: "greedy search for the graph with the best score of all rows; sites send sums, and no belief",
    needs: "rows that leave each variable alone; interventional rows for directions",
    kinds: &[TableKind::Categorical, TableKind::Real, TableKind::Mixed],
    reference: "Hauser and Bühlmann 2012; Chickering 2002",
};

/// Methods and rules by name.
pub struct Catalogue {
    /// Methods.
    pub methods: Registry<Method>,
    /// Rules of aggregation.
    pub rules: Rules,
}

impl Default for Catalogue {
    fn default() -> Self {
        let local = registry::standard().into_kinds().into_iter();
        let rivals = fedcdi_rivals::standard().into_kinds().into_iter();
        let local = local.map(|kind| kind.map(Method::Local));
        let score = Kind::of(Method::Score);
        let rivals = rivals.map(|kind| kind.map(Method::Rival));
        Self {
            methods: Registry::new("method", local.chain([score]).chain(rivals).collect()),
            rules: rules::standard(),
        }
    }
}

impl Catalogue {
    /// Every method with its name; those that have no settings of their own to run with are left out.
    pub fn list(&self) -> Vec<(&str, Method)> {
        let built = self.methods.kinds().iter().filter_map(|kind| {
            let method = self.methods.build(&Choice::named(&kind.name)).ok()?;
            Some((kind.name.as_str(), method))
        });
        built.collect()
    }

    /// Names of the methods whose needs this data meets.
    fn able(&self, data: &Dataset) -> Vec<String> {
        let all = self.list().into_iter();
        let able = all.filter(|(_, method)| method.accepts(data));
        able.map(|(name, _)| name.to_owned()).collect()
    }

    /// What an error of the method means for the run; `site` is where it happened, if at one.
    pub(crate) fn refused(
        &self,
        study: &Study,
        spec: &Spec,
        site: Option<usize>,
        error: LearnError,
    ) -> RunError {
        if let LearnError::AtClient { client, error } = error {
            return self.refused(study, spec, Some(client), *error);
        }
        let client = &study.clients()[site.unwrap_or(0)];
        let several = study.clients().len() > 1;
        let name = site.filter(|_| several).map(|_| client.name.as_str());
        self.refused_at(name, &spec.method.name, &client.data, error)
    }

    /// What an error of a method means that learns from `data`, at a site if it has a name.
    pub(crate) fn refused_at(
        &self,
        site: Option<&str>,
        method: &str,
        data: &Dataset,
        error: LearnError,
    ) -> RunError {
        match error {
            LearnError::Cancelled => RunError::Cancelled,
            LearnError::Params(error) => RunError::Params(error),
            LearnError::Diverged { .. } => RunError::Failed(method.to_owned(), error.to_string()),
            error => {
                let source = Box::new(self.unfit(method, error, data));
                match site {
                    Some(name) => RunError::Site(name.to_owned(), source),
                    None => RunError::Data(source),
                }
            }
        }
    }

    /// Why `method` cannot use this data. No other method is named where the data would do for none.
    fn unfit(&self, method: &str, error: LearnError, data: &Dataset) -> Unfit {
        let too_small = matches!(
            error,
            LearnError::OneVariable(_)
                | LearnError::OneCategory { .. }
                | LearnError::Constant { .. }
        );
        let mut able = self.able(data);
        able.retain(|name| name != method && !too_small);
        Unfit {
            method: method.to_owned(),
            error,
            able,
        }
    }
}

/// Data that a method cannot use, and those that can.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{method} cannot use this data: {error}{}{}", if able.is_empty() { "" } else { "; methods that can: " }, able.join(", "))]
pub struct Unfit {
    method: String,
    error: LearnError,
    able: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Column, DatasetBuilder, Regime, Schema, VarId, Variable};
    use std::sync::Arc;

    fn able(data: Dataset) -> Vec<String> {
        Catalogue::default().able(&data)
    }

    fn data(targets: &[&[usize]]) -> Dataset {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 2);
        for set in targets {
            let regime = Regime::intervened(set.iter().copied().map(VarId));
            builder.push(&[0, 1], &regime).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn data_decides_which_methods_are_able() {
        assert_eq!(
            able(data(&[&[], &[0]])),
            [
                "enco", "sdi", "dcdi", "score", "gies", "igsp", "ut-igsp", "notears", "feddag"
            ]
        );
        assert_eq!(
            able(data(&[&[], &[0, 1]])),
            [
                "enco", "sdi", "dcdi", "score", "gies", "ut-igsp", "notears", "feddag"
            ]
        );
        assert_eq!(
            able(data(&[&[]])),
            [
                "enco", "dcdi", "score", "gies", "igsp", "ut-igsp", "notears", "feddag"
            ]
        );
        assert_eq!(
            able(data(&[&[0], &[1]])),
            ["dcdi", "score", "gies", "notears", "feddag"]
        );
        assert!(able(data(&[&[0, 1]])).is_empty());
    }

    #[test]
    fn few_take_labels_and_reals_together() {
        let variables = vec![Variable::real("a"), Variable::with_codes("b", 2)];
        let schema = Arc::new(Schema::new(variables).unwrap());
        let columns = vec![Column::Real(vec![0.5]), Column::U8(vec![1])];
        let data = Dataset::new(schema, columns, vec![Regime::Observational], vec![0]);
        assert_eq!(able(data.unwrap()), ["enco", "score", "notears"]);
    }
}
