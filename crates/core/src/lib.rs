//! Vocabulary and graphs of fedcdi. No input or output, no threads, no clock.
//!
//! | module | holds |
//! |---|---|
//! | [`variable`], [`schema`] | [`VarId`], [`Variable`], [`Schema`]: what is measured, and a hash two sites can compare |
//! | [`regime`] | [`Regime`]: whether a sample was observed or taken under an intervention |
//! | [`dataset`] | [`Dataset`]: categorical and real samples, stored compactly by column |
//! | [`belief`] | [`Belief`]: how likely each edge is, as existence and orientation |
//! | [`canonical`] | an order of columns and rows that does not depend on the file |
//! | [`round`] | [`Round`], [`ClientId`]: names in a federation |
//! | [`edge_test`], [`grafting`] | [`EdgeTest`], [`Pruning`], [`Grafting`]: independence tests that take back edges, and bring some in |
//! | [`sample_counts`] | [`SampleCounts`]: how much data stands behind a belief |
//! | [`local_method`] | [`LocalMethod`]: what a site runs |
//! | [`rounds`] | [`RoundParams`]: how many rounds, and when they end |
//! | [`knowledge`] | [`Knowledge`]: required and forbidden edges, tiers; enforced strictly |
//! | [`nearest`] | the known name closest to a misspelt one |
//! | [`seed`] | [`Seed`]: named, independent random streams |
//! | [`choice`] | [`Choice`]: a rule or a method by name, with its settings |
//! | [`params`] | [`ParamsError`]: the one way a setting is refused |
//! | [`mod@remedy`] | [`Remedy`]: what to do about an error, with settings that every [`Face`] names in its own way |
//! | [`graph`] | [`Digraph`], [`Dag`], [`Cpdag`], extraction of a graph from a belief, metrics |

pub mod belief;
pub mod canonical;
pub mod choice;
pub mod dataset;
pub mod edge_test;
mod first_few;
pub mod grafting;
pub mod graph;
pub mod knowledge;
pub mod local_method;
mod matrix;
pub mod nearest;
pub mod params;
pub mod regime;
pub mod remedy;
pub mod round;
pub mod rounds;
pub mod sample_counts;
pub mod schema;
mod schema_hash;
pub mod seed;
pub mod variable;

pub use belief::{Belief, BeliefError, Origin};
pub use choice::{Choice, ChoiceError, Settings};
pub use dataset::{Column, Dataset, DatasetBuilder, DatasetError};
pub use edge_test::{EdgeTest, Pruning, Tested, TestedGraph};
pub use first_few::first_few;
pub use grafting::Grafting;
pub use graph::{Cpdag, Dag, Digraph, GraphScores, ProbabilityScores, VarSet};
pub use knowledge::{Knowledge, KnowledgeError, KnowledgeFile};
pub use local_method::{LocalMethod, LocalMethodError};
pub use params::ParamsError;
pub use regime::Regime;
pub use remedy::{Face, Remedied, Remedy};
pub use round::{ClientId, Round};
pub use rounds::RoundParams;
pub use sample_counts::{JointCount, SampleCounts};
pub use schema::{Schema, SchemaError};
pub use schema_hash::{SchemaHash, SchemaHashError};
pub use seed::Seed;
pub use variable::{Kind, VarId, Variable};
