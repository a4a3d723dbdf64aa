//! A score of one's own in one file, and one line that joins it to the list.
//!
//! `cargo run -p fedcdi-learn --example own_score`
//!
//! It counts the rows that the likeliest value of a variable given its parents predicts wrongly.

use std::error::Error;
use std::sync::Arc;

use fedcdi_core::{Dag, Dataset, DatasetBuilder, Digraph, Regime, Schema, VarId, VarSet, Variable};
use fedcdi_learn::independence::counts::Counted;
use fedcdi_learn::score::{LocalScore, Penalty, ScoreParams, priced, score_of, standard};

struct Mistakes {
    rows: Counted,
    price: f64,
}

impl LocalScore for Mistakes {
    fn n_vars(&self) -> usize {
        self.rows.n_vars()
    }

    fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
        let table = self.rows.family_table(effect, parents);
        let mistakes =
            |row: &[f64]| row.iter().sum::<f64>() - row.iter().fold(0.0, |a, b| b.max(a));
        -table.rows().map(mistakes).sum::<f64>() - self.price * self.rows.n_combinations(parents)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scores = standard().with(priced(
        "mistakes",
        "rows predicted wrongly",
        |data, penalty| {
            let (rows, Penalty::Fixed(price)) = (Counted::new(data), penalty) else {
                unreachable!("this example asks for a fixed price");
            };
            Ok(Box::new(Mistakes { rows, price }))
        },
    ));

    let chosen = ScoreParams::new("mistakes", Penalty::Fixed(1.0)).among(&scores)?;
    let score = chosen(&copies()?)?;
    let edge = Digraph::from_edges(2, [(VarId(0), VarId(1))]);
    let (with, without) = (Dag::try_from(edge)?, Dag::empty(2));
    let (with, without) = (score_of(&*score, &with), score_of(&*score, &without));
    println!("with the edge {with}, without {without}");
    assert!(with > without);
    Ok(())
}

#[test]
fn the_example_runs() {
    main().unwrap();
}

/// The second variable copies the first in nine rows of ten.
fn copies() -> Result<Dataset, Box<dyn Error>> {
    let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
    let schema = Arc::new(Schema::new(variables.to_vec())?);
    let mut rows = DatasetBuilder::with_capacity(schema, 100);
    for row in 0..100 {
        let a = u16::from(row % 2 == 0);
        let b = if row % 10 == 0 { 1 - a } else { a };
        rows.push(&[a, b], &Regime::Observational)?;
    }
    Ok(rows.finish()?)
}
