//! The local methods by name: what a site can run.
//!
//! A new one is a folder with its settings, [`Params`](fedcdi_core::choice::Params) and [`Local`] for them, and one line in
//! [`standard`]. Sites, the command line, spec files and other faces take methods and their settings
//! from this list.

use std::sync::Arc;

use fedcdi_core::choice::{Kind, Registry};
use fedcdi_core::{Dataset, Knowledge, LocalMethod, ParamsError, Seed};

use crate::about::{About, TableKind};
use crate::dcdi::{Dcdi, DcdiParams};
use crate::enco::{Enco, EncoParams};
use crate::in_order::in_order;
use crate::learn_error::LearnError;
use crate::progress::Observer;
use crate::sdi::{Sdi, SdiParams};

/// What a method learns from: its data, what is known beforehand, its random stream, who watches.
pub struct Inputs<'a> {
    /// The rows.
    pub data: &'a Dataset,
    /// Known edges.
    pub knowledge: &'a Knowledge,
    /// Its random stream.
    pub seed: Seed,
    /// Whether these are all rows that there are: nobody else takes part.
    pub alone: bool,
    /// Told how far learning is.
    pub observer: Option<Arc<dyn Observer>>,
}

/// A local method that was chosen: its settings, in range.
pub trait Local: Send + Sync {
    /// The method as a site runs it.
    ///
    /// # Errors
    /// [`LearnError`] if the data does not suit it.
    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError>;

    /// What people want to know before they run it.
    fn about(&self) -> About;

    /// Whether these regimes have what the method needs.
    fn accepts(&self, data: &Dataset) -> bool {
        About::is_observed(data)
    }

    /// Whether a round on the only table there is may be stopped midway, with what has been learned.
    fn stops_midway(&self) -> bool {
        false
    }

    /// Epochs of a round, for showing progress.
    fn epochs(&self) -> usize {
        1
    }

    /// Whether the settings make sense at one of several sites.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first setting that would have no effect.
    fn check_for_federation(&self) -> Result<(), ParamsError> {
        Ok(())
    }
}

/// What local methods can be chosen from.
pub type Methods = Registry<Box<dyn Local>>;

/// The methods of this crate; [`Registry::with`] adds others.
pub fn standard() -> Methods {
    Methods::new(
        "local method",
        vec![
            Kind::of(|params: EncoParams| Box::new(params) as Box<dyn Local>),
            Kind::of(|params: SdiParams| Box::new(params) as Box<dyn Local>),
            Kind::of(|params: DcdiParams| Box::new(params) as Box<dyn Local>),
        ],
    )
}

impl Local for EncoParams {
    fn about(&self) -> About {
        About {
            title: "ENCO",
            does: "neural networks compared on interventional rows; a probability per edge",
            needs: "observational rows; interventional rows for directions",
            kinds: &[TableKind::Categorical, TableKind::Real, TableKind::Mixed],
            reference: "Lippe, Cohen, Gavves 2022",
        }
    }

    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        let method = Enco::new(self.clone(), inputs.data, inputs.seed)?;
        let method = method.with(inputs.knowledge, inputs.observer)?;
        Ok(Box::new(method))
    }

    fn epochs(&self) -> usize {
        self.epochs
    }

    fn check_for_federation(&self) -> Result<(), ParamsError> {
        let need = "left out in a federation, where the scores would stay with their site";
        ParamsError::require("confounders", self.confounders, need, !self.confounders)
    }
}

impl Local for SdiParams {
    fn about(&self) -> About {
        About {
            title: "SDI",
            does: "parent sets weighed by their likelihood on interventional rows; a probability per edge",
            needs: "observational and interventional rows",
            kinds: &[TableKind::Categorical],
            reference: "Ke et al. 2019",
        }
    }

    fn accepts(&self, data: &Dataset) -> bool {
        About::is_observed(data) && data.regimes().len() > 1
    }

    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        in_order(inputs, |inputs| {
            let method = Sdi::new(self.clone(), inputs.data, inputs.seed)?;
            method.with(inputs.knowledge, inputs.observer)
        })
    }

    fn epochs(&self) -> usize {
        self.epochs
    }
}

impl Local for DcdiParams {
    fn about(&self) -> About {
        About {
            title: "DCDI",
            does: "networks and edges by gradient descent, acyclic by constraint; a probability per edge",
            needs: "rows that leave each variable alone; interventional rows for directions",
            kinds: &[TableKind::Categorical, TableKind::Real],
            reference: "Brouillard et al. 2020",
        }
    }

    fn accepts(&self, data: &Dataset) -> bool {
        About::leaves_each_alone(data)
    }

    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        in_order(inputs, |inputs| {
            let mut method = Dcdi::new(self.clone(), inputs.data, inputs.seed)?;
            if inputs.alone {
                method = method.alone();
            }
            method.with(inputs.knowledge, inputs.observer)
        })
    }

    fn stops_midway(&self) -> bool {
        true
    }

    fn check_for_federation(&self) -> Result<(), ParamsError> {
        let default = Self::default();
        let iterations = self.max_iterations != default.max_iterations;
        let unused = [
            ("max_iterations", iterations),
            ("start_logit", self.start_logit != default.start_logit),
            ("patience", self.patience != default.patience),
        ];
        ParamsError::unchanged(
            &unused,
            "left out in a federation, where the coordinator decides; see its rounds and graph_patience",
        )
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Choice;

    use super::*;

    #[test]
    fn every_method_is_made_from_its_name_and_its_written_settings() {
        let methods = standard();
        for kind in methods.kinds() {
            let complete = methods.complete(&Choice::named(&kind.name)).unwrap();
            assert!(methods.build(&complete).is_ok(), "{}", kind.name);
            assert!(kind.summary.len() < 100, "{}", kind.summary);
        }
    }
}
