//! The local methods by name: what a site can run.
//!
//! A new one is a folder with its settings, [`Params`] and [`Local`] for them, and one line in
//! [`standard`]. Sites, the command line, spec files and other faces take methods and their settings
//! from this list.

use std::sync::Arc;

use fedcdi_core::choice::{Kind, Params, Registry};
use fedcdi_core::{Dataset, Knowledge, LocalMethod, ParamsError, Seed};

use crate::dcdi::{Dcdi, DcdiParams};
use crate::enco::{Enco, EncoParams};
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

impl Inputs<'_> {
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

impl Params for EncoParams {
    const NAME: &str = "enco";
    const SUMMARY: &str =
        "ENCO (Lippe et al. 2022): existence and orientation, compared on interventional rows";

    fn check(&self) -> Result<(), ParamsError> {
        EncoParams::check(self)
    }
}

impl EncoParams {
    fn method(&self, inputs: Inputs<'_>) -> Result<Enco, LearnError> {
        let method = Enco::new(self.clone(), inputs.data, inputs.seed)?;
        inputs.equip(method, Enco::with_knowledge, Enco::with_observer)
    }
}

impl Local for EncoParams {
    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        Ok(Box::new(self.method(inputs)?))
    }

    fn epochs(&self) -> usize {
        self.epochs
    }

    fn check_for_federation(&self) -> Result<(), ParamsError> {
        EncoParams::check_for_federation(self)
    }
}

impl Params for SdiParams {
    const NAME: &str = "sdi";
    const SUMMARY: &str =
        "SDI (Ke et al. 2019): one logit per edge, parent sets weighed by interventional rows";

    fn check(&self) -> Result<(), ParamsError> {
        SdiParams::check(self)
    }
}

impl SdiParams {
    fn method(&self, inputs: Inputs<'_>) -> Result<Sdi, LearnError> {
        let method = Sdi::new(self.clone(), inputs.data, inputs.seed)?;
        inputs.equip(method, Sdi::with_knowledge, Sdi::with_observer)
    }
}

impl Local for SdiParams {
    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        Ok(Box::new(self.method(inputs)?))
    }

    fn epochs(&self) -> usize {
        self.epochs
    }
}

impl Params for DcdiParams {
    const NAME: &str = "dcdi";
    const SUMMARY: &str = "DCDI (Brouillard et al. 2020): networks and edges by gradient descent";

    fn check(&self) -> Result<(), ParamsError> {
        DcdiParams::check(self)
    }
}

impl DcdiParams {
    fn method(&self, inputs: Inputs<'_>) -> Result<Dcdi, LearnError> {
        let mut method = Dcdi::new(self.clone(), inputs.data, inputs.seed)?;
        if inputs.alone {
            method = method.alone();
        }
        inputs.equip(method, Dcdi::with_knowledge, Dcdi::with_observer)
    }
}

impl Local for DcdiParams {
    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        Ok(Box::new(self.method(inputs)?))
    }

    fn check_for_federation(&self) -> Result<(), ParamsError> {
        DcdiParams::check_for_federation(self)
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
