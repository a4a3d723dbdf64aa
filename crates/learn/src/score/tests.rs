//! Graphs of one class have equal scores, for the scores that promise it.

use fedcdi_core::{Cpdag, Dag, Digraph, Regime, VarId};
use proptest::prelude::*;

use super::{Penalty, ScoreParams, score_of, standard, test_data};
use crate::independence::target_sets;

const SIZES: [usize; 5] = [2, 3, 2, 4, 3];

fn rows(values: &[usize], targets: &[usize]) -> Vec<(Vec<u16>, Regime)> {
    let row = |(at, row): (usize, &[usize])| {
        let codes = row.iter().zip(SIZES).map(|(v, size)| (v % size) as u16);
        let regime = match at % 3 {
            0 => Regime::intervened(targets.iter().copied().map(VarId)),
            _ => Regime::Observational,
        };
        (codes.collect(), regime)
    };
    values.chunks_exact(5).enumerate().map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn members_of_a_class_score_alike(
        pairs in prop::collection::vec(any::<bool>(), 10),
        order in Just([0usize, 1, 2, 3, 4]).prop_shuffle(),
        first in Just([0usize, 1, 2, 3, 4]).prop_shuffle(),
        values in prop::collection::vec(0..12usize, 5 * 40),
        targets in prop::collection::vec(0..5usize, 0..3),
    ) {
        let all = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j)));
        let chosen = all.zip(&pairs).filter(|(_, keep)| **keep);
        let edges = chosen.map(|((i, j), _)| (VarId(order[i]), VarId(order[j])));
        let dag = Dag::try_from(Digraph::from_edges(5, edges)).unwrap();
        let rows = rows(&values, &targets);
        let rows: Vec<(&[u16], Regime)> = rows.iter().map(|(r, g)| (&r[..], g.clone())).collect();
        let data = test_data::table(&SIZES, &rows);
        let sets = target_sets(&data);
        let other = Cpdag::interventional(&dag, &sets).member(&first.map(VarId));
        for params in [
            ScoreParams::new("multinomial", Penalty::Bic),
            ScoreParams::new("bdeu", 3.0),
            ScoreParams::new("gaussian", Penalty::Bic),
        ] {
            let score = params.among(&standard()).unwrap()(&data).unwrap();
            let (a, b) = (score_of(score.as_ref(), &dag), score_of(score.as_ref(), &other));
            prop_assert!((a - b).abs() < 1e-8 * a.abs(), "{params:?}: {a} {b}");
        }
    }
}
