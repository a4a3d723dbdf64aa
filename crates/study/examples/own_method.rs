//! A local method of your own, in one file: there is an edge wherever setting the cause moves the
//! effect. It is a toy: it does not tell a cause from the cause of a cause.
//!
//! ```sh
//! cargo run -p fedcdi-experiment --example own_method
//! ```

use std::error::Error;

use fedcdi_core::choice::{Kind, Params};
use fedcdi_core::{
    Belief, Choice, ClientId, Dataset, Knowledge, LocalMethod, LocalMethodError, ParamsError,
    Round, RoundParams, SampleCounts, Seed, VarId,
};
use fedcdi_data::read::TableOptions;
use fedcdi_data::{GraphKind, Study, TargetSplit};
use fedcdi_learn::LearnError;
use fedcdi_learn::registry::{self, Inputs, Local, Methods};
use fedcdi_learn::rounds::{Discovery, RoundRecord, StopReason};
use fedcdi_protocol::store::Memory;
use fedcdi_protocol::{Coordinator, InProcess, Site, SiteData, StudyPlan, rules};
use fedcdi_study::{DataSpec, GeneratedData, SimulateSpec};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The method's settings.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ShiftParams {
    /// Share of the rows that have another value, which makes an edge even odds; > 0, below 1.
    even: f64,
}

impl Default for ShiftParams {
    fn default() -> Self {
        Self { even: 0.1 }
    }
}

impl Params for ShiftParams {
    const NAME: &str = "shift";
    const SUMMARY: &str = "an edge wherever setting the cause moves the effect";

    fn check(&self) -> Result<(), ParamsError> {
        let fine = self.even > 0.0 && self.even < 1.0;
        ParamsError::require("even", self.even, "> 0 and below 1", fine)
    }
}

/// The method on one site's rows.
struct Shift {
    /// How likely each edge is by these rows, `[cause, effect]`; none if the cause was never set.
    found: Array2<Option<f64>>,
}

impl ShiftParams {
    fn method(self, data: &Dataset) -> Shift {
        let observed = data.observational();
        let mut found = Array2::from_elem((data.n_vars(), data.n_vars()), None);
        for (regime, rows) in data.regimes().iter().zip(data.samples_by_regime()) {
            let [cause] = regime.targets() else { continue };
            for effect in data.schema().ids().filter(|var| var != cause) {
                let shares = [&observed, &rows].map(|rows| shares(data, effect, rows));
                let [usual, set] = &shares;
                let gaps = usual.iter().zip(set).map(|(a, b)| (a - b).abs());
                let moved = gaps.sum::<f64>() / 2.0;
                found[(cause.0, effect.0)] = Some(moved / (moved + self.even));
            }
        }
        Shift { found }
    }
}

/// How often each value occurs in some rows.
fn shares(data: &Dataset, var: VarId, rows: &[usize]) -> Vec<f64> {
    let codes: Vec<u16> = data.column(var).codes().collect();
    let mut shares = vec![0.0; data.schema().variable(var).n_categories()];
    for row in rows {
        shares[usize::from(codes[*row])] += 1.0 / rows.len() as f64;
    }
    shares
}

impl LocalMethod for Shift {
    /// What the rows say, and what the others say where they say nothing.
    fn update(&mut self, _: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let mut psi = prior.psi();
        for (at, found) in self.found.indexed_iter() {
            if let Some(found) = found {
                psi[at] = *found;
            }
        }
        Belief::from_psi(&psi).map_err(LocalMethodError::new)
    }

    fn keeps_state(&self) -> bool {
        false
    }
}

impl Local for ShiftParams {
    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        Ok(Box::new(self.method(inputs.data)))
    }

    fn discover(&self, inputs: Inputs<'_>, _: &RoundParams) -> Result<Discovery, LearnError> {
        let prior = Belief::uninformed(inputs.data.n_vars());
        let belief = self.method(inputs.data).update(Round::FIRST, &prior);
        let belief = belief.expect("shares of rows make probabilities");
        Ok(Discovery {
            rounds: vec![RoundRecord::of(0, &prior, &belief)],
            belief,
            stop_reason: StopReason::Converged,
            oriented: true,
            confounders: None,
        })
    }

    fn own_rounds(&self) -> Option<usize> {
        Some(1)
    }
}

/// All methods, and one more.
fn methods() -> Methods {
    registry::standard().with(Kind::of(|method: ShiftParams| {
        Box::new(method) as Box<dyn Local>
    }))
}

/// The sites of a study, each with the method on its own rows.
fn sites(plan: &StudyPlan, study: &Study) -> Result<Vec<Site>, Box<dyn Error>> {
    let method = methods().build(&plan.local)?;
    let mut sites = Vec::new();
    for (number, client) in (1..).zip(study.clients()) {
        let inputs = Inputs {
            data: &client.data,
            knowledge: &Knowledge::none(client.data.n_vars()),
            seed: Seed::new(plan.seed).derive("client", number as usize),
            observer: None,
        };
        let data = SiteData {
            id: ClientId(number),
            schema: plan.schema,
            counts: SampleCounts::of(&client.data),
            profile: Vec::new(),
            method: method.at(inputs)?,
        };
        let store = Box::new(Memory::default());
        sites.push(Site::open(plan.clone(), &rules::standard(), data, store)?);
    }
    Ok(sites)
}

fn main() -> Result<(), Box<dyn Error>> {
    let spec = SimulateSpec {
        data: DataSpec::Generated(GeneratedData {
            vars: 4,
            obs: 1000,
            int: 400,
            graph: GraphKind::Chain,
            ..GeneratedData::default()
        }),
        clients: Some(2),
        split: TargetSplit::Vertical,
        ..SimulateSpec::default()
    };
    let all = (spec.data).load(&TableOptions::default(), Seed::new(spec.seed))?;
    let study = spec.clients_of(&all)?;
    let mut plan = spec.plan(&study)?;
    plan.local = methods().complete(&Choice::named("shift"))?;

    let mut sites = sites(&plan, &study)?;
    let store = Box::new(Memory::default());
    let mut coordinator = Coordinator::open(plan, &rules::standard(), store)?;
    let outcome = InProcess::default().run(&mut coordinator, &mut sites, &mut |_| {})?;
    for (cause, effect) in outcome.dag.edges() {
        let probability = outcome.belief.probability(cause, effect);
        let [cause, effect] = [cause, effect].map(|var| study.schema().name(var));
        println!("{cause} -> {effect}: {probability:.3}");
    }
    println!("{:?} after {} rounds", outcome.stop, outcome.rounds.len());
    Ok(())
}
