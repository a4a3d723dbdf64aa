//! A rival of one's own in one file: settings, one verb, and one line that joins it to the list.
//!
//! `cargo run -p fedcdi-rivals --example own_rival`
//!
//! It draws an edge from a variable to every variable that moves when the first is set: by the
//! difference of means between the rows that set it and the observational rows.

use std::error::Error;
use std::sync::Arc;

use fedcdi_core::choice::{Choice, Kind, Params};
use fedcdi_core::{Dataset, DatasetBuilder, ParamsError, Regime, Schema, Seed, VarId, Variable};
use fedcdi_learn::{About, LearnError, Observer, TableKind};
use fedcdi_rivals::weighted_dag::weighted_dag;
use fedcdi_rivals::{Ending, Rival, RivalFit, registry, vote};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Settings of the rival.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Shifts {
    /// Smaller differences of means are no edges; >= 0.
    least: f64,
}

impl Default for Shifts {
    fn default() -> Self {
        Self { least: 0.2 }
    }
}

impl Params for Shifts {
    const NAME: &str = "shifts";
    const SUMMARY: &str = "shifts: what moves when a variable is set";

    fn check(&self) -> Result<(), ParamsError> {
        ParamsError::not_negative("least", self.least)
    }
}

impl Rival for Shifts {
    fn find(
        &self,
        sites: &[Dataset],
        _seed: Seed,
        _observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let data = &sites[0];
        let mean = |rows: &[usize], var: usize| {
            let codes = rows
                .iter()
                .map(|row| f64::from(data.value(*row, VarId(var))));
            codes.sum::<f64>() / rows.len() as f64
        };
        let observed = data.observational();
        let mut shifts = Array2::zeros((data.n_vars(), data.n_vars()));
        for (regime, rows) in data.regimes().iter().zip(data.samples_by_regime()) {
            for target in regime.targets() {
                for var in 0..data.n_vars() {
                    shifts[(target.0, var)] = mean(&rows, var) - mean(&observed, var);
                }
            }
        }
        let (dag, _) = weighted_dag(&shifts, self.least);
        Ok(RivalFit::of_graph(dag, sites, Ending::Converged))
    }

    fn about(&self) -> About {
        About {
            title: "shifts",
            does: "draws an edge to all that moves",
            needs: "observational rows, and rows that set each variable",
            kinds: &[TableKind::Categorical],
            reference: "this file",
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let rivals = registry::standard().with(Kind::of(|p: Shifts| Box::new(p) as Box<dyn Rival>));

    let rival = rivals.build(&Choice::named("shifts"))?;
    let found = vote::among(rival.as_ref(), &[site()?, site()?], Seed::new(1), None)?;
    assert_eq!(
        found.dag.edges().collect::<Vec<_>>(),
        [(VarId(0), VarId(1))]
    );
    println!("shifts draws {:?}", found.dag.edges().collect::<Vec<_>>());
    Ok(())
}

#[test]
fn the_example_runs() {
    main().unwrap();
}

/// The second variable copies the first unless it is set; both are set to 1.
fn site() -> Result<Dataset, Box<dyn Error>> {
    let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
    let schema = Arc::new(Schema::new(variables.to_vec())?);
    let mut rows = DatasetBuilder::with_capacity(schema, 300);
    for row in 0..100 {
        let a = u16::from(row % 2 == 0);
        rows.push(&[a, a], &Regime::Observational)?;
        rows.push(&[1, 1], &Regime::intervened([VarId(0)]))?;
        rows.push(&[a, 1], &Regime::intervened([VarId(1)]))?;
    }
    Ok(rows.finish()?)
}
