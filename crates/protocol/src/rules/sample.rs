//! Opinions for the tests of the rules.

use fedcdi_core::{Belief, SampleCounts, Seed};
use ndarray::Array2;
use proptest::prelude::*;
use rand::RngExt;

use super::rule::{Opinion, Rule};

/// A site: what it believes, and how much data it has.
pub(crate) type Voice = (Belief, SampleCounts);

pub(crate) fn counts(n_interventional: &[u64], n_observational: u64) -> SampleCounts {
    SampleCounts {
        n_samples: n_observational + n_interventional.iter().sum::<u64>(),
        n_observational,
        n_interventional: n_interventional.to_vec(),
        n_joint: Vec::new(),
    }
}

/// Logits of two variables: existence of 0 -> 1 and of 1 -> 0, orientation of 0 -> 1.
pub(crate) fn pair(existence: [f64; 2], orientation: f64) -> Belief {
    let [forward, backward] = existence;
    Belief::new(
        ndarray::array![[0.0, forward], [backward, 0.0]],
        ndarray::array![[0.0, orientation], [-orientation, 0.0]],
    )
    .unwrap()
}

/// A random belief with logits up to 6.
pub(crate) fn belief(n_vars: usize, seed: Seed) -> Belief {
    let mut rng = seed.rng();
    let mut matrix = || {
        let draw = || rng.random_range(-6.0..6.0);
        Array2::from_shape_simple_fn((n_vars, n_vars), draw)
    };
    let (existence, any) = (matrix(), matrix());
    Belief::new(existence, &any - &any.t()).unwrap()
}

/// The terms of every site.
pub(crate) fn terms_of(rule: &dyn Rule, prior: &Belief, sites: &[Voice]) -> Vec<Vec<f64>> {
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
pub(crate) fn finished(rule: &dyn Rule, prior: &Belief, sites: &[Voice]) -> Belief {
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
pub(crate) fn any_round() -> impl Strategy<Value = (Belief, Vec<Voice>)> {
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
