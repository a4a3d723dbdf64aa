//! The methods that keep a belief, by name: what `discover` and the clients of `simulate` can run.

use std::path::Path;

use clap::ValueEnum;
use fedcdi_experiment::{MethodSpec, out_of_range, read_baseline, read_settings};
use fedcdi_learn::dcdi::DcdiParams;
use fedcdi_learn::sdi::SdiParams;

use crate::failure::Failure;

/// A method that keeps a belief.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LocalArg {
    /// ENCO (Lippe et al. 2022): existence and orientation, compared on interventional rows
    Enco,
    /// SDI (Ke et al. 2019): one logit per edge, parent sets weighed by interventional rows
    Sdi,
    /// DCDI (Brouillard et al. 2020): networks and edges by gradient descent
    Dcdi,
}

impl LocalArg {
    /// The method with its default settings.
    pub(crate) fn spec(self) -> MethodSpec {
        match self {
            Self::Enco => MethodSpec::default(),
            Self::Sdi => MethodSpec::Sdi(SdiParams::default()),
            Self::Dcdi => MethodSpec::Dcdi(DcdiParams::default()),
        }
    }
}

/// Replaces the settings of a method by those of a file.
pub(crate) fn read_local(method: &mut MethodSpec, path: &Path) -> Result<(), Failure> {
    match method {
        MethodSpec::Enco(params) => *params = read_settings(path)?,
        MethodSpec::Sdi(params) => *params = read_baseline(path)?,
        MethodSpec::Dcdi(params) => *params = read_baseline(path)?,
    }
    Ok(method.check().map_err(|error| out_of_range(path, &error))?)
}

/// Sets the epochs of a round.
pub(crate) fn set_epochs(method: &mut MethodSpec, epochs: usize) -> Result<(), Failure> {
    match method {
        MethodSpec::Enco(params) => params.epochs = epochs,
        MethodSpec::Sdi(params) => params.epochs = epochs,
        MethodSpec::Dcdi(_) => {
            return Err(no_use(
                "--epochs",
                "max_iterations (of clients: iterations_per_round)",
            ));
        }
    }
    Ok(())
}

/// Sets the most rounds on one dataset.
pub(crate) fn set_rounds(method: &mut MethodSpec, rounds: usize) -> Result<(), Failure> {
    match method {
        MethodSpec::Enco(params) => params.rounds = rounds,
        MethodSpec::Sdi(params) => params.rounds = rounds,
        MethodSpec::Dcdi(_) => return Err(no_use("--rounds", "max_iterations")),
    }
    Ok(())
}

/// Makes a run end after as many rounds as one had that was stopped. Of DCDI, which counts
/// iterations, it ends where it would have.
pub(crate) fn stop_after(method: &mut MethodSpec, rounds: usize) {
    match method {
        MethodSpec::Enco(params) => params.rounds = rounds,
        MethodSpec::Sdi(params) => params.rounds = rounds,
        MethodSpec::Dcdi(_) => (),
    }
}

fn no_use(option: &str, setting: &str) -> Failure {
    Failure::bad_input(format!(
        "dcdi counts iterations and has no use for {option}; leave it out, or set {setting} in its settings"
    ))
}
