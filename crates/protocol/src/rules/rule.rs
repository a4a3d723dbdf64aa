//! What every rule offers.

use fedcdi_core::{Belief, BeliefError, SampleCounts};
use ndarray::Array2;

/// Logits beyond this change no probability that anybody can see; a site clips its own, so that no
/// site weighs more by being surer.
pub(crate) const MAX_LOGIT: f64 = 64.0;

/// What a site has to say in a round.
#[derive(Clone, Copy, Debug)]
pub struct Opinion<'a> {
    /// The belief that all sites were sent.
    pub prior: &'a Belief,
    /// The site's own, logits within -64..=64.
    pub posterior: &'a Belief,
    /// Sizes of its data, as they may be told.
    pub counts: &'a SampleCounts,
    /// Rows that make a mass of 1 ([`Rule::largest`]); 1 if no site has any.
    pub reference: u64,
}

/// One belief from many.
pub trait Rule: Send + Sync {
    /// Numbers that every site sends, over this many variables.
    fn n_terms(&self, n_vars: usize) -> usize;

    /// Binary digits after the point that the terms are sent with.
    fn fraction_bits(&self) -> u32 {
        28
    }

    /// What a site sends: [`Self::n_terms`] numbers.
    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64>;

    /// The next belief. An additive rule gets one list, the sum over sites; one that is not gets the
    /// list of every site, in their order.
    ///
    /// # Errors
    /// [`BeliefError`] if the numbers are no belief.
    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError>;

    /// Whether a sum is enough. Where it is not, the coordinator must see every site's terms, and no
    /// blinding is possible.
    fn is_additive(&self) -> bool {
        true
    }

    /// Whether a site that follows the rule can have sent these terms.
    fn is_sound(&self, n_vars: usize, terms: &[f64]) -> bool;

    /// If sites must agree on what a mass of 1 is: this site's largest number of rows.
    fn largest(&self, _counts: &SampleCounts) -> Option<u64> {
        None
    }

    /// How much each site counted, told from the terms of each, in their order.
    fn shares(&self, _n_vars: usize, _each: &[Vec<f64>]) -> Option<Shares> {
        None
    }
}

/// How much each site counted in an aggregate; sums to 1 over sites at every pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// In the existence of each edge, `[site][cause, effect]`.
    pub existence: Vec<Array2<f64>>,
    /// In the orientation of each pair, symmetric, `[site][cause, effect]`.
    pub orientation: Vec<Array2<f64>>,
}
