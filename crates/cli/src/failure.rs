//! How a command ends when it does not end well: exit 1 if the run failed, 2 for bad input.

use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use fedcdi_core::{Face, Remedied};
use fedcdi_data::file_error::FileError;
use fedcdi_network::NetworkError;
use fedcdi_study::RunError;
use fedcdi_study::data_spec::DataError;
use miette::{Diagnostic, MietteHandlerOpts, Report};

#[derive(Debug, thiserror::Error, Diagnostic)]
pub(crate) enum Failure {
    /// The user has to change something.
    #[error("{0}")]
    BadInput(String),
    #[error("{0}")]
    Failed(String),
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::new(error.is_bad_input(), error.told_by(&Flags))
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::new(error.is_bad_input(), error.told_by(&Flags))
    }
}

impl From<NetworkError> for Failure {
    fn from(error: NetworkError) -> Self {
        Self::new(error.is_bad_input(), error.told_by(&Flags))
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::File(error) => error.into(),
            other => Self::refused(other),
        }
    }
}

impl Failure {
    fn new(is_bad_input: bool, message: String) -> Self {
        if is_bad_input {
            Self::BadInput(message)
        } else {
            Self::Failed(message)
        }
    }

    /// Bad input, in the words of a library's error.
    pub(crate) fn bad_input(error: impl fmt::Display) -> Self {
        Self::BadInput(error.to_string())
    }

    /// Bad input if `wrong`.
    pub(crate) fn refuse_if(wrong: bool, message: &str) -> Result<(), Self> {
        if wrong {
            Err(Self::bad_input(message))
        } else {
            Ok(())
        }
    }

    /// Bad input, with the settings of its remedy as flags.
    pub(crate) fn refused(error: impl Remedied) -> Self {
        Self::BadInput(error.told_by(&Flags))
    }

    pub(crate) fn in_file(path: &Path, error: impl fmt::Display) -> Self {
        Self::BadInput(format!("{}: {error}", path.display()))
    }

    #[expect(clippy::print_stderr, reason = "this is where failures are shown")]
    pub(crate) fn report(self) -> ExitCode {
        let code = match self {
            Self::BadInput(_) => 2,
            Self::Failed(_) => 1,
        };
        eprint!("{:?}", Report::new(self));
        ExitCode::from(code)
    }
}

/// Settings as they are typed on the command line: `--intervention-column "Treated By"`.
pub(crate) struct Flags;

impl Face for Flags {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        let flag = format!("--{}", name.replace('_', "-"));
        let plain = |value: &str| {
            let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
            value.chars().all(is_plain)
        };
        match value {
            None => flag,
            Some(value) if plain(value) => format!("{flag} {value}"),
            Some(value) => format!("{flag} {value:?}"),
        }
    }
}

/// Messages wrap at the terminal's width, and not at all where a program or a log reads them.
pub(crate) fn install_handler() {
    let handler = |_: &_| -> Box<dyn miette::ReportHandler> {
        let options = MietteHandlerOpts::new();
        if std::io::stderr().is_terminal() {
            Box::new(options.build())
        } else {
            Box::new(options.width(10_000).build())
        }
    };
    miette::set_hook(Box::new(handler)).expect("no other hook is installed before");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_flags_and_values_with_blanks_are_quoted() {
        let flag = |value| Flags.setting("intervention_column", value);
        assert_eq!(flag(None), "--intervention-column");
        assert_eq!(flag(Some("treated_by")), "--intervention-column treated_by");
        assert_eq!(
            flag(Some("Treated By")),
            "--intervention-column \"Treated By\""
        );
    }
}
