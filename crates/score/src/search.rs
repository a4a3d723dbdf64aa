//! Greedy search over equivalence classes, by scores from sums.
//!
//! It climbs ([`crate::climb`]) from nothing, and from a graph if it is given one. A climb may end where no
//! single move gains, and two together would. Rows that set a variable tell: where its effects do not follow
//! it, as the model says, the edge is contradicted. Then the search makes detours, each a climb of its own,
//! and keeps the best graph by its score:
//!
//! | detour | why |
//! |---|---|
//! | without all edges that are contradicted | they are wrong, or what surrounds them is |
//! | without the edges that leave, or enter, a variable with contradicted edges, one variable after the other, the most contradicted first | it stands in the wrong place among all others |
//!
//! Edges that a detour leaves out may come back at its end. A detour that is better starts the next look at
//! what is contradicted. This ends when nothing is, or no detour is better.
//! Few of those far down the list ever are, so they are not made.
//!
//! At last every direction that the data know is put to the test (`turned`). If a graph with a turned edge
//! is better after all, everything begins again from there.
//!
//! **Edges that interventions rule out** ([`Search::without`]) are not in the result. On the way the search is
//! free to make them: one that may not make a wrong edge first ends at worse graphs. If the best graph has none of
//! them, it is the result, the same as if nothing were ruled out. Else the search is made once more, from what
//! is left of the best graph and from nothing, and makes none of them.

use std::collections::BTreeMap;

use fedcdi_core::{Cpdag, Dag, Digraph, Knowledge, VarId};
use ndarray::Array2;

use crate::ask::{Ask, Outline};
use crate::climb::{Climb, Rules};
use crate::engine::{Agenda, Engine, Family, pairs};
use crate::known::Known;
use crate::leads::leads;
use crate::moves::LEAST_GAIN;
use crate::odds::{self, FAR, Odds};
use crate::params::SearchParams;
use crate::turned::Trials;

/// An edge is contradicted if rows that set its cause are less likely with it by this many nats.
const MOST_AGAINST: f64 = 1.0;

/// Detours in a row that are not better, after which no others are made.
const MOST_IN_VAIN: usize = 8;

/// An edge is not put to the test if rows that set its cause alone are likelier with it by this many nats.
const SURE: f64 = 12.0;

/// A climb with a turned edge is given up once it cannot come nearer to the best graph.
const HOPELESS: f64 = 2.0 * FAR;

/// A search for the graph with the best score. It asks for sums, and decides.
#[derive(Clone, Debug)]
pub struct Search {
    outline: Outline,
    /// What is known beforehand.
    beforehand: Knowledge,
    /// The same without the edges that interventions rule out.
    knowledge: Knowledge,
    params: SearchParams,
    start: Option<Dag>,
    engine: Option<Engine>,
    stage: Stage,
    climb: Option<Climb>,
    /// The best graph at the end of a climb, and its score.
    best: Option<(f64, Dag)>,
    /// Whether it was asked what contradicts the best graph.
    is_doubted: bool,
    /// Whether it makes none of the edges that interventions rule out.
    is_strict: bool,
    /// Climbs that are still to be made, the next one last.
    beginnings: Vec<Beginning>,
    /// Of the best graph with an edge turned.
    trials: Option<Trials>,
    n_questions: u32,
    has_ended: bool,
    ask: Option<Ask>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Climbing,
    /// Which edges of the best graph are contradicted?
    Doubting,
    /// What is every edge of the best graph worth?
    Weighing,
    /// And every direction?
    Turning,
    /// What are the edges worth that it does not have?
    Looking,
}

/// Where a climb begins.
#[derive(Clone, Debug)]
enum Beginning {
    Graph(Dag),
    Nothing,
    /// The best graph without these edges.
    Without(Vec<(VarId, VarId)>),
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The graph.
    pub dag: Dag,
    /// The graphs that the data cannot tell from it.
    pub class: Cpdag,
    /// Of every edge of the graph, in the order of [`Digraph::edges`]: nats that the score loses without it.
    pub gains: Vec<f64>,
    /// The score, in nats.
    pub score: f64,
    /// How sure the graph is of single pairs.
    pub odds: Odds,
    /// `[cause, effect]`: 1 if some rows set the first and leave the second alone.
    pub set: Array2<u32>,
}

impl Search {
    /// A search that starts from this graph, or from none.
    pub fn new(
        outline: Outline,
        knowledge: Knowledge,
        params: SearchParams,
        start: Option<Dag>,
    ) -> Self {
        let graph = start.clone().map(Beginning::Graph);
        Self {
            beginnings: [Beginning::Nothing].into_iter().chain(graph).collect(),
            trials: None,
            start,
            outline,
            beforehand: knowledge.clone(),
            knowledge,
            params,
            engine: None,
            stage: Stage::Climbing,
            climb: None,
            best: None,
            is_doubted: false,
            is_strict: false,
            n_questions: 0,
            has_ended: false,
            ask: Some(Ask::Begin),
        }
    }

    /// The same search for a graph without these edges, which interventions rule out.
    #[must_use]
    pub fn without(self, edges: impl IntoIterator<Item = (VarId, VarId)>) -> Self {
        let knowledge = self.beforehand.without(edges);
        Self { knowledge, ..self }
    }

    /// What it asks now; nothing once it has ended.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// Whether it ended because no move gains, not because its questions are used up.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The graph that it has come to so far.
    pub fn dag(&self) -> Dag {
        let best = self.best.as_ref().map(|(_, dag)| dag);
        let running = self.climb.as_ref().map(Climb::dag);
        match best.or(running).or(self.start.as_ref()) {
            Some(dag) => without(dag, &self.ruled_out(dag)),
            None => Dag::empty(self.outline.n_vars()),
        }
    }

    /// Edges of a graph that interventions rule out.
    fn ruled_out(&self, dag: &Dag) -> Vec<(VarId, VarId)> {
        let is_out = |(cause, effect): &(VarId, VarId)| {
            self.beforehand.allows(*cause, *effect) && !self.knowledge.allows(*cause, *effect)
        };
        dag.edges().filter(is_out).collect()
    }

    /// Takes the sums over all sites to what it asks.
    pub fn take(&mut self, sums: &[i64]) {
        let Some(asked) = self.ask.take() else {
            return;
        };
        self.n_questions += 1;
        match (asked, &mut self.engine) {
            (Ask::Begin, _) => {
                let known = Known::new(self.outline.clone(), sums);
                let has_reals = self.outline.reals().next().is_some();
                self.ask = has_reals.then(|| Ask::Moments(known.scales.clone()));
                self.engine = Some(Engine::unready(known, self.params));
            }
            (Ask::Moments(_), Some(engine)) => engine.known.rescale(sums),
            (Ask::Sums(asked), Some(engine)) => engine.take(&asked, sums),
            (_, None) => {}
        }
        if self.ask.is_none() && self.n_questions < self.params.questions {
            self.ask = self.go_on();
            self.has_ended = self.ask.is_none();
        }
    }

    /// Goes on until something has to be asked.
    fn go_on(&mut self) -> Option<Ask> {
        let mut engine = self.engine.take()?;
        let ask = self.next(&mut engine);
        self.engine = Some(engine);
        ask
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Ask> {
        if !engine.is_ready() {
            if let Some(next) = pairs(&engine.known) {
                return Some(Ask::Sums(next));
            }
            engine.make_ready();
        }
        loop {
            let stage = self.stage;
            let ask = match stage {
                Stage::Climbing => self.climb_on(engine),
                Stage::Doubting => self.doubt(engine),
                Stage::Weighing if self.begins_again() => None,
                Stage::Weighing => self.weigh(engine),
                Stage::Turning => self.turn(engine),
                Stage::Looking => {
                    let agenda = odds::agenda(&self.dag(), &self.knowledge, engine);
                    return engine.ask(&agenda);
                }
            };
            if ask.is_some() {
                return ask;
            }
        }
    }

    /// Whether the best graph has edges that interventions rule out, and the search begins anew without them.
    fn begins_again(&mut self) -> bool {
        let best = self.best.as_ref().map(|(_, dag)| dag);
        let out = best.map_or_else(Vec::new, |best| self.ruled_out(best));
        if self.is_strict || out.is_empty() {
            return false;
        }
        self.beginnings = vec![Beginning::Nothing, Beginning::Graph(self.dag())];
        (self.best, self.is_doubted, self.is_strict) = (None, false, true);
        self.stage = Stage::Climbing;
        true
    }

    fn climb_on(&mut self, engine: &mut Engine) -> Option<Ask> {
        let knowledge = if self.is_strict {
            &self.knowledge
        } else {
            &self.beforehand
        };
        let rules = rules(knowledge, self.params);
        let climb = self
            .climb
            .get_or_insert_with(|| match self.beginnings.pop() {
                Some(Beginning::Graph(dag)) => Climb::from_graph(&dag, &rules, engine),
                Some(Beginning::Without(edges)) => {
                    let (_, best) = self.best.as_ref().expect("a detour is from the best graph");
                    Climb::from_graph(&without(best, &edges), &rules, engine).without(&edges)
                }
                Some(Beginning::Nothing) | None => {
                    Climb::from_nothing(&rules, engine, leads(&engine.known))
                }
            });
        let wanted = climb.go_on(&rules, engine);
        let ask = engine.question(wanted);
        if ask.is_none() {
            self.compare(engine);
        }
        ask
    }

    /// At the end of a climb: is it the best one, and what comes next?
    fn compare(&mut self, engine: &mut Engine) {
        let climb = self.climb.take().expect("a climb has ended");
        let dag = climb.dag().clone();
        // What is unknown is not better.
        let score = score(&dag, engine).unwrap_or(f64::NEG_INFINITY);
        let most = self.best.as_ref().map(|(most, _)| *most);
        if most.is_none_or(|most| score > most + LEAST_GAIN) {
            // What was planned around another graph is no use.
            (self.beginnings).retain(|next| !matches!(next, Beginning::Without(_)));
            self.best = Some((score, dag));
            self.is_doubted = false;
        }
        self.stage = match (self.beginnings.is_empty(), self.is_doubted) {
            (false, _) => Stage::Climbing,
            (true, false) => Stage::Doubting,
            (true, true) => Stage::Weighing,
        };
    }

    /// Asks which edges are contradicted, and plans detours.
    fn doubt(&mut self, engine: &mut Engine) -> Option<Ask> {
        let (_, dag) = self.best.as_ref().expect("a climb has ended");
        let mut agenda = Agenda::default();
        let mut contradicted: Vec<(VarId, VarId, f64)> = Vec::new();
        for (cause, effect) in dag.edges() {
            let family = family(dag, effect);
            let is_open = !self.knowledge.is_required(cause, effect);
            let is_told = engine.known.is_separated(cause, effect);
            if self.outline.is_real(effect) || !is_open || !is_told {
                continue;
            }
            if engine.wants_outlook(&family) {
                agenda.outlooks.insert(family);
            } else {
                match engine.followed(&family, cause) {
                    None => {
                        agenda.followers.insert((family, cause));
                    }
                    Some(nats) if nats < -MOST_AGAINST => contradicted.push((cause, effect, nats)),
                    Some(_) => {}
                }
            }
        }
        let ask = engine.ask(&agenda);
        if ask.is_none() {
            self.is_doubted = true;
            self.beginnings = self.around(&contradicted);
            let is_over = self.beginnings.is_empty();
            self.stage = if is_over {
                Stage::Weighing
            } else {
                Stage::Climbing
            };
        }
        ask
    }

    /// Detours around edges that are contradicted by so many nats, the first one last.
    fn around(&self, contradicted: &[(VarId, VarId, f64)]) -> Vec<Beginning> {
        if contradicted.is_empty() {
            return Vec::new();
        }
        let n_vars = self.outline.n_vars();
        // Of edges that leave each variable, then of those that enter it.
        let mut against = vec![0.0; 2 * n_vars];
        for (cause, effect, nats) in contradicted {
            against[cause.index()] += nats;
            against[n_vars + effect.index()] += nats;
        }
        let mut places: Vec<usize> = (0..2 * n_vars).filter(|at| against[*at] < 0.0).collect();
        places.sort_by(|a, b| against[*b].total_cmp(&against[*a]));
        let best = self.dag();
        let at_place = |at: usize| {
            let var = VarId(at % n_vars);
            let edges = best.edges();
            let edges = edges.filter(|(c, e)| !self.knowledge.is_required(*c, *e));
            edges.filter(move |(c, e)| if at < n_vars { *c == var } else { *e == var })
        };
        let places = places.into_iter().map(|at| at_place(at).collect());
        let all = contradicted.iter().map(|(c, e, _)| (*c, *e)).collect();
        let mut detours: Vec<Beginning> = places.chain([all]).map(Beginning::Without).collect();
        // The first ones are last.
        detours.drain(..detours.len().saturating_sub(MOST_IN_VAIN));
        detours
    }

    /// What every edge of the best graph is worth.
    fn weigh(&mut self, engine: &mut Engine) -> Option<Ask> {
        let dag = self.dag();
        let mut agenda = Agenda::default();
        for effect in dag.vars() {
            let family = family(&dag, effect);
            // Slopes are where fits without a parent begin.
            if !family.1.is_empty() && engine.wants_outlook(&family) {
                agenda.outlooks.insert(family);
            }
        }
        let ask = engine.ask(&agenda);
        if ask.is_some() {
            return ask;
        }
        let mut agenda = Agenda::default();
        for (cause, effect) in dag.edges() {
            let fewer = (effect, dag.parents(effect).without(cause));
            if engine.exact(&fewer).is_none() {
                agenda.fits.insert(fewer, f64::NEG_INFINITY);
            }
        }
        let ask = engine.ask(&agenda);
        if ask.is_none() && !self.leave_out(&dag, engine) {
            self.stage = Stage::Turning;
        }
        ask
    }

    /// Takes out the edge that costs most, if one does: scores may differ within a class, so a climb may end
    /// with such an edge. Whether there was one.
    fn leave_out(&mut self, dag: &Dag, engine: &mut Engine) -> bool {
        let gains = gains(dag, engine).into_iter();
        let may_go = |((c, e), gain): &((VarId, VarId), f64)| {
            *gain < -LEAST_GAIN && !self.knowledge.is_required(*c, *e)
        };
        let worst = gains.filter(may_go).min_by(|a, b| a.1.total_cmp(&b.1));
        let (Some((edge, gain)), Some((score, best))) = (worst, &mut self.best) else {
            return false;
        };
        (*score, *best) = (*score - gain, without(dag, &[edge]));
        true
    }

    /// What every direction of the best graph is worth, unless a turned one is better.
    fn turn(&mut self, engine: &mut Engine) -> Option<Ask> {
        let best = self.dag();
        let rules = rules(&self.knowledge, self.params);
        let mut trials = self.trials.take().unwrap_or_else(|| {
            let class = Cpdag::separated(&best, |a, b| engine.known.is_separated(a, b));
            let gains = gains(&best, engine);
            let loses = |cause, effect| gains.get(&(cause, effect)).copied().unwrap_or_default();
            let most = score(&best, engine).unwrap_or(f64::INFINITY);
            let is_open = |(c, e): &(VarId, VarId)| {
                class.has_directed(*c, *e) && !is_sure(&best, (*c, *e), engine)
            };
            let told = best.edges().filter(is_open);
            Trials::new(&best, told, &rules, engine, loses, most - HOPELESS)
        });
        let wanted = trials.go_on(&rules, engine);
        let ask = engine.question(wanted);
        if ask.is_none() {
            let most = score(&best, engine).unwrap_or(f64::INFINITY);
            let better = trials
                .ends()
                .filter_map(|(_, dag)| Some((score(dag, engine)?, dag)));
            let better = better.max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((score, dag)) = better.filter(|(score, _)| *score > most + LEAST_GAIN) {
                self.beginnings = vec![Beginning::Graph(dag.clone())];
                self.best = Some((score, dag.clone()));
                self.is_doubted = false;
                self.stage = Stage::Climbing;
                return None;
            }
            self.stage = Stage::Looking;
        }
        self.trials = Some(trials);
        ask
    }

    /// What it has come to so far.
    pub fn found(&self) -> Scored {
        let dag = self.dag();
        let class = match &self.engine {
            Some(engine) => Cpdag::separated(&dag, |a, b| engine.known.is_separated(a, b)),
            None => Cpdag::of(&dag),
        };
        let (mut worth, mut total) = (vec![0.0; dag.n_edges()], 0.0);
        let mut odds = Odds {
            turns: vec![0.0; dag.n_edges()],
            ..Odds::default()
        };
        if let Some(mut engine) = self.engine.clone().filter(Engine::is_ready) {
            let engine = &mut engine;
            let exact = |var| engine.exact(&family(&dag, var));
            total = dag.vars().filter_map(exact).sum();
            let gains = gains(&dag, engine);
            let ends = self.trials.iter().flat_map(Trials::ends);
            let losses: BTreeMap<_, _> = ends
                .filter_map(|(edge, dag)| Some((edge, total - score(dag, engine)?)))
                .collect();
            for (at, edge) in dag.edges().enumerate() {
                // Unknown where the questions were used up.
                worth[at] = gains.get(&edge).copied().unwrap_or_default();
                let turned = losses.get(&edge).copied().unwrap_or_default();
                let is_sure = !self.knowledge.allows(edge.1, edge.0) || is_sure(&dag, edge, engine);
                odds.turns[at] = if is_sure { FAR } else { turned.clamp(0.0, FAR) };
            }
            odds.near = odds::near(&dag, &self.knowledge, engine);
        }
        let n_vars = self.outline.n_vars();
        let known = self.engine.as_ref().map(|engine| &engine.known);
        let set = Array2::from_shape_fn((n_vars, n_vars), |(cause, effect)| {
            known.map_or(0, |known| {
                u32::from(known.sets(VarId(cause), VarId(effect)))
            })
        });
        Scored {
            dag,
            class,
            gains: worth,
            score: total,
            odds,
            set,
        }
    }
}

fn rules(knowledge: &Knowledge, params: SearchParams) -> Rules<'_> {
    Rules {
        knowledge,
        max_parents: params.max_parents,
        fixed: None,
    }
}

/// Whether rows that set a cause alone leave no doubt that its effect follows.
fn is_sure(dag: &Dag, (cause, effect): (VarId, VarId), engine: &Engine) -> bool {
    let nats = engine.followed(&family(dag, effect), cause);
    nats.is_some_and(|nats| nats >= SURE)
}

/// The score of a graph, if it is known.
fn score(dag: &Dag, engine: &mut Engine) -> Option<f64> {
    dag.vars().map(|var| engine.exact(&family(dag, var))).sum()
}

/// What the edges of a graph are worth, as far as it is known.
fn gains(dag: &Dag, engine: &mut Engine) -> BTreeMap<(VarId, VarId), f64> {
    let gain = |(cause, effect): (VarId, VarId)| {
        let with = engine.exact(&family(dag, effect))?;
        let fewer = engine.exact(&(effect, dag.parents(effect).without(cause)))?;
        Some(((cause, effect), with - fewer))
    };
    dag.edges().filter_map(gain).collect()
}

fn family(dag: &Dag, effect: VarId) -> Family {
    (effect, dag.parents(effect).clone())
}

fn without(dag: &Dag, edges: &[(VarId, VarId)]) -> Dag {
    let mut graph = Digraph::clone(dag);
    for (cause, effect) in edges {
        graph.remove_edge(*cause, *effect);
    }
    Dag::try_from(graph).expect("fewer edges close no cycle")
}
