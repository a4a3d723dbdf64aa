//! The rivals by name.
//!
//! A new one is a folder with its settings, [`Params`](fedcdi_core::choice::Params) and [`Rival`] for
//! them, and one line in [`standard`]. The command line, spec files and other faces take rivals and
//! their settings from this list.

use fedcdi_core::choice::{Kind, Registry, Settings};
use fedcdi_core::{Dataset, Seed, Variable};
use fedcdi_learn::{About, LearnError, Observer, Progress, Stage, score};

use crate::feddag::FedDagParams;
use crate::gies;
use crate::igsp::{self, IgspParams, UtIgspParams, Variant};
use crate::notears::NotearsParams;
use crate::rival_fit::RivalFit;

/// A rival that was chosen: its settings, in range.
pub trait Rival: Send + Sync {
    /// What the method finds in the tables of some sites. A method that is not federated gets one
    /// table; [`among`](crate::vote::among) puts the graphs of several sites to the vote.
    ///
    /// # Errors
    /// [`LearnError`] if the data does not suit the method, or it was stopped too early. If one of
    /// several sites is the reason, [`LearnError::AtClient`] names it.
    fn find(
        &self,
        sites: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError>;

    /// What people want to know before they run it.
    fn about(&self) -> About;

    /// What leaves a site, if the method fits the tables of several sites together.
    fn sent(&self) -> Option<&'static str> {
        None
    }

    /// Whether the method fits the tables of several sites together.
    fn is_federated(&self) -> bool {
        self.sent().is_some()
    }

    /// Whether these regimes have what the method needs.
    fn accepts(&self, data: &Dataset) -> bool {
        About::leaves_each_alone(data)
    }

    /// Settings that suit this data better than the defaults.
    fn suited_to(&self, _data: &Dataset) -> Settings {
        Settings::new()
    }

    /// Rough seconds on one core for 20 variables of 10 categories and 30000 rows.
    fn cost(&self) -> f64 {
        2.0
    }
}

/// What rivals can be chosen from.
pub type Rivals = Registry<Box<dyn Rival>>;

/// The rivals of this crate; [`Registry::with`] adds others.
pub fn standard() -> Rivals {
    Rivals::new(
        "rival",
        vec![
            gies::kind(score::standard()),
            Kind::of(|params: IgspParams| igsp::rival(params, Variant::Known)),
            Kind::of(|params: UtIgspParams| igsp::rival(params.0, Variant::Partial)),
            Kind::of(|params: NotearsParams| Box::new(params) as Box<dyn Rival>),
            Kind::of(|params: FedDagParams| Box::new(params) as Box<dyn Rival>),
        ],
    )
}

/// This setting where all variables are real, else none.
pub(crate) fn if_real(data: &Dataset, name: &str, value: serde_json::Value) -> Settings {
    let is_real = data.schema().variables().iter().all(Variable::is_real);
    let setting = is_real.then(|| (name.to_owned(), value));
    setting.into_iter().collect()
}

/// Tells an observer, if there is one, how far a rival is.
pub(crate) fn tell(
    observer: Option<&dyn Observer>,
    round: usize,
    stage: Stage,
    (done, total): (usize, usize),
    n_edges: usize,
) {
    let Some(observer) = observer else { return };
    observer.progress(&Progress {
        round,
        epoch: 0,
        stage,
        done,
        total,
        n_edges,
    });
}

/// Refuses data of one variable, or with a variable of one category.
pub(crate) fn refuse_narrow(data: &Dataset) -> Result<(), LearnError> {
    if data.n_vars() < 2 {
        return Err(LearnError::OneVariable(data.n_vars()));
    }
    let mut variables = data.schema().variables().iter();
    match variables.find(|v| !v.is_real() && v.n_categories() < 2) {
        Some(constant) => Err(LearnError::OneCategory(constant.name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::{copies, linear};
    use crate::vote::among;
    use fedcdi_core::choice::Choice;
    use fedcdi_core::{Digraph, VarId};

    #[test]
    fn every_rival_is_made_from_its_name_and_its_written_settings() {
        let rivals = standard();
        for kind in rivals.kinds() {
            let complete = rivals.complete(&Choice::named(&kind.name)).unwrap();
            let rival = rivals.build(&complete).unwrap();
            assert!(kind.summary.starts_with(rival.about().title));
            assert!(kind.summary.len() < 100, "{}", kind.summary);
        }
        let names: Vec<&str> = rivals.kinds().iter().map(|k| k.name.as_str()).collect();
        assert_eq!(names, ["gies", "igsp", "ut-igsp", "notears", "feddag"]);
    }

    #[test]
    fn reals_have_settings_of_their_own() {
        let categorical = copies(&[2, 2], &Digraph::empty(2), (5, 0), &[], 1);
        let real = linear(&Digraph::empty(2), (5, 0), &[], 1);
        let rivals = standard();
        for (name, setting) in [("gies", "score"), ("igsp", "test"), ("ut-igsp", "test")] {
            let rival = rivals.build(&Choice::named(name)).unwrap();
            assert!(rival.suited_to(&categorical).is_empty());
            let of_reals = rival.suited_to(&real);
            let default = &rivals.kind(name).unwrap().defaults[setting];
            assert_ne!(&of_reals[setting], default);
            let name = name.to_owned();
            let settings = of_reals;
            assert!(rivals.build(&Choice { name, settings }).is_ok());
        }
        let notears = rivals.build(&Choice::named("notears")).unwrap();
        assert!(notears.suited_to(&real).is_empty());
    }

    #[test]
    fn several_sites_vote_or_fit_together() {
        let edges = [(VarId(0), VarId(1)), (VarId(1), VarId(2))];
        let graph = Digraph::from_edges(3, edges);
        let site = |seed| copies(&[3, 3, 3], &graph, (600, 200), &[0, 1, 2], seed);
        let sites = [site(1), site(2)];
        for name in ["gies", "notears"] {
            let rival = standard().build(&Choice::named(name)).unwrap();
            let found = among(rival.as_ref(), &sites, Seed::new(1), None).unwrap();
            assert_eq!(found.shares.is_some(), !rival.is_federated());
            assert_eq!(found.weights.is_some(), rival.is_federated());
            assert_eq!(found.own.len(), if rival.is_federated() { 0 } else { 2 });
            if name == "gies" {
                assert_eq!(found.dag.edges().collect::<Vec<_>>(), edges);
            }
        }
    }

    #[test]
    fn a_site_that_cannot_take_part_is_named_by_its_place() {
        let fine = copies(&[3, 3], &Digraph::empty(2), (60, 20), &[0], 1);
        let always = fine.select(&fine.samples_by_regime()[1]);
        let rival = standard().build(&Choice::named("gies")).unwrap();
        let error = among(rival.as_ref(), &[fine, always], Seed::new(1), None).unwrap_err();
        assert!(
            matches!(error, LearnError::AtClient { client: 1, .. }),
            "{error}"
        );
    }
}
