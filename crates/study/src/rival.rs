//! A run by a rival: what FedCDI is compared with.
//!
//! NOTEARS (as NOTEARS-ADMM) and FedDAG have federated forms, which are run. For the others every site
//! runs its own, and the graphs are put to the vote.

use std::slice::from_ref;
use std::sync::Arc;

use fedcdi_core::graph::{GraphScores, shd};
use fedcdi_core::{Cpdag, Dag, Dataset, Seed};
use fedcdi_data::Study;
use fedcdi_learn::Observer;
use fedcdi_learn::independence::target_sets;
use fedcdi_rivals::vote::{Together, among};
use fedcdi_rivals::{Ending, Rival, RivalFit};

use crate::catalogue::Catalogue;
use crate::profile::SiteProfile;
use crate::result::{Found, GraphFound, RunResult, Scores, SiteResult};
use crate::run::{RunError, on_workers};
use crate::spec::Spec;

/// Shown where nothing was intervened on.
const OPEN: &str = "there are no interventional rows: edges of open direction may point either way; add rows with interventions to tell cause from effect";

struct Fit {
    dag: Dag,
    class: Option<Cpdag>,
    ending: Ending,
    n_removed: usize,
    own: Vec<Dag>,
    found: GraphFound,
}

impl Catalogue {
    pub(crate) fn rival(
        &self,
        study: &Study,
        spec: &Spec,
        rival: &dyn Rival,
        observer: Option<&dyn Observer>,
    ) -> Result<RunResult, RunError> {
        let seed = Seed::new(spec.seed).derive(&spec.method.name, 0);
        let fit = match study.clients() {
            [only] => on_workers(|| rival.find(from_ref(&only.data), seed, observer)).map(one),
            several => {
                let tables: Vec<Dataset> = several.iter().map(|c| c.data.clone()).collect();
                on_workers(|| among(rival, &tables, seed, observer)).map(together)
            }
        };
        let fit = fit.map_err(|error| self.refused(study, spec, None, error))?;
        let unfinished = fit.ending.warning(fit.n_removed);
        let open = (!study.has_interventions()).then(|| OPEN.to_owned());
        Ok(RunResult {
            method: spec.method.name.clone(),
            schema: Arc::clone(study.schema()),
            stop: fit.ending.into(),
            sites: site_results(study, &fit.own),
            warnings: open.into_iter().chain(unfinished).collect(),
            truth: study.truth().cloned(),
            scores: study
                .truth()
                .map(|truth| scores(truth, &fit.dag, fit.class.as_ref(), study)),
            dag: fit.dag,
            class: fit.class,
            found: Found::Graph(Box::new(fit.found)),
        })
    }
}

fn one(fit: RivalFit) -> Fit {
    Fit {
        ending: fit.ending,
        n_removed: fit.n_removed,
        dag: fit.dag,
        class: Some(fit.class),
        own: Vec::new(),
        found: GraphFound {
            shares: None,
            weights: fit.weights,
            score: fit.score,
            conflicts: fit.conflicts,
            targets: fit.targets,
        },
    }
}

fn together(fit: Together) -> Fit {
    Fit {
        ending: fit.ending,
        n_removed: fit.n_removed,
        dag: fit.dag,
        class: None,
        own: fit.own,
        found: GraphFound {
            shares: fit.shares,
            weights: fit.weights,
            ..GraphFound::default()
        },
    }
}

fn scores(truth: &Dag, dag: &Dag, class: Option<&Cpdag>, study: &Study) -> Scores {
    let targets = target_sets(&study.clients()[0].data);
    let true_class = || Cpdag::interventional(truth, &targets);
    Scores {
        graph: GraphScores::of(truth, dag),
        shd_raw: None,
        shd_class: class.map(|class| class.shd(&true_class())),
        probabilities: None,
    }
}

fn site_results(study: &Study, own: &[Dag]) -> Vec<SiteResult> {
    let sites = study.clients().iter().enumerate();
    let results = sites.map(|(at, site)| SiteResult {
        name: site.name.clone(),
        profile: Some(SiteProfile::of(&site.data, 1)),
        share: None,
        shd: study.truth().and_then(|t| Some(shd(t, own.get(at)?))),
    });
    results.collect()
}
