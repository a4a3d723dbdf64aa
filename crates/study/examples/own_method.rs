//! A local method of your own, in one file: there is an edge wherever setting the cause moves the
//! effect. It is a toy: it does not tell a cause from the cause of a cause.
//!
//! ```sh
//! cargo run -p fedcdi-study --example own_method
//! ```

use std::error::Error;

use fedcdi_core::choice::{Kind, Params};
use fedcdi_core::{
    Belief, Choice, Dataset, LocalMethod, LocalMethodError, ParamsError, Round, Seed, VarId,
};
use fedcdi_data::read::TableOptions;
use fedcdi_data::{GraphKind, TargetSplit};
use fedcdi_learn::registry::{Inputs, Local};
use fedcdi_learn::{About, LearnError, TableKind};
use fedcdi_study::{Catalogue, DataSpec, GeneratedData, Method, Spec, Watchers};
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

    fn about(&self) -> About {
        About {
            title: "Shift",
            does: "an edge wherever setting the cause moves the effect",
            needs: "observational and interventional rows",
            kinds: &[TableKind::Categorical],
            reference: "this file",
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut catalogue = Catalogue::default();
    let shift = Kind::of(|method: ShiftParams| Method::Local(Box::new(method)));
    catalogue.methods = catalogue.methods.with(shift);
    let spec = Spec {
        method: Choice::named("shift"),
        clients: Some(2),
        split: TargetSplit::Vertical,
        ..Spec::default()
    };
    let data = DataSpec::Generated(GeneratedData {
        vars: 4,
        obs: 1000,
        int: 400,
        graph: GraphKind::Chain,
        ..GeneratedData::default()
    });
    let all = data.load(&TableOptions::default(), Seed::new(spec.seed))?;
    let found = catalogue.run(&spec.sites_of(&all)?, &spec, Watchers::default())?;
    for edge in found.edges() {
        println!("{} -> {}: {:?}", edge.cause, edge.effect, edge.probability);
    }
    println!("{} after {} rounds", found.stop, found.rounds().len());
    Ok(())
}
