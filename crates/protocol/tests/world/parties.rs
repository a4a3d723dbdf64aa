//! Sites and coordinator of a plan.

use std::collections::BTreeSet;

use fedcdi_core::{Belief, ClientId, LocalMethod, Round, SampleCounts, Seed, Tested};
use fedcdi_protocol::question::{Ask, Believe, Question};
use fedcdi_protocol::{Coordinator, InProcess, Moves, Outcome, Site, SiteData, StudyPlan, rules};
use fedcdi_score::Rows;
use ndarray::Array2;
use rand::RngExt;

use super::disk::Disk;
use super::rows::Table;
use super::toy::{Habits, Toy};

/// A study that can be run again and again.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) plan: StudyPlan,
    pub(crate) habits: Habits,
}

impl World {
    pub(crate) fn new(plan: StudyPlan) -> Self {
        let habits = Habits::default();
        Self { plan, habits }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = ClientId> + use<> {
        (1..=self.plan.sites.len() as u32).map(ClientId)
    }

    /// The longest message that the study has.
    pub(crate) fn longest_message(&self) -> usize {
        let checked = self.plan.clone().check(&rules::standard());
        checked.unwrap().longest_message()
    }

    pub(crate) fn coordinator(&self, disk: &Disk) -> Coordinator {
        Coordinator::open(self.plan.clone(), &rules::standard(), disk.store()).unwrap()
    }

    pub(crate) fn site(&self, id: ClientId, disk: &Disk) -> Site {
        let data = self.data(id);
        Site::open(self.plan.clone(), &rules::standard(), data, disk.store()).unwrap()
    }

    /// What a site brings, with a toy method.
    pub(crate) fn data(&self, id: ClientId) -> SiteData {
        self.data_with(id, Box::new(Toy::new(id.0, self.habits.clone())))
    }

    pub(crate) fn data_with(&self, id: ClientId, method: Box<dyn LocalMethod>) -> SiteData {
        SiteData {
            id,
            schema: self.plan.schema,
            counts: counts(id, self.plan.variables.len()),
            profile: format!(r#"{{"site":{id}}}"#).into_bytes(),
            method: self.plan.has_rounds().then_some(method),
            rows: self.plan.score.map(|_| self.rows(id)),
            moves: (self.plan.moves == Moves::Use).then(|| self.moves(id)),
        }
    }

    /// Drawn from the site's number, in halves of a nat: most of them rest.
    fn moves(&self, id: ClientId) -> Array2<f64> {
        let n_vars = self.plan.variables.len();
        let seed = Seed::new(self.habits.seed).derive("moves", id.0 as usize);
        let mut rng = seed.rng();
        Array2::from_shape_simple_fn((n_vars, n_vars), || {
            f64::from(rng.random_range(-16..4)) / 2.0
        })
    }

    /// A small table.
    fn rows(&self, id: ClientId) -> Box<dyn Rows> {
        let variables = self.plan.variables.iter();
        let sizes = variables.map(|planned| planned.n_categories.unwrap());
        let sizes: Vec<usize> = sizes.collect();
        Box::new(Table::of(id, &sizes, self.habits.seed))
    }

    /// A site with other data.
    pub(crate) fn site_of(&self, data: SiteData) -> Site {
        let store = Disk::default().store();
        Site::open(self.plan.clone(), &rules::standard(), data, store).unwrap()
    }

    pub(crate) fn question(&self, number: u32, ask: Ask) -> Question {
        let plan = self.plan.digest();
        Question { plan, number, ask }
    }

    /// The question of a round.
    pub(crate) fn round(&self, round: u32, tested: Tested, prior: Belief) -> Question {
        let believe = Believe {
            round: Round(round),
            prior,
            tested,
            reference: 50,
        };
        self.question(round, Ask::Believe(believe))
    }

    /// The study on one machine; some sites are not reached in some rounds.
    pub(crate) fn outcome(&self, dropped: &BTreeSet<(u32, ClientId)>) -> Outcome {
        let mut coordinator = self.coordinator(&Disk::default());
        let sites = self.ids().map(|id| self.site(id, &Disk::default()));
        let mut sites: Vec<Site> = sites.collect();
        let carrier = InProcess {
            dropped: dropped.clone(),
            ..InProcess::default()
        };
        let outcome = carrier.run(&mut coordinator, &mut sites, &mut |_| {});
        outcome.expect("the quorum holds")
    }
}

/// Site k intervened on the variables that leave k over 3, each in its own number of rows.
pub(crate) fn counts(site: ClientId, n_vars: usize) -> SampleCounts {
    let rows = |v: usize| match (v + site.0 as usize) % 3 {
        0 => 20 * u64::from(site.0) + 7 * v as u64,
        _ => 0,
    };
    let n_interventional: Vec<u64> = (0..n_vars).map(rows).collect();
    let n_observational = 100 + 13 * u64::from(site.0);
    SampleCounts {
        n_samples: n_observational + n_interventional.iter().sum::<u64>(),
        n_observational,
        n_interventional,
        n_joint: Vec::new(),
    }
}
