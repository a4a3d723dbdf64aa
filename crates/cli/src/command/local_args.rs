//! The methods that keep a belief, by name: what `discover` and the sites of `simulate` can run.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser};
use fedcdi_core::Choice;
use fedcdi_core::choice::Registry;
use fedcdi_experiment::read_method;
use fedcdi_learn::registry;

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

/// Replaces the settings of a method by those of a file.
pub(crate) fn read_local(method: &mut Choice, path: &Path) -> Result<(), Failure> {
    *method = read_method(path, &method.name)?;
    Ok(())
}

/// Sets the epochs of a round.
pub(crate) fn set_epochs(method: &mut Choice, epochs: usize) -> Result<(), Failure> {
    let instead = "max_iterations (of sites: iterations_per_round)";
    set(method, ("epochs", "--epochs"), epochs, instead)
}

/// Sets the most rounds on one dataset.
pub(crate) fn set_rounds(method: &mut Choice, rounds: usize) -> Result<(), Failure> {
    set(method, ("rounds", "--rounds"), rounds, "max_iterations")
}

/// Makes a run end after as many rounds as one had that was stopped. Of a method that counts
/// iterations, it ends where it would have.
pub(crate) fn stop_after(method: &mut Choice, rounds: usize) {
    // A method without rounds goes on to its own end.
    let _ = set_rounds(method, rounds);
}

fn set(
    method: &mut Choice,
    (setting, option): (&str, &str),
    value: usize,
    instead: &str,
) -> Result<(), Failure> {
    if !method.settings.contains_key(setting) {
        return Err(Failure::bad_input(format!(
            "{option} does not apply to {}, which counts iterations; leave it out, or set {instead} in its settings",
            method.name
        )));
    }
    method.settings.insert(setting.to_owned(), value.into());
    registry::standard()
        .build(method)
        .map_err(Failure::bad_input)?;
    Ok(())
}
