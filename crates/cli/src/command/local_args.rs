//! The methods that keep a belief, by name: what `discover` and the sites of `simulate` can run.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use fedcdi_core::choice::Registry;
use fedcdi_core::{Choice, Settings};
use fedcdi_learn::registry;
use fedcdi_study::read_method;

use crate::failure::Failure;

/// A parser of the names in a list, with what each is.
pub(crate) fn names_of<T>(list: &Registry<T>) -> PossibleValuesParser {
    let value = |kind: &fedcdi_core::choice::Kind<T>| {
        // Clap keeps names for as long as the program runs.
        let (name, summary): (&str, &str) = (kind.name.clone().leak(), kind.summary.clone().leak());
        PossibleValue::new(name).help(summary)
    };
    PossibleValuesParser::new(list.kinds().iter().map(value).collect::<Vec<_>>())
}

/// The method of this name with its default settings, all written out.
pub(crate) fn method(name: &str) -> Result<Choice, Failure> {
    let complete = registry::standard().complete(&Choice::named(name));
    complete.map_err(Failure::bad_input)
}

/// Replaces the settings of a method by those of a file; what the file does not mention has its
/// default, or with `on_top` stays as it is.
pub(crate) fn read_local(method: &mut Choice, path: &Path, on_top: bool) -> Result<(), Failure> {
    let base = if on_top {
        method.settings.clone()
    } else {
        Settings::new()
    };
    *method = read_method(path, &method.name, base)?;
    Ok(())
}

/// Sets the epochs of a round.
pub(crate) fn set_epochs(method: &mut Choice, epochs: usize) -> Result<(), Failure> {
    if !method.settings.contains_key("epochs") {
        let instead = "max_iterations (of sites: iterations_per_round)";
        return Err(counts_iterations(method, "--epochs", instead));
    }
    method.settings.insert("epochs".to_owned(), epochs.into());
    registry::standard()
        .build(method)
        .map_err(Failure::bad_input)?;
    Ok(())
}

/// Refuses a number of rounds on one table for a method that counts something else.
pub(crate) fn check_rounds(method: &Choice) -> Result<(), Failure> {
    let local = registry::standard().build(method);
    let local = local.map_err(Failure::bad_input)?;
    match local.own_rounds() {
        None => Ok(()),
        Some(_) => Err(counts_iterations(method, "--rounds", "max_iterations")),
    }
}

fn counts_iterations(method: &Choice, option: &str, instead: &str) -> Failure {
    Failure::bad_input(format!(
        "{option} does not apply to {}, which counts iterations; leave it out, or set {instead} in its settings",
        method.name
    ))
}
