//! Why a party cannot go on.

use std::time::Duration;

use fedcdi_core::{Remedied, Remedy};
use fedcdi_data::FileError;
use fedcdi_protocol::JournalError;
use fedcdi_study::RunError;
use fedcdi_study::kit::SiteError;

/// Why a party cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A file of its kit.
    #[error(transparent)]
    File(#[from] FileError),
    /// A site cannot take part.
    #[error(transparent)]
    Site(Box<SiteError>),
    /// The study.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Something is not safe on the disk.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Certificates that are none.
    #[error("{0}; make the kits again with fedcdi provision")]
    Certificate(String),
    /// An address at which nothing can be served.
    #[error("cannot listen on {0}: {1}; choose another address or port")]
    Listen(String, std::io::Error),
    /// A thread of ours ended in a panic.
    #[error("answering ended in a defect of fedcdi; please report it")]
    Defect,
    /// An answer took longer than the site allows.
    #[error(
        "the answer took longer than the {} s that this site's policy allows (longest_answer), and nothing was sent; \
         allow more, or stay out of this study",
        .0.as_secs()
    )]
    TooSlow(Duration),
    /// The coordinator does not want to hear this site.
    #[error("the coordinator refused this site: {0}")]
    Refused(String),
}

impl From<SiteError> for NetworkError {
    fn from(error: SiteError) -> Self {
        Self::Site(Box::new(error))
    }
}

impl NetworkError {
    /// Whether the user has to change something.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::File(error) => error.is_bad_input(),
            Self::Run(error) => error.is_bad_input(),
            Self::Site(error) => error.is_bad_input(),
            Self::Journal(_) | Self::Defect => false,
            Self::Certificate(_) | Self::Listen(..) | Self::TooSlow(_) | Self::Refused(_) => true,
        }
    }
}

impl Remedied for NetworkError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::File(error) => error.remedy(),
            Self::Run(error) => error.remedy(),
            Self::Site(error) => error.remedy(),
            _ => None,
        }
    }
}
