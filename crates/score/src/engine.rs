//! Scores of families: what is known of them, and what is still to be asked.
//!
//! | family | log-likelihood | price |
//! |---|---|---|
//! | a real effect | linear regression ([`crate::linear`]) | per parent |
//! | labels, at most one parent | from the pair's table | the lower of both |
//! | labels, several parents | the better of an additive model ([`crate::fit`]) and a table | of its class |
//! | labels, some parents real | an additive model | per parent |
//!
//! Much can be said before a fit: a table explains at least as much as an additive model, fewer parents
//! explain no more, and slopes and curvature at the maximum foretell what one parent more gains (Rao 1948)
//! or one less loses (Wald 1943). So few families are fitted, and a fit ends when its family cannot win.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fedcdi_core::{VarId, VarSet};

use crate::ask::{Ask, Cells, GRID, MOST_NUMBERS, Slope, Sums};
use crate::design::{Block, Design};
use crate::fit::{Fit, Said};
use crate::known::{Known, family_cells, pair};
use crate::linear;
use crate::metric::{self, Metric};
use crate::params::SearchParams;
use crate::price::{Prices, n_occurring};
use crate::wanted::Wanted;

/// Tables of at most so many cells are counted before anything is fitted.
const SMALL_TABLE: usize = 512;
/// A forecast of a gain may be too low by this factor.
const RAO_OPTIMISM: f64 = 1.5;
/// A forecast of a loss may be too high by this factor.
const WALD_OPTIMISM: f64 = 0.25;

/// An effect with its parents.
pub(crate) type Family = (VarId, VarSet);

/// What is known of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Worth {
    /// The best guess.
    pub(crate) guess: f64,
    /// It is hardly more.
    pub(crate) most: f64,
    pub(crate) is_exact: bool,
}

impl Worth {
    fn exactly(score: f64) -> Self {
        Self {
            guess: score,
            most: score,
            is_exact: true,
        }
    }
}

/// What is to be found out.
#[derive(Default)]
pub(crate) struct Agenda {
    /// Families to fit, until their score is below this.
    pub(crate) fits: BTreeMap<Family, f64>,
    pub(crate) tables: BTreeSet<Family>,
    /// Families whose slopes for other variables are wanted.
    pub(crate) outlooks: BTreeSet<Family>,
    /// Families, whose outlook is known, and parents of them: does the effect follow when they are set?
    pub(crate) followers: BTreeSet<(Family, VarId)>,
}

impl Agenda {
    pub(crate) fn is_empty(&self) -> bool {
        self.fits.is_empty()
            && self.tables.is_empty()
            && self.outlooks.is_empty()
            && self.followers.is_empty()
    }
}

/// A family of which something is known.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// The score, once nothing is open.
    exact: Option<f64>,
    /// Log-likelihood of its table.
    table: Option<f64>,
    fit: Option<Box<Fit>>,
    /// Negative log-likelihood of the additive model at its maximum.
    additive: Option<f64>,
    outlook: Option<Box<Outlook>>,
}

/// A model at its maximum.
#[derive(Clone, Debug)]
struct Outlook {
    design: Design,
    metric: Metric,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    nll: f64,
    /// By other variable: slopes, `[column, value]`, and the gain that they promise.
    others: HashMap<VarId, (Vec<f64>, f64)>,
    /// By parent: nats that are lost without it, by the curvature at the maximum.
    losses: HashMap<VarId, f64>,
    /// By parent: nats by which rows that set it are likelier with it than without it.
    followed: HashMap<VarId, f64>,
}

/// Scores, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) known: Known,
    prices: Prices,
    params: SearchParams,
    entries: HashMap<Family, Entry>,
    /// Values of each effect that occur.
    values: Vec<Vec<u16>>,
    /// `[parent, effect]`: categories of the parent that occur where the effect is left alone.
    occurring: Vec<usize>,
    /// `[parent, effect]`: price of the parent in an additive model.
    parent_prices: Vec<f64>,
    /// What the running question is about.
    pending: Vec<Pending>,
}

/// The answer to one slope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pending {
    Trial(Family),
    Outlook(Family),
    /// Two slopes: with a parent and without it.
    Follower(Family, VarId),
}

impl Engine {
    /// Before the tables of pairs are known.
    pub(crate) fn unready(known: Known, params: SearchParams) -> Self {
        Self {
            prices: Prices::new(known.outline.n_vars(), known.n_rows(), params.level),
            params,
            entries: HashMap::new(),
            values: Vec::new(),
            occurring: Vec::new(),
            parent_prices: Vec::new(),
            pending: Vec::new(),
            known,
        }
    }

    /// Whether the tables of all pairs are known.
    pub(crate) fn is_ready(&self) -> bool {
        !self.values.is_empty()
    }

    /// With the tables of all pairs.
    pub(crate) fn make_ready(&mut self) {
        let known = &self.known;
        let occurring = |var: usize| -> Vec<u16> {
            if known.outline.is_real(VarId(var)) {
                return Vec::new();
            }
            let counts = known.effect_counts(VarId(var));
            (0u16..)
                .zip(counts)
                .filter(|(_, n)| *n > 0.0)
                .map(|(v, _)| v)
                .collect()
        };
        let n_vars = known.outline.n_vars();
        let pairs = || (0..n_vars * n_vars).map(|at| (VarId(at / n_vars), VarId(at % n_vars)));
        let of_pair = |(parent, effect): (VarId, VarId)| {
            if known.outline.is_real(parent) {
                2
            } else {
                n_occurring(known, parent, effect).max(1)
            }
        };
        self.values = (0..n_vars).map(occurring).collect();
        self.occurring = pairs().map(of_pair).collect();
        self.parent_prices = pairs().map(|(p, e)| self.price_of_degrees(p, e)).collect();
    }

    fn price_of_degrees(&self, parent: VarId, effect: VarId) -> f64 {
        let own = self.occurring[parent.index() * self.values.len() + effect.index()] - 1;
        let degrees = if self.known.outline.is_real(effect) {
            own
        } else {
            own * self.values[effect.index()].len().saturating_sub(1)
        };
        self.prices.parent(degrees)
    }

    fn is_constant(&self, effect: VarId) -> bool {
        !self.known.outline.is_real(effect) && self.values[effect.index()].len() < 2
    }

    fn design(&self, effect: VarId, parents: &VarSet) -> Design {
        let values = self.values[effect.index()].clone();
        Design::new(&self.known.outline, effect, values, parents.iter())
    }

    fn additive_price(&self, (effect, parents): &Family) -> f64 {
        let n_vars = self.values.len();
        let price = |parent: VarId| self.parent_prices[parent.index() * n_vars + effect.index()];
        parents.iter().map(price).sum()
    }

    fn table_price(&self, (effect, parents): &Family) -> f64 {
        let n_vars = self.values.len();
        let occurring = |p: VarId| self.occurring[p.index() * n_vars + effect.index()] as f64;
        let combinations: f64 = parents.iter().map(occurring).product();
        let values = self.values[effect.index()].len();
        self.prices.table(values, combinations)
    }

    fn is_labelled(&self, (effect, parents): &Family) -> bool {
        !self.known.outline.is_real(*effect) && !linear::is_mixed(&self.known, parents)
    }

    fn n_cells(&self, (effect, parents): &Family) -> usize {
        family_cells(*effect, parents).n_numbers(&self.known.outline)
    }

    /// Tries to score a family from what is known.
    fn settle(&mut self, family: &Family) -> Option<f64> {
        if let Some(exact) = self.entries.get(family).and_then(|entry| entry.exact) {
            return Some(exact);
        }
        let (effect, parents) = family;
        let score = if self.is_constant(*effect) {
            Some(-self.additive_price(family))
        } else if self.known.outline.is_real(*effect) {
            let design = self.design(*effect, parents);
            let is_known = linear::needed(&design)
                .iter()
                .all(|cells| self.known.has(cells));
            is_known
                .then(|| linear::log_likelihood(&design, &self.known) - self.additive_price(family))
        } else if self.is_labelled(family) && parents.len() < 2 {
            let price = self.additive_price(family).min(self.table_price(family));
            Some(self.pair_likelihood(*effect, parents.iter().next()) - price)
        } else {
            self.settle_fitted(family)
        };
        if let Some(score) = score {
            self.entries.entry(family.clone()).or_default().exact = Some(score);
        }
        score
    }

    /// The score of a family whose additive model has to be fitted.
    fn settle_fitted(&mut self, family: &Family) -> Option<f64> {
        let (prices, table_price) = (self.additive_price(family), self.table_price(family));
        let has_table =
            self.is_labelled(family) && self.n_cells(family) <= self.params.largest_table;
        let entry = self.entries.get(family)?;
        let table = entry.table.map(|likelihood| likelihood - table_price);
        if let (Some(likelihood), Some(score)) = (entry.table, table)
            && prices >= table_price
        {
            // An additive model explains no more than the table, for a higher price.
            return (likelihood - prices <= score).then_some(score);
        }
        if let (Some(score), Some(fit)) = (table, entry.fit.as_deref())
            && fit.most() - prices <= score
        {
            return Some(score);
        }
        let additive = -entry.additive? - prices;
        match table {
            Some(table) => Some(table.max(additive)),
            // No table explains more than everything.
            None if !has_table || -table_price <= additive => Some(additive),
            None => None,
        }
    }

    /// Log-likelihood of an effect with at most one parent.
    fn pair_likelihood(&self, effect: VarId, parent: Option<VarId>) -> f64 {
        match parent {
            None => log_likelihood(&self.known.effect_counts(effect), 1),
            Some(parent) => {
                let rows = self.known.outline.width(parent);
                log_likelihood(&self.known.table_of(parent, effect), rows)
            }
        }
    }

    /// The score of a family, if nothing has to be asked for it.
    pub(crate) fn exact(&mut self, family: &Family) -> Option<f64> {
        self.settle(family)
    }

    /// What is known of a family that replaces another one of the same effect, which is exact.
    pub(crate) fn worth(&mut self, family: &Family, from: &Family) -> Worth {
        if let Some(exact) = self.settle(family) {
            return Worth::exactly(exact);
        }
        let unknown = Worth {
            guess: f64::INFINITY,
            most: f64::INFINITY,
            is_exact: false,
        };
        if self.known.outline.is_real(family.0) {
            return unknown;
        }
        let price = self.additive_price(family);
        let table_price = self.table_price(family);
        let (mut guess, mut most) = self.forecast(family, from);
        let entry = self.entries.get(family);
        if let Some(fit) = entry.and_then(|entry| entry.fit.as_deref())
            && fit.nll.is_finite()
        {
            guess = guess.min(-fit.nll + fit.expected());
            most = most.min(fit.most());
            // What the fit has reached is not a forecast.
            (guess, most) = (guess.max(-fit.nll), most.max(-fit.nll));
        }
        if let Some(nll) = entry.and_then(|entry| entry.additive) {
            (guess, most) = (-nll, -nll);
        }
        (guess, most) = (guess - price, most - price);
        if let Some(table) = entry.and_then(|entry| entry.table) {
            let cap = table - price;
            let score = table - table_price;
            (guess, most) = (guess.min(cap).max(score), most.min(cap).max(score));
        }
        Worth {
            guess,
            most,
            is_exact: false,
        }
    }

    /// What the additive log-likelihood of a family will be, from the one that it replaces: the best guess,
    /// and what it hardly exceeds.
    fn forecast(&self, family: &Family, from: &Family) -> (f64, f64) {
        let Some(outlook) = self
            .entries
            .get(from)
            .and_then(|entry| entry.outlook.as_deref())
        else {
            return (f64::INFINITY, f64::INFINITY);
        };
        let (mut more, mut less) = (family.1.clone(), from.1.clone());
        more.difference_with(&from.1);
        less.difference_with(&family.1);
        match (
            more.iter().next(),
            less.iter().next(),
            more.len() + less.len(),
        ) {
            (Some(parent), None, 1) => {
                let gain = outlook.others[&parent].1;
                (-outlook.nll + gain, -outlook.nll + RAO_OPTIMISM * gain)
            }
            (None, Some(parent), 1) => {
                let loss = outlook.losses[&parent];
                (-outlook.nll - loss, -outlook.nll - WALD_OPTIMISM * loss)
            }
            _ => (f64::INFINITY, f64::INFINITY),
        }
    }

    /// Whether a table should be counted before a family is forecast.
    pub(crate) fn wants_table(&self, family: &Family) -> bool {
        self.is_labelled(family)
            && self.n_cells(family) <= SMALL_TABLE.min(self.params.largest_table)
            && self
                .entries
                .get(family)
                .is_none_or(|entry| entry.table.is_none())
    }

    /// Whether slopes for other variables would help to forecast the families around this one.
    pub(crate) fn wants_outlook(&self, family: &Family) -> bool {
        !self.known.outline.is_real(family.0)
            && !self.is_constant(family.0)
            && self
                .entries
                .get(family)
                .is_none_or(|entry| entry.outlook.is_none())
    }

    /// The next question, if the agenda needs one.
    pub(crate) fn ask(&mut self, agenda: &Agenda) -> Option<Ask> {
        let wanted = self.plan(agenda);
        self.question(wanted)
    }

    /// What an agenda needs next of what is not known.
    pub(crate) fn plan(&mut self, agenda: &Agenda) -> Wanted {
        let mut wanted = Wanted::default();
        for family in &agenda.tables {
            wanted.count(family_cells(family.0, &family.1));
        }
        for family in &agenda.outlooks {
            self.want_outlook(family, &mut wanted);
        }
        for (family, parent) in &agenda.followers {
            self.want_follower(family, *parent, &mut wanted);
        }
        for (family, threshold) in &agenda.fits {
            self.want_fit(family, *threshold, &mut wanted);
        }
        wanted.retain(&self.known);
        wanted
    }

    /// As much of what is wanted as fits into one question.
    pub(crate) fn question(&mut self, wanted: Wanted) -> Option<Ask> {
        let outline = &self.known.outline;
        let mut sums = Sums {
            scales: self.known.scales.clone(),
            ..Sums::default()
        };
        let mut room = MOST_NUMBERS;
        let mut has_room = |n: usize| {
            let fits = n <= room;
            room -= if fits { n } else { 0 };
            fits
        };
        for cells in wanted.counts {
            if has_room(cells.n_numbers(outline)) {
                sums.counts.push(cells);
            }
        }
        self.pending.clear();
        for (pending, slopes) in wanted.slopes {
            let n: usize = slopes.iter().map(|slope| slope.n_numbers(outline)).sum();
            if has_room(n) {
                self.pending.push(pending);
                sums.slopes.extend(slopes);
            }
        }
        let is_empty = sums.counts.is_empty() && sums.slopes.is_empty();
        (!is_empty).then_some(Ask::Sums(sums))
    }

    fn want_outlook(&mut self, family: &Family, wanted: &mut Wanted) {
        let (effect, parents) = family;
        let design = self.design(*effect, parents);
        if wanted.needs(&self.known, metric::needed(&design)) {
            return;
        }
        let weights = match self
            .entries
            .get(family)
            .and_then(|entry| entry.fit.as_deref())
        {
            Some(fit) => fit.weights.clone(),
            // With at most one parent the maximum is known.
            None => naive(&design, &self.known, 1.0),
        };
        let slope = design.slope(&weights, true);
        wanted.want(Pending::Outlook(family.clone()), vec![slope]);
    }

    fn want_follower(&self, family: &Family, parent: VarId, wanted: &mut Wanted) {
        let (effect, parents) = family;
        let Some(outlook) = (self.entries.get(family)).and_then(|entry| entry.outlook.as_deref())
        else {
            return;
        };
        let block = outlook.design.block(parent).expect("a parent has columns");
        let (_, weights) = outlook.metric.without(&outlook.weights, &block.columns());
        let fewer = self.design(*effect, &parents.without(parent));
        let slopes = [(&outlook.design, &outlook.weights), (&fewer, &weights)];
        let in_moved_rows = |(design, weights): (&Design, &Vec<f64>)| Slope {
            set: Some(parent),
            ..design.slope(weights, false)
        };
        let slopes = slopes.map(in_moved_rows).to_vec();
        wanted.want(Pending::Follower(family.clone(), parent), slopes);
    }

    /// By how many nats rows that set a parent are likelier with it than without it, if that is known.
    pub(crate) fn followed(&self, family: &Family, parent: VarId) -> Option<f64> {
        let outlook = self.entries.get(family)?.outlook.as_deref()?;
        outlook.followed.get(&parent).copied()
    }

    fn want_fit(&mut self, family: &Family, threshold: f64, wanted: &mut Wanted) {
        let (effect, parents) = family;
        if self.settle(family).is_some() {
            return;
        }
        let design = self.design(*effect, parents);
        if self.known.outline.is_real(*effect) {
            wanted.needs(&self.known, linear::needed(&design));
            return;
        }
        let entry = self.entries.entry(family.clone()).or_default();
        if entry.additive.is_some() {
            // What is still open is whether the table is better.
            wanted.count(family_cells(*effect, parents));
            return;
        }
        if !wanted.needs(&self.known, metric::needed(&design))
            && !self.want_trial(design, family, threshold, wanted)
        {
            self.want_fit(family, threshold, wanted);
        }
    }

    /// Goes on with the fit of a family, as long as its score may be above the threshold; false if the
    /// fit has ended. The cells of its metric are known.
    fn want_trial(
        &mut self,
        design: Design,
        family: &Family,
        threshold: f64,
        wanted: &mut Wanted,
    ) -> bool {
        let price = self.additive_price(family);
        if self
            .entries
            .get(family)
            .is_none_or(|entry| entry.fit.is_none())
        {
            let fit = self.new_fit(design, family);
            self.entries.entry(family.clone()).or_default().fit = Some(Box::new(fit));
        }
        let entry = self.entries.get_mut(family).expect("it was just made");
        let fit = entry.fit.as_deref().expect("it was just made");
        if fit.has_ended() {
            entry.additive = Some(fit.nll);
            return false;
        }
        if fit.most() - price > threshold {
            let slopes = fit
                .trials()
                .iter()
                .map(|weights| fit.design.slope(weights, false));
            wanted.want(Pending::Trial(family.clone()), slopes.collect());
        }
        true
    }

    /// A fit that starts where a neighbouring family ended, or where the pairs point.
    fn new_fit(&self, design: Design, family: &Family) -> Fit {
        let (effect, parents) = family;
        let metric = Metric::new(&design, &self.known);
        let outlook_of = |parents: VarSet| {
            let entry = self.entries.get(&(*effect, parents))?;
            entry.outlook.as_deref()
        };
        let fewer = parents
            .iter()
            .filter_map(|p| Some((p, outlook_of(parents.without(p))?)));
        if let Some((parent, base)) = fewer.min_by(|a, b| a.1.nll.total_cmp(&b.1.nll)) {
            return extended(design, metric, base, parent);
        }
        let vars = (0..self.known.outline.n_vars()).map(VarId);
        let others = vars.filter(|v| *v != *effect && !parents.contains(*v));
        for more in others {
            if let Some(base) = outlook_of(parents.with(more)) {
                let left_out = base
                    .design
                    .block(more)
                    .expect("a parent has columns")
                    .columns();
                let (_, weights) = base.metric.without(&base.weights, &left_out);
                return Fit::from_trials(design, metric, vec![weights]);
            }
        }
        let starts = [1.0, 0.5, 0.0].map(|scale| naive(&design, &self.known, scale));
        Fit::from_trials(design, metric, starts.to_vec())
    }

    /// Takes the sums to what was asked.
    pub(crate) fn take(&mut self, asked: &Sums, sums: &[i64]) {
        let mut rest = sums;
        let mut next = |n: usize| {
            let (head, tail) = rest.split_at(n);
            rest = tail;
            head
        };
        for cells in &asked.counts {
            let numbers = next(cells.n_numbers(&self.known.outline)).to_vec();
            self.note_table(cells, &numbers);
            self.known.insert(cells.clone(), numbers);
        }
        let mut slopes = asked.slopes.iter();
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Trial(family) => {
                    let outline = &self.known.outline;
                    let entry = self.entries.get_mut(&family).expect("asked about");
                    let fit = entry.fit.as_deref_mut().expect("asked about");
                    let said: Vec<Said> = slopes
                        .by_ref()
                        .take(fit.trials().len())
                        .map(|slope| said(&fit.design, next(slope.n_numbers(outline))))
                        .collect();
                    fit.take(said);
                    if fit.has_ended() {
                        entry.additive = Some(fit.nll);
                    }
                }
                Pending::Follower(family, parent) => {
                    slopes
                        .next()
                        .and_then(|_| slopes.next())
                        .expect("two were asked");
                    let [with, without] = [next(1)[0], next(1)[0]];
                    let entry = self.entries.get_mut(&family).expect("asked about");
                    let outlook = entry.outlook.as_deref_mut().expect("asked about");
                    let nats = (without - with) as f64 * GRID;
                    outlook.followed.insert(parent, nats);
                }
                Pending::Outlook(family) => {
                    let slope = slopes.next().expect("one was asked");
                    let numbers = next(slope.n_numbers(&self.known.outline));
                    let outlook = self.read_outlook(&family, numbers);
                    let entry = self.entries.entry(family).or_default();
                    entry.outlook = Some(Box::new(outlook));
                    entry.fit = None;
                }
            }
        }
    }

    /// A table of a family of labels.
    fn note_table(&mut self, cells: &Cells, numbers: &[i64]) {
        let outline = &self.known.outline;
        let effect = cells.free_of;
        let Some(place) = cells.variables.iter().position(|var| *var == effect) else {
            return;
        };
        if cells.variables.iter().any(|var| outline.is_real(*var)) {
            return;
        }
        let faster: usize = cells.variables[place + 1..]
            .iter()
            .map(|var| outline.width(*var))
            .product();
        let size = outline.width(effect);
        let likelihood = likelihood_of_table(numbers, size, faster);
        let parents = cells.variables.iter().copied().filter(|var| *var != effect);
        let parents = VarSet::from_members(outline.n_vars(), parents);
        self.entries.entry((effect, parents)).or_default().table = Some(likelihood);
    }

    /// How much more a pair gains than its slopes promise: the stronger the dependence, the more.
    fn steepness(&self, cause: VarId, effect: VarId) -> f64 {
        let outline = &self.known.outline;
        if outline.is_real(cause) {
            return 1.0;
        }
        let table = self.known.table_of(cause, effect);
        let all = self.known.effect_counts(effect);
        let (n, size) = (all.iter().sum::<f64>(), all.len());
        let values = self.values[effect.index()].len() as f64;
        let mut promised = 0.0;
        for row in table.chunks_exact(size) {
            let total: f64 = row.iter().sum();
            for (count, all) in row.iter().zip(&all) {
                let (expected, share) = (total * all / n, all / n);
                let variance = total * share * (1.0 - share);
                if variance > 0.0 {
                    promised += (count - expected).powi(2) / variance;
                }
            }
        }
        promised *= 0.5 * (values - 1.0) / values;
        let gained = self.pair_likelihood(effect, Some(cause)) - self.pair_likelihood(effect, None);
        // Of next to nothing the two are the same.
        ((gained + 10.0) / (promised + 10.0)).clamp(1.0, 4.0)
    }

    fn read_outlook(&self, family: &Family, numbers: &[i64]) -> Outlook {
        let (effect, parents) = family;
        let design = self.design(*effect, parents);
        let n = design.n_values();
        let mut metric = Metric::new(&design, &self.known);
        let weights = match self
            .entries
            .get(family)
            .and_then(|entry| entry.fit.as_deref())
        {
            Some(fit) => fit.weights.clone(),
            None => naive(&design, &self.known, 1.0),
        };
        let outline = &self.known.outline;
        let slope = design.slope(&weights, true);
        let (head, rest) = numbers.split_at(1 + slope.n_weights(outline));
        let said = said(&design, head);
        let as_real =
            |numbers: &[i64]| -> Vec<f64> { numbers.iter().map(|n| *n as f64 * GRID).collect() };
        let (own, rest) = rest.split_at(design.n_columns * n);
        metric.set_variances(&as_real(own));
        let (slopes, variances) = rest.split_at(rest.len() / 2);
        let (mut others, mut at) = (HashMap::new(), 0);
        for var in slope.others(outline) {
            let end = at + outline.width(var) * n;
            let (slopes, variances) = (as_real(&slopes[at..end]), as_real(&variances[at..end]));
            let terms = slopes.iter().zip(&variances).filter(|(_, v)| **v > 0.0);
            let statistic =
                (n as f64 - 1.0) / n as f64 * terms.map(|(s, v)| s * s / v).sum::<f64>();
            let gain = 0.5 * statistic * self.steepness(var, *effect);
            others.insert(var, (slopes, gain));
            at = end;
        }
        let loss = |block: &Block| (block.parent, metric.without(&weights, &block.columns()).0);
        Outlook {
            losses: design.blocks.iter().map(loss).collect(),
            followed: HashMap::new(),
            design,
            metric,
            weights,
            gradient: said.gradient,
            nll: said.nll,
            others,
        }
    }
}

/// Likelihood and slopes, from the first numbers of an answer.
fn said(design: &Design, numbers: &[i64]) -> Said {
    let reduced: Vec<f64> = numbers[1..].iter().map(|n| *n as f64 * GRID).collect();
    Said {
        nll: numbers[0] as f64 * GRID,
        gradient: design.full_gradient(&reduced),
    }
}

/// The model of a family with one parent more, which still has no say: its slopes are known.
fn extended(design: Design, mut metric: Metric, base: &Outlook, parent: VarId) -> Fit {
    let n = design.n_values();
    let mut weights = vec![0.0; design.n_columns * n];
    let mut gradient = weights.clone();
    let mut copy = |from: std::ops::Range<usize>, to: usize| {
        let range = from.start * n..from.end * n;
        let room = to * n..to * n + range.len();
        weights[room.clone()].copy_from_slice(&base.weights[range.clone()]);
        gradient[room].copy_from_slice(&base.gradient[range]);
    };
    copy(0..1, 0);
    for block in &design.blocks {
        if let Some(known) = base.design.block(block.parent) {
            copy(known.columns(), block.start);
        }
    }
    let new = design
        .block(parent)
        .expect("a parent has columns")
        .columns();
    gradient[new.start * n..new.end * n].copy_from_slice(&base.others[&parent].0);
    metric.inherit(&base.metric, &design, &base.design);
    let said = Said {
        nll: base.nll,
        gradient,
    };
    Fit::from_known(design, metric, weights, said)
}

/// Weights that would be right if parents were independent given the effect, and no parent real.
fn naive(design: &Design, known: &Known, scale: f64) -> Vec<f64> {
    let n = design.n_values();
    let size = known.outline.width(design.effect);
    let logs = |counts: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let half = |value: &u16| counts(usize::from(*value)) + 1e-3;
        let total: f64 = design.values.iter().map(half).sum();
        design
            .values
            .iter()
            .map(|value| (half(value) / total).ln())
            .collect()
    };
    let all = known.effect_counts(design.effect);
    let mut weights = logs(&|value| all[value]);
    let intercept = weights.clone();
    for block in &design.blocks {
        if block.is_real {
            weights.extend(vec![0.0; n]);
            continue;
        }
        let table = known.table_of(block.parent, design.effect);
        for category in 0..block.width {
            let given = logs(&|value| table[category * size + value]);
            weights.extend(given.iter().zip(&intercept).map(|(a, b)| scale * (a - b)));
        }
    }
    weights
}

/// Log-likelihood of counts `[row, value]` under the frequencies of each row.
fn log_likelihood(counts: &[f64], n_rows: usize) -> f64 {
    let size = counts.len() / n_rows.max(1);
    counts.chunks_exact(size.max(1)).map(of_row).sum()
}

fn of_row(row: &[f64]) -> f64 {
    let total: f64 = row.iter().sum();
    let seen = row.iter().filter(|n| **n > 0.0);
    seen.map(|n| n * (n / total).ln()).sum()
}

/// The same of a table of more dimensions, whose values are `faster` cells apart.
fn likelihood_of_table(counts: &[i64], size: usize, faster: usize) -> f64 {
    let mut row = vec![0.0; size];
    let mut sum = 0.0;
    for block in counts.chunks_exact(size * faster) {
        for start in 0..faster {
            for (value, n) in row.iter_mut().enumerate() {
                *n = block[value * faster + start] as f64;
            }
            sum += of_row(&row);
        }
    }
    sum
}

/// The next tables of pairs, which are asked for first; none once all are known.
pub(crate) fn pairs(known: &Known) -> Option<Sums> {
    let n_vars = known.outline.n_vars();
    let pairs = (0..n_vars).flat_map(|effect| {
        (0..n_vars).map(move |cause| pair(VarId(effect), VarId(cause), VarId(effect)))
    });
    let mut room = MOST_NUMBERS;
    let missing = pairs.filter(|cells| !known.has(cells));
    let counts: Vec<Cells> = missing
        .take_while(|cells| {
            let n = cells.n_numbers(&known.outline);
            let fits = n <= room;
            room -= if fits { n } else { 0 };
            fits
        })
        .collect();
    (!counts.is_empty()).then(|| Sums {
        scales: known.scales.clone(),
        counts,
        slopes: Vec::new(),
    })
}
