//! Aggregation: one belief from sums over sites.
//!
//! A rule has two halves. At a site, [`Rule::terms`] turns the site's opinion into numbers; at the
//! coordinator, [`Rule::finish`] turns their sum into the next belief.
//!
//! | rule | belief | from a sum alone |
//! |---|---|---|
//! | [`Naive`] | mean weighted by dataset size (paper 4.2) | yes |
//! | [`Proximity`] | softmax over the mass that reaches an edge (paper 4.3) | yes |
//! | [`Evidence`] | mean weighted by the interventions each logit is learned from (ours) | yes |
//! | [`Median`] | median, for studies with a faulty site (ours) | no: clear studies only |
//!
//! Means are taken in one of three spaces, see [`Space`]. A new rule is one file and one line in
//! [`standard`].

mod evidence;
mod mass;
mod median;
mod naive;
mod pool;
mod proximity;
mod rule;
#[cfg(test)]
mod tests;

use fedcdi_core::choice::{Kind, Registry};

pub use evidence::Evidence;
pub use mass::MassFrom;
pub use median::Median;
pub use naive::Naive;
pub use pool::Space;
pub use proximity::{Carrier, Proximity};
pub(crate) use rule::MAX_LOGIT;
pub use rule::{Opinion, Rule, Shares};

/// What rules can be chosen from.
pub type Rules = Registry<Box<dyn Rule>>;

/// The rules of this crate; [`Registry::with`] adds others.
pub fn standard() -> Rules {
    Rules::new(
        "rule",
        vec![
            Kind::of(|params: Evidence| Box::new(params) as Box<dyn Rule>),
            Kind::of(|params: Naive| Box::new(params) as Box<dyn Rule>),
            Kind::of(|params: Proximity| Box::new(params) as Box<dyn Rule>),
            Kind::of(|params: Median| Box::new(params) as Box<dyn Rule>),
        ],
    )
}
