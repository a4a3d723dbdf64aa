//! An aggregation rule of your own, in one file: every site counts the same, however many rows it has.
//!
//! ```sh
//! cargo run -p fedcdi-protocol --example own_rule
//! ```

use std::error::Error;

use fedcdi_core::choice::{Kind, Params};
use fedcdi_core::{
    Belief, BeliefError, Choice, ClientId, KnowledgeFile, LocalMethod, LocalMethodError,
    ParamsError, Round, SampleCounts, Schema, Variable,
};
use fedcdi_protocol::rules::{self, Opinion, Rule, Rules};
use fedcdi_protocol::store::Memory;
use fedcdi_protocol::{
    Coordinator, Disclosure, Exchange, InProcess, Moves, PlannedVariable, RoundParams, Site,
    SiteData, StudyPlan, VERSION,
};
use ndarray::{Array2, array};
use serde::{Deserialize, Serialize};

/// The rule, with its settings.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Equal {
    /// Added sites that know nothing: they draw every probability towards a quarter; 0 or more.
    doubt: f64,
}

impl Default for Equal {
    fn default() -> Self {
        Self { doubt: 0.5 }
    }
}

impl Params for Equal {
    const NAME: &str = "equal";
    const SUMMARY: &str = "mean of edge probabilities; every site counts the same";

    fn check(&self) -> Result<(), ParamsError> {
        ParamsError::not_negative("doubt", self.doubt)
    }
}

impl Rule for Equal {
    /// 1, then the probability of every edge.
    fn n_terms(&self, n_vars: usize) -> usize {
        1 + n_vars * (n_vars - 1)
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        let belief = opinion.posterior;
        let edges = belief.pairs().map(|(c, e)| belief.probability(c, e));
        std::iter::once(1.0).chain(edges).collect()
    }

    /// The rule is additive: it gets one list, the sum over sites.
    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        let (n_sites, sums) = (terms[0][0] + self.doubt, &terms[0][1..]);
        let mut psi = Array2::zeros((n_vars, n_vars));
        for ((cause, effect), sum) in Belief::uninformed(n_vars).pairs().zip(sums) {
            let mean = (sum + 0.25 * self.doubt) / n_sites;
            psi[(cause.index(), effect.index())] = mean.clamp(0.0, 1.0);
        }
        Belief::from_psi(&psi)
    }

    /// Whether a site that follows the rule can have sent this, up to rounding.
    fn is_sound(&self, _n_vars: usize, terms: &[f64]) -> bool {
        let is_probability = |p: &f64| (-1e-6..=1.0 + 1e-6).contains(p);
        terms[0] == 1.0 && terms[1..].iter().all(is_probability)
    }
}

/// All rules, and one more.
fn rules() -> Rules {
    rules::standard().with(Kind::of(|rule: Equal| Box::new(rule) as Box<dyn Rule>))
}

/// A method that is always of the same opinion.
struct Opinionated(Belief);

impl LocalMethod for Opinionated {
    fn update(&mut self, _: Round, _: &Belief) -> Result<Belief, LocalMethodError> {
        Ok(self.0.clone())
    }
}

/// Two sites and two variables.
fn plan(schema: &Schema) -> Result<StudyPlan, Box<dyn Error>> {
    let planned = |variable: &Variable| PlannedVariable {
        name: variable.name.clone(),
        n_categories: Some(variable.n_categories()),
    };
    Ok(StudyPlan {
        protocol: VERSION,
        name: "own rule".to_owned(),
        sites: vec!["north".to_owned(), "south".to_owned()],
        variables: schema.variables().iter().map(planned).collect(),
        schema: schema.fingerprint("own rule", b"known to the sites alone"),
        seed: 1,
        local: Choice::named("opinionated"),
        rule: rules().complete(&Choice::named("equal"))?,
        exchange: Exchange::Psi,
        rounds: RoundParams::default(),
        knowledge: KnowledgeFile::default(),
        disclosure: Disclosure::default(),
        score: None,
        moves: Moves::Ignore,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let variables = ["smoke", "cancer"].map(|name| Variable::with_codes(name, 2));
    let schema = Schema::new(variables.to_vec())?;
    let plan = plan(&schema)?;
    let opinions = [
        array![[0.0, 0.9], [0.05, 0.0]],
        array![[0.0, 0.3], [0.1, 0.0]],
    ];
    let mut sites = Vec::new();
    for (number, psi) in (1..).zip(opinions) {
        let data = SiteData {
            id: ClientId(number),
            schema: plan.schema,
            counts: SampleCounts {
                n_samples: 100,
                n_observational: 100,
                n_interventional: vec![0, 0],
                n_joint: Vec::new(),
            },
            profile: Vec::new(),
            method: Some(Box::new(Opinionated(Belief::from_psi(&psi)?))),
            rows: None,
            moves: None,
        };
        let store = Box::new(Memory::default());
        sites.push(Site::open(plan.clone(), &rules(), data, store)?);
    }
    let mut coordinator = Coordinator::open(plan, &rules(), Box::new(Memory::default()))?;
    let outcome = InProcess::default().run(&mut coordinator, &mut sites, &mut |_| {})?;
    for (cause, effect) in outcome.belief.pairs() {
        let probability = outcome.belief.probability(cause, effect);
        let (cause, effect) = (schema.name(cause), schema.name(effect));
        println!("{cause} -> {effect}: {probability:.3}");
    }
    println!("{:?} after {} rounds", outcome.stop, outcome.rounds.len());
    Ok(())
}
