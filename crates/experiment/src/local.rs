//! From the name of a local method to the method itself, on one dataset.

use std::sync::Arc;

use fedcdi_core::graph::extract::{self, ExtractParams, OnRemoval};
use fedcdi_core::{Belief, Dag, Dataset, Knowledge, LocalMethod, ParamsError, Seed};
use fedcdi_learn::dcdi::{Dcdi, DcdiParams};
use fedcdi_learn::enco::{Enco, EncoParams, discover_with};
use fedcdi_learn::rounds::{self, Discovery};
use fedcdi_learn::sdi::{Sdi, SdiParams};
use fedcdi_learn::{LearnError, Observer};

use crate::spec::MethodSpec;

/// What a method learns from: its data, what is known beforehand, its random stream, who watches.
pub(crate) struct Site<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) seed: Seed,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl Site<'_> {
    /// `method` with what is known here, and with who watches.
    fn equip<M>(
        self,
        method: M,
        with_knowledge: impl FnOnce(M, &Knowledge) -> Result<M, LearnError>,
        with_observer: impl FnOnce(M, Arc<dyn Observer>) -> M,
    ) -> Result<M, LearnError> {
        let method = with_knowledge(method, self.knowledge)?;
        Ok(match self.observer {
            Some(observer) => with_observer(method, observer),
            None => method,
        })
    }
}

impl MethodSpec {
    /// As on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Enco(_) => "enco",
            Self::Sdi(_) => "sdi",
            Self::Dcdi(_) => "dcdi",
        }
    }

    /// Epochs of a round; a round of DCDI is one.
    pub fn epochs(&self) -> usize {
        match self {
            Self::Enco(params) => params.epochs,
            Self::Sdi(params) => params.epochs,
            Self::Dcdi(_) => 1,
        }
    }

    /// Most rounds on one dataset.
    pub fn rounds(&self) -> usize {
        match self {
            Self::Enco(params) => params.rounds,
            Self::Sdi(params) => params.rounds,
            Self::Dcdi(params) => params
                .max_iterations
                .div_ceil(params.iterations_per_round.max(1)),
        }
    }

    /// Whether the settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first one that is not.
    pub fn check(&self) -> Result<(), ParamsError> {
        match self {
            Self::Enco(params) => params.check(),
            Self::Sdi(params) => params.check(),
            Self::Dcdi(params) => params.check(),
        }
    }

    /// Whether the settings make sense at a client.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first setting that would have no effect.
    pub fn check_for_federation(&self) -> Result<(), ParamsError> {
        match self {
            Self::Enco(params) => params.check_for_federation(),
            Self::Sdi(params) => params.check_for_federation(),
            Self::Dcdi(params) => params.check_for_federation(),
        }
    }

    /// The method as a client runs it.
    pub(crate) fn at(&self, site: Site<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        Ok(match self {
            Self::Enco(params) => Box::new(enco(params, site)?),
            Self::Sdi(params) => Box::new(sdi(params, site)?),
            Self::Dcdi(params) => Box::new(dcdi(params, site)?),
        })
    }

    /// The acyclic graph of what the method believes. SDI and DCDI know one number per edge, which
    /// says nothing about its reverse.
    pub(crate) fn graph_of(&self, belief: &Belief, knowledge: &Knowledge) -> Dag {
        match self {
            Self::Enco(_) => extract::dag(belief, knowledge),
            Self::Sdi(_) | Self::Dcdi(_) => {
                let on_removal = OnRemoval::Drop;
                let params = ExtractParams {
                    on_removal,
                    ..ExtractParams::default()
                };
                extract::extract(belief, knowledge, params).dag
            }
        }
    }

    /// What the method finds on its own.
    pub(crate) fn discover(&self, site: Site<'_>) -> Result<Discovery, LearnError> {
        let prior = Belief::uninformed(site.data.n_vars());
        match self {
            Self::Enco(params) => discover_with(&mut enco(params, site)?, &prior),
            Self::Sdi(params) => rounds::run(&mut sdi(params, site)?, &prior),
            Self::Dcdi(params) => dcdi(params, site)?.discover(),
        }
    }
}

fn enco(params: &EncoParams, site: Site<'_>) -> Result<Enco, LearnError> {
    let method = Enco::new(params.clone(), site.data, site.seed)?;
    site.equip(method, Enco::with_knowledge, Enco::with_observer)
}

fn sdi(params: &SdiParams, site: Site<'_>) -> Result<Sdi, LearnError> {
    let method = Sdi::new(params.clone(), site.data, site.seed)?;
    site.equip(method, Sdi::with_knowledge, Sdi::with_observer)
}

fn dcdi(params: &DcdiParams, site: Site<'_>) -> Result<Dcdi, LearnError> {
    let method = Dcdi::new(params.clone(), site.data, site.seed)?;
    site.equip(method, Dcdi::with_knowledge, Dcdi::with_observer)
}
