//! The answers to the running question, added up as they come.
//!
//! A coordinator of a thousand sites has no room for the lists of all of them, and no need: it keeps their
//! sum, and of every site the graph that it votes for. Single lists are kept where a rule needs them, and in
//! studies of few sites, whose report says who was trusted for what.

use std::collections::BTreeMap;

use fedcdi_core::ClientId;

use super::state::SiteVoice;
use crate::addends::Layout;

/// Studies of more sites have no shares of single sites in their result.
const MOST_SINGLE: usize = 64;

/// The answers to one question.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Who has answered; and the vote, where it is a round.
    voices: BTreeMap<ClientId, Option<SiteVoice>>,
    /// Of all lists of addends; empty before the first.
    sum: Vec<i64>,
    /// The lists themselves, where they are kept.
    single: BTreeMap<ClientId, Vec<i64>>,
}

impl Answers {
    /// Counts an answer without numbers.
    pub(super) fn add(&mut self, site: ClientId) {
        self.voices.insert(site, None);
    }

    /// Counts sums over the rows of a site that has not answered before: nothing is kept of it alone.
    pub(super) fn add_numbers(&mut self, site: ClientId, numbers: &[i64]) {
        self.sum.resize(numbers.len(), 0);
        (self.sum.iter_mut().zip(numbers)).for_each(|(sum, number)| *sum += number);
        self.add(site);
    }

    /// Counts the list of a site that has not answered before; it fits the layout.
    pub(super) fn add_up(&mut self, layout: &Layout<'_>, site: ClientId, addends: Vec<i64>) {
        self.add_numbers(site, &addends);
        let graph = layout.vote(&addends);
        self.voices.insert(site, Some(SiteVoice { site, graph }));
        if layout.needs_single() || layout.n_sites() <= MOST_SINGLE {
            self.single.insert(site, addends);
        }
    }

    pub(super) fn has(&self, site: ClientId) -> bool {
        self.voices.contains_key(&site)
    }

    pub(super) fn len(&self) -> usize {
        self.voices.len()
    }

    /// Who has answered, in order.
    pub(super) fn sites(&self) -> impl Iterator<Item = ClientId> {
        self.voices.keys().copied()
    }

    pub(super) fn sum(&self) -> &[i64] {
        &self.sum
    }

    /// Who said what, in order.
    pub(super) fn voices(&self) -> Vec<SiteVoice> {
        self.voices.values().flatten().cloned().collect()
    }

    /// The list of every site, in order, where they are kept.
    pub(super) fn single(&self) -> Option<impl Iterator<Item = &Vec<i64>> + Clone> {
        (self.single.len() == self.len()).then(|| self.single.values())
    }
}
