//! Aggregation: one belief from sums over sites.
//!
//! A rule has two halves. At a site, [`Rule::terms`] turns the site's opinion into numbers; at the
//! coordinator, [`Rule::finish`] turns their sum into the next belief.
//!
//! | module | rule | from a sum alone |
//! |---|---|---|
//! | [`naive`] | mean weighted by dataset size (paper 4.2) | yes |
//! | [`proximity`] | softmax over the mass that reaches an edge (paper 4.3) | yes |
//! | [`evidence`] | mean weighted by the interventions each logit is learned from (ours) | yes |
//! | [`median`] | median, for studies with a faulty site (ours) | no: clear studies only |
//!
//! A new rule is one file and one line in [`standard`].
//!
//! # In which space
//!
//! A mean of psi says nothing about how much of an unlikely edge is absence and how much reversal.
//! Splitting it by [`Belief::from_psi`](fedcdi_core::Belief::from_psi) makes existence the same in
//! both directions; the probability that sites without an opinion leave in a reverse edge then
//! counts as existence and never dies. Where the sites know both factors this loss is needless, so
//! the mean can also be taken of each: [`Space::Factors`] (the default of the paper's two rules) pools
//! existence and orientation as probabilities, [`Space::Logits`] as logits, and [`Space::Psi`] is the
//! paper to the letter.

pub mod evidence;
mod mass;
pub mod median;
pub mod naive;
mod pool;
pub mod proximity;
mod rule;
#[cfg(test)]
pub(crate) mod sample;

use fedcdi_core::choice::{Kind, Registry};

pub use evidence::Evidence;
pub use mass::{MassFrom, reliability};
pub use median::Median;
pub use naive::Naive;
pub use pool::Space;
pub use proximity::{Carrier, Proximity};
pub use rule::{MAX_LOGIT, Opinion, Rule, Shares};

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

#[cfg(test)]
mod tests {
    use fedcdi_core::Choice;
    use proptest::prelude::*;

    use super::sample::{any_round, finished, terms_of};
    use super::*;

    /// The defaults and every named choice.
    fn every_choice() -> Vec<Box<dyn Rule>> {
        let kinds = standard();
        let named = kinds.kinds().iter().map(|kind| Choice::named(&kind.name));
        let mut all: Vec<Box<dyn Rule>> = named.map(|c| kinds.build(&c).unwrap()).collect();
        for space in [Space::Psi, Space::Factors, Space::Logits] {
            all.push(Box::new(Naive { space }));
            all.push(Box::new(Proximity {
                beta: 5.0,
                carrier: Carrier::Own,
                mass: MassFrom::All,
                space,
            }));
        }
        all
    }

    proptest! {
        #[test]
        fn sites_that_agree_are_believed((prior, mut sites) in any_round()) {
            let (belief, expected) = (sites[0].0.clone(), sites[0].0.psi());
            sites.iter_mut().for_each(|site| site.0 = belief.clone());
            for rule in every_choice() {
                let found = finished(rule.as_ref(), &prior, &sites);
                let gap = (found.psi() - &expected).mapv(f64::abs);
                prop_assert!(gap.iter().all(|g| *g < 2e-3));
            }
        }

        #[test]
        fn honest_terms_are_sound_and_have_the_planned_number((prior, sites) in any_round()) {
            for rule in every_choice() {
                for terms in terms_of(rule.as_ref(), &prior, &sites) {
                    prop_assert_eq!(terms.len(), rule.n_terms(prior.n_vars()));
                    prop_assert!(rule.is_sound(prior.n_vars(), &terms));
                }
            }
        }

        #[test]
        fn shares_sum_to_one_at_every_pair((prior, sites) in any_round()) {
            for rule in every_choice() {
                let each = terms_of(rule.as_ref(), &prior, &sites);
                let Some(shares) = rule.shares(prior.n_vars(), &each) else {
                    prop_assert!(!rule.is_additive());
                    continue;
                };
                prop_assert_eq!(shares.existence.len(), sites.len());
                for of_sites in [&shares.existence, &shares.orientation] {
                    for (cause, effect) in prior.pairs() {
                        let at = (cause.index(), effect.index());
                        let sum: f64 = of_sites.iter().map(|share| share[at]).sum();
                        prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
                    }
                }
                prop_assert!(shares.orientation.iter().all(|share| share == share.t()));
            }
        }
    }
}
