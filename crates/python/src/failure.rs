//! Our errors as exceptions of `fedcdi.errors`, with remedies in Python's words.

use fedcdi_core::{Face, Remedied};
use fedcdi_data::FileError;
use fedcdi_protocol::JournalError;
use fedcdi_study::RunError;
use fedcdi_study::data_spec::DataError;
use fedcdi_study::kit::SiteError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// How a call ends that does not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The caller has to change something: `fedcdi.InputError`.
    Input(String),
    /// The run failed: `fedcdi.RunError`.
    Run(String),
    /// Something is not safe on the disk: `fedcdi.JournalError`.
    Journal(String),
    /// Stopped by Ctrl-C.
    Interrupted,
    /// Raised by Python code that we called.
    Raised(PyErr),
}

impl Failure {
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    fn new(is_bad_input: bool, text: String) -> Self {
        if is_bad_input {
            Self::Input(text)
        } else {
            Self::Run(text)
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::new(error.is_bad_input(), error.told_by(&Arguments))
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::new(error.is_bad_input(), error.told_by(&Arguments))
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::File(error) => error.into(),
            other => Self::Input(other.told_by(&Arguments)),
        }
    }
}

impl From<SiteError> for Failure {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::File(error) => error.into(),
            SiteError::Run(error) => error.into(),
            other => Self::Input(other.told_by(&Arguments)),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Self::Journal(error.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (class, text) = match failure {
            Failure::Raised(error) => return error,
            Failure::Interrupted => return PyKeyboardInterrupt::new_err(()),
            Failure::Input(text) => ("InputError", text),
            Failure::Run(text) => ("RunError", text),
            Failure::Journal(text) => ("JournalError", text),
        };
        Python::attach(|py| {
            let raised = || py.import("fedcdi.errors")?.getattr(class)?.call1((text,));
            raised().map_or_else(|error| error, PyErr::from_value)
        })
    }
}

/// Settings as arguments: `missing="drop"`.
pub(crate) struct Arguments;

impl Face for Arguments {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        let argument = match name {
            "intervention_column" => "intervention",
            "force" => return "overwrite=True".to_owned(),
            other => other,
        };
        match value {
            None => format!("the argument {argument}"),
            Some(value) if name == "real" && value != "all" => format!("real=[{value:?}]"),
            Some(value) => format!("{argument}={value:?}"),
        }
    }
}
