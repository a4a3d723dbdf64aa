//! Ask, add, decide: the federation of fedcdi, by bytes.
//!
//! The coordinator asks all sites the same *question*; each answers with a list of *addends* whose
//! number follows from the study plan and the question; the coordinator adds them up and *decides* what
//! to ask next, or that the study is over. [`coordinator`] tells the whole protocol.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | [`StudyPlan`]: what all parties agree on beforehand; it has a digest |
//! | `score_plan` | [`ScorePlan`]: whether the sites' rows are summed, and how far |
//! | [`moves`] | what moves what: which edges interventions rule out |
//! | `policy` | [`Policy`]: what a site allows a plan to ask |
//! | [`question`], [`answer`] | the messages, and what each block of an answer reveals |
//! | [`addends`], `fixed` | which number stands where in an answer; integers that add up to the same bits in any order |
//! | [`sums`] | sums over rows: which a site may be asked for, and which it can have sent |
//! | `scored` | [`Scored`]: what the search over sums came to |
//! | [`rules`] | from opinions to one belief: evidence, naive, proximity, median |
//! | `site` | [`Site`]: rows stay, answers leave |
//! | [`coordinator`] | [`Coordinator`]: a pure step function behind a journal |
//! | `rehearsal` | [`Rehearsal`]: what would leave a site |
//! | `codec` | one encoding per message |
//! | [`journal`], [`store`] | records that survive a crash and show tampering |
//! | [`audit`] | what a journal says, for people |
//! | `event` | [`StudyEvent`]: everything the outside may want to know |
//! | `in_process` | [`InProcess`], the first carrier: all sites on this machine |
//!
//! No clock, no network, no randomness; the only input and output is the journal of [`store`]. Every
//! carrier moves the same bytes, so what is measured on one machine is what runs between sites.

pub mod addends;
pub mod answer;
pub mod audit;
mod codec;
pub mod coordinator;
mod declined;
mod event;
mod fixed;
mod in_process;
pub mod journal;
pub mod moves;
mod plan;
mod policy;
pub mod question;
mod rehearsal;
pub mod rules;
mod score_plan;
mod scored;
mod site;
pub mod store;
pub mod sums;

pub use codec::{DecodeError, Digest, VERSION};
pub use coordinator::{Coordinator, Outcome, Receipt, SiteVoice, StudyError};
pub use declined::Declined;
pub use event::{Absence, RoundRecord, StopReason, StudyEvent};
pub use fedcdi_core::RoundParams;
pub use in_process::{CarrierError, DeclineWatcher, InProcess};
pub use journal::JournalError;
pub use moves::{Moved, Moves};
pub use plan::{
    CheckedPlan, Disclosure, Exchange, OpenError, PlanError, PlannedVariable, StudyPlan,
};
pub use policy::{NotAllowed, Policy};
pub use rehearsal::{Believed, Exchanged, Rehearsal, Told};
pub use score_plan::{ScorePlan, Start};
pub use scored::{Changes, Scored};
pub use site::{Answered, Site, SiteData};
