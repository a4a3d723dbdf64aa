//! Where samples come from.
//!
//! | module | holds |
//! |---|---|
//! | [`synth`] | generated data: graphs, networks, mechanisms, interventions, samples, splits |
//! | [`inspect`] | counts and warnings of a table |
//! | [`study`] | [`Study`]: the tables of all clients, as a folder |
//! | [`read`], [`mod@write`] | files: tables, networks, graphs; [`FileError`] says what is wrong with one |
//! | [`formats`] | [`Format`](formats::Format): the formats of tables, and how to add one |

pub mod file_error;
pub mod formats;
pub mod inspect;
pub mod named_graph;
pub mod read;
pub mod study;
pub mod synth;
pub mod write;

pub use file_error::FileError;
pub use inspect::Inspection;
pub use named_graph::NamedGraph;
pub use study::Study;
pub use synth::{
    Cpt, GraphKind, InterventionKind, Mechanism, Network, RealFamily, SamplePlan, SetTo, SplitPlan,
    TargetSplit, graphs, networks, sample, split, standardise,
};
