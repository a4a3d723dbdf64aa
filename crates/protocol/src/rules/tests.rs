//! What holds for every rule, and opinions for the tests of each.

use fedcdi_core::{Belief, Choice, SampleCounts, Seed};
use ndarray::Array2;
use proptest::prelude::*;
use rand::RngExt;

use super::*;

/// A site: what it believes, and how much data it has.
pub(super) type Voice = (Belief, SampleCounts);

pub(super) fn counts(n_interventional: &[u64], n_observational: u64) -> SampleCounts {
    SampleCounts {
        n_samples: n_observational + n_interventional.iter().sum::<u64>(),
        n_observational,
        n_interventional: n_interventional.to_vec(),
        n_joint: Vec::new(),
    }
}

/// Logits of two variables: existence of 0 -> 1 and of 1 -> 0, orientation of 0 -> 1.
pub(super) fn pair(existence: [f64; 2], orientation: f64) -> Belief {
    let [forward, backward] = existence;
    Belief::new(
        ndarray::array![[0.0, forward], [backward, 0.0]],
        ndarray::array![[0.0, orientation], [-orientation, 0.0]],
    )
    .unwrap()
}

/// A random belief with logits up to 6.
pub(super) fn belief(n_vars: usize, seed: Seed) -> Belief {
    let mut rng = seed.rng();
    let mut matrix = || {
        let draw = || rng.random_range(-6.0..6.0);
        Array2::from_shape_simple_fn((n_vars, n_vars), draw)
    };
    let (existence, any) = (matrix(), matrix());
    Belief::new(existence, &any - &any.t()).unwrap()
}

/// The terms of every site.
pub(super) fn terms_of(rule: &dyn Rule, prior: &Belief, sites: &[Voice]) -> Vec<Vec<f64>> {
    let largest = sites.iter().filter_map(|(_, counts)| rule.largest(counts));
    let reference = largest.max().unwrap_or(0).max(1);
    let terms = |(posterior, counts): &Voice| {
        rule.terms(&Opinion {
            prior,
            posterior,
            counts,
            reference,
        })
    };
    sites.iter().map(terms).collect()
}

/// The next belief.
pub(super) fn finished(rule: &dyn Rule, prior: &Belief, sites: &[Voice]) -> Belief {
    let each = terms_of(rule, prior, sites);
    if !rule.is_additive() {
        return rule.finish(prior.n_vars(), &each).unwrap();
    }
    let mut sum = vec![0.0; each[0].len()];
    for terms in &each {
        sum.iter_mut()
            .zip(terms)
            .for_each(|(sum, term)| *sum += term);
    }
    rule.finish(prior.n_vars(), &[sum]).unwrap()
}

/// A prior, and 1 to 6 sites over 2 to 6 variables.
pub(super) fn any_round() -> impl Strategy<Value = (Belief, Vec<Voice>)> {
    (2..=6usize, 1..=6usize, any::<u64>()).prop_map(|(n_vars, n_sites, seed)| {
        let seed = Seed::new(seed);
        let site = |site| {
            let own = seed.derive("site", site);
            let mut rng = own.derive("counts", 0).rng();
            let mut count = |limit: u64| rng.random_range(0..limit) * rng.random_range(0..2u64);
            let targets: Vec<u64> = (0..n_vars).map(|_| count(100)).collect();
            let n_observational = 1 + count(1000);
            (belief(n_vars, own), counts(&targets, n_observational))
        };
        let sites = (0..n_sites).map(site).collect();
        (belief(n_vars, seed), sites)
    })
}

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
