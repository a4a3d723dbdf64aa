//! The hospital as a site, and somebody who chooses what it is asked.

use std::collections::BTreeMap;

use fedcdi_core::{
    Belief, Choice, ClientId, EdgeTest, KnowledgeFile, LocalMethod, LocalMethodError, Round,
    SampleCounts, Tested, TestedGraph, VarId,
};
use fedcdi_learn::fit::Samples;
use fedcdi_learn::independence::counts::Codes;
use fedcdi_learn::independence::disclosed::Tables;
use fedcdi_learn::independence::edge_tests::tests_of_pairs;
use fedcdi_protocol::addends::MOST_DEVIATIONS;
use fedcdi_protocol::answer::{Answer, Reply};
use fedcdi_protocol::question::{Ask, Believe, Question};
use fedcdi_protocol::rules::{self, Evidence};
use fedcdi_protocol::store::Memory;
use fedcdi_protocol::{
    Disclosure, Exchange, Moves, PlannedVariable, RoundParams, Site, SiteData, StudyPlan, VERSION,
};
use ndarray::Array2;

use super::patients::{CLINIC, DRUG, HIV, JOB, Patients, SIZES, schema, values};

pub(crate) const ALL_TESTS: Tested = Tested {
    edges: true,
    absent: true,
};

/// A test: cause, effect, and what it is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Query {
    pub(crate) cause: usize,
    pub(crate) effect: usize,
    pub(crate) given: Vec<usize>,
}

impl Query {
    /// What it is given, then cause and effect.
    pub(crate) fn vars(&self) -> Vec<usize> {
        let ends = [self.cause, self.effect];
        self.given.iter().copied().chain(ends).collect()
    }

    /// The test in the other direction.
    pub(crate) fn turned(&self) -> Self {
        Self {
            cause: self.effect,
            effect: self.cause,
            given: self.given.clone(),
        }
    }

    /// Degrees of freedom over all values that there are.
    pub(crate) fn degrees(&self) -> f64 {
        let strata: usize = self.given.iter().map(|v| SIZES[*v]).product();
        ((SIZES[self.cause] - 1) * (SIZES[self.effect] - 1) * strata) as f64
    }

    /// What a hospital with these patients tells: a whole number, or nothing.
    pub(crate) fn told_of(&self, patients: &Patients) -> Option<i64> {
        let vars = self.vars();
        let size: usize = vars.iter().map(|v| SIZES[*v]).product();
        let mut counts = vec![0; size];
        for (cell, count) in patients
            .0
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let values = values(cell);
            let code = vars.iter().fold(0, |code, v| code * SIZES[*v] + values[*v]);
            counts[code] += *count as usize;
        }
        let repeat = |(code, n): (usize, &usize)| std::iter::repeat_n(code as u64, *n);
        let codes: Vec<u64> = counts.iter().enumerate().flat_map(repeat).collect();
        let smallest = Disclosure::default().smallest_cell;
        let sizes = [SIZES[self.cause], SIZES[self.effect]];
        let cells = Codes::new(codes, size as u64).cells(sizes);
        let (statistic, degrees) = Tables::of(&cells, sizes, smallest).told(smallest)?;
        whole(statistic, degrees, self.degrees())
    }
}

/// The largest G that is told.
pub(crate) fn largest(planned: f64) -> f64 {
    (planned + MOST_DEVIATIONS * (2.0 * planned).sqrt()).floor()
}

/// G and its degrees as they are told at the degrees of the plan.
pub(crate) fn whole(g: f64, degrees: f64, planned: f64) -> Option<i64> {
    let test = EdgeTest {
        cause: VarId(0),
        effect: VarId(1),
        statistic: g,
        degrees,
    };
    let told = || {
        let g = test.at_degrees(planned).statistic;
        g.round().clamp(0.0, largest(planned)) as i64
    };
    (degrees > 0.0).then(told)
}

/// All that was told: of every test one number at least once, of some in several rounds.
pub(crate) type Told = BTreeMap<Query, Option<i64>>;

/// A method that makes the tests that all methods make, and believes nothing.
pub(crate) struct Tester(Samples);

impl Tester {
    pub(crate) fn of(patients: &Patients) -> Self {
        Self(Samples::new(&patients.dataset()))
    }
}

impl LocalMethod for Tester {
    fn update(&mut self, _: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        Ok(Belief::uninformed(prior.n_vars()))
    }

    fn tests(&self, belief: &Belief, which: Tested, smallest_cell: f64) -> Vec<EdgeTest> {
        tests_of_pairs(belief, &self.0, which, smallest_cell)
    }
}

pub(crate) fn plan() -> StudyPlan {
    let schema = schema();
    let planned = |variable: &fedcdi_core::Variable| PlannedVariable {
        name: variable.name.clone(),
        n_categories: Some(variable.n_categories()),
    };
    StudyPlan {
        protocol: VERSION,
        name: "attack".to_owned(),
        sites: ["hospital", "attacker"].map(str::to_owned).to_vec(),
        variables: schema.variables().iter().map(planned).collect(),
        schema: schema.fingerprint("attack", b"secret"),
        seed: 1,
        local: Choice::named("enco"),
        rule: Choice::of(&Evidence::default()),
        exchange: Exchange::Psi,
        rounds: RoundParams::default(),
        knowledge: KnowledgeFile::default(),
        disclosure: Disclosure::default(),
        score: None,
        moves: Moves::Ignore,
    }
}

pub(crate) fn site(patients: &Patients, method: Box<dyn LocalMethod>) -> Site {
    let plan = plan();
    let data = SiteData {
        id: ClientId(1),
        schema: plan.schema,
        counts: SampleCounts::of(&patients.dataset()),
        profile: Vec::new(),
        method: Some(method),
        rows: None,
        moves: None,
    };
    Site::open(plan, &rules::standard(), data, Box::new(Memory::default())).unwrap()
}

/// What the attacker pretends to believe in each round that has tests: edges by cause and effect.
pub(crate) fn pretended() -> Vec<Vec<(usize, usize)>> {
    vec![
        vec![],
        vec![(CLINIC, HIV)],
        vec![(CLINIC, DRUG)],
        vec![(JOB, HIV)],
        vec![(JOB, DRUG)],
        vec![(CLINIC, HIV), (JOB, HIV)],
        vec![(CLINIC, DRUG), (JOB, DRUG)],
        vec![(DRUG, CLINIC), (HIV, CLINIC)],
        vec![(DRUG, HIV), (CLINIC, HIV), (JOB, CLINIC)],
    ]
}

/// A belief with these edges alone.
pub(crate) fn belief(edges: &[(usize, usize)]) -> Belief {
    let n_vars = SIZES.len();
    let mut existence = Array2::from_elem((n_vars, n_vars), -4.0);
    let mut orientation = Array2::zeros((n_vars, n_vars));
    for &(cause, effect) in edges {
        existence[(cause, effect)] = 4.0;
        orientation[(cause, effect)] = 4.0;
        orientation[(effect, cause)] = -4.0;
    }
    Belief::new(existence, orientation).unwrap()
}

pub(crate) fn question(round: u32, prior: Belief) -> Vec<u8> {
    let believe = Believe {
        round: Round(round),
        prior,
        tested: ALL_TESTS,
        reference: 0,
    };
    let question = Question {
        plan: plan().digest(),
        number: round,
        ask: Ask::Believe(believe),
    };
    question.encode()
}

/// The tests that a belief leads to, in the order of the answer.
fn queries(prior: &Belief) -> Vec<Query> {
    let graph = TestedGraph::of(prior);
    let query = |(cause, effect): (VarId, VarId)| {
        let given = graph.parents(effect).iter().map(VarId::index);
        Query {
            cause: cause.0,
            effect: effect.0,
            given: given.filter(|v| *v != cause.0).collect(),
        }
    };
    graph.pairs(ALL_TESTS).into_iter().map(query).collect()
}

/// What one answer tells of tests.
pub(crate) fn read(answer: &[u8], prior: &Belief) -> Vec<(Query, Option<i64>)> {
    let queries = queries(prior);
    let addends = match Answer::decode(answer, answer.len()).unwrap().reply {
        Reply::Believed(addends) => addends,
        other => panic!("{other:?}"),
    };
    let tests = &addends[addends.len() - 2 * queries.len()..];
    let told = tests
        .chunks(2)
        .map(|test| (test[1] == 1).then_some(test[0]));
    queries.into_iter().zip(told).collect()
}

/// All that the attacker learns from tests, over all rounds of the plan.
pub(crate) fn interrogate(site: &mut Site) -> Told {
    let plan = plan();
    let rounds = plan.disclosure.first_tests..=plan.most_rounds();
    let pretended = pretended();
    assert_eq!(rounds.clone().count(), pretended.len());
    let mut told = Told::new();
    for (round, edges) in rounds.zip(pretended) {
        let prior = belief(&edges);
        let answered = site.answer(&question(round, prior.clone())).unwrap();
        assert!(answered.declined.is_none(), "{:?}", answered.declined);
        for (query, number) in read(&answered.bytes, &prior) {
            let before = told.insert(query, number);
            assert!(before.is_none_or(|before| before == number));
        }
    }
    told
}
