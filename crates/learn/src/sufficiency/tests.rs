//! Hand-computed values and properties of the verdict.

use std::sync::Arc;

use fedcdi_core::{Dataset, DatasetBuilder, Regime, Schema, VarId, Variable};
use proptest::collection::vec;
use proptest::prelude::*;

use super::conditional::{Base, Conditional};
use super::effect::Effect;
use super::evidence::transposed;
use super::*;
use crate::independence::counts::Cell;

/// Codes and targets of one sample.
type Row = (Vec<u16>, Vec<usize>);

/// A table of rows `(codes, targets)` over variables with these numbers of categories.
fn table(sizes: &[usize], rows: &[Row]) -> Dataset {
    let variables = sizes.iter().enumerate();
    let variables = variables.map(|(at, &n)| Variable::with_codes(format!("v{at}"), n));
    let schema = Arc::new(Schema::new(variables.collect()).unwrap());
    let mut builder = DatasetBuilder::with_capacity(schema, rows.len());
    for (codes, targets) in rows {
        let regime = Regime::intervened(targets.iter().copied().map(VarId));
        builder.push(codes, &regime).unwrap();
    }
    builder.finish().unwrap()
}

/// `n` rows of two binary variables.
fn rows(n: usize, codes: [u16; 2], targets: &[usize]) -> Vec<Row> {
    vec![(codes.to_vec(), targets.to_vec()); n]
}

/// 40 rows in which b copies a nine times out of ten, and `under` rows under do(a).
fn copies(under: &[(usize, [u16; 2])]) -> Dataset {
    let mut all = [
        rows(18, [0, 0], &[]),
        rows(2, [0, 1], &[]),
        rows(2, [1, 0], &[]),
        rows(18, [1, 1], &[]),
    ]
    .concat();
    for &(n, codes) in under {
        all.extend(rows(n, codes, &[0]));
    }
    table(&[2, 2], &all)
}

fn cell((cause, effect, n): (u16, u16, u32)) -> Cell {
    Cell {
        given: 0,
        cause,
        effect,
        n,
    }
}

#[test]
fn one_row_under_an_intervention_counts_as_its_log_ratio() {
    let cells = [(0, 0, 3), (0, 1, 1), (1, 1, 2)];
    let cells = cells.map(cell);
    // Effect: 3 and 3 of 6 rows, so p = 3.5 / 7 = 1/2.
    let base = Base::of(&[3, 3]);
    let conditional = Conditional::fit(&cells, &base);
    // Left out in turn, with a = 1: 3 ln(2.5/4 * 2) + ln(0.5/4 * 2) + 2 ln(1.5/2 * 2) = 0.0941;
    // with a = 4: 3 ln(4/7 * 2) + ln(2/7 * 2) + 2 ln(3/5 * 2) = 0.2056, the best of the grid
    // (a = 16: 0.0963; a = 0.25: -0.5846).
    assert!((conditional.gain - 0.205_622).abs() < 1e-6);
    let one = [cell((0, 0, 1))];
    // q(0|0) = (3 + 4/2) / (4 + 4) = 5/8 against 1/2.
    let effect = Effect::of(&one, &conditional, &base);
    assert!((effect.log_odds - 1.25f64.ln()).abs() < 1e-12);
    // KL(q||p) = 5/8 ln 5/4 + 3/8 ln 3/4 = 0.031584; KL(p||q) = -(ln 5/4 + ln 3/4)/2 = 0.032269.
    assert!((effect.per_row - 0.031_584).abs() < 1e-6);
}

#[test]
fn two_equal_rows_are_learned_from_one_another() {
    let cells = [(0, 0, 3), (0, 1, 1), (1, 1, 2)];
    let cells = cells.map(cell);
    let base = Base::of(&[3, 3]);
    let conditional = Conditional::fit(&cells, &base);
    let two = [cell((0, 0, 2))];
    // 5/8 then 6/9 against 3.5/7 then 4.5/8.
    let expected = (5.0f64 / 8.0 * 6.0 / 9.0 / (3.5 / 7.0 * 4.5 / 8.0)).ln();
    let effect = Effect::of(&two, &conditional, &base);
    assert!((effect.log_odds - expected).abs() < 1e-12);
}

#[test]
fn rows_that_follow_the_target_say_it_moves() {
    let moves = Sufficiency::of(&copies(&[(9, [0, 0]), (1, [0, 1]), (10, [1, 1])]));
    let target = &moves.orientation.targets[0];
    assert_eq!((target.n_close, target.n_moves), (1, 1));
    assert_eq!(target.verdict, Verdict::Enough);
    assert_eq!(moves.orientation.not_intervened, ["v1"]);
}

#[test]
fn rows_that_take_no_notice_say_it_does_not() {
    let under = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|codes| (5, codes));
    let target = &Sufficiency::of(&copies(&under)).orientation.targets[0];
    assert_eq!((target.n_does_not_move, target.n_undecided), (1, 0));
}

#[test]
fn two_rows_decide_nothing_and_advice_is_given() {
    let found = Sufficiency::of(&copies(&[(1, [0, 0]), (1, [1, 0])]));
    let target = &found.orientation.targets[0];
    assert_eq!((target.n_undecided, target.n_open), (1, 1));
    assert_eq!(found.orientation.verdict, Verdict::TooFew);
    assert_eq!(found.orientation.open[0].why, Open::TooFewRows);
    assert!(target.advice.unwrap().more_rows < 30);
    assert!(found.remedies[1].contains("intervention on v0 would decide the one open direction"));
}

#[test]
fn a_target_that_was_always_set_to_one_value_is_not_enough() {
    let fixed = |value| Sufficiency::of(&copies(&[(40, [value, value])]));
    let one = fixed(1);
    let target = &one.orientation.targets[0];
    assert_eq!((target.n_moves, target.verdict), (1, Verdict::Thin));
    assert_eq!(target.only_value.as_deref(), Some("1"));
    assert_eq!(one.orientation.n_close_by_one_value, 1);
    assert_eq!(one.orientation.verdict, Verdict::Thin);
    assert!(
        one.remedies
            .iter()
            .any(|remedy| remedy.starts_with("set other values of v0 too"))
    );
    let together = |clients: [&Sufficiency; 2]| FederationSufficiency::of(&clients).unwrap();
    assert_eq!(together([&one, &one]).orientation.verdict, Verdict::Thin);
    // Another client sets the other value.
    let both = together([&one, &fixed(0)]).orientation;
    assert_eq!(
        (both.verdict, both.n_close_by_one_value),
        (Verdict::Enough, 0)
    );
    assert_eq!(both.targets[0].only_value, None);
}

#[test]
fn clients_add_up() {
    let one = Sufficiency::of(&copies(&[(2, [0, 0]), (2, [1, 1])]));
    assert_eq!(one.orientation.n_close_decided, 0);
    let all = FederationSufficiency::of(&[&one, &one, &one]).unwrap();
    assert_eq!(all.orientation.n_close_decided, 1);
    assert_eq!(all.orientation.targets[0].n_rows, 12);
    let odds = |o: &Orientation| o.targets[0].partners[0].log_odds;
    assert!((odds(&all.orientation) - 3.0 * odds(&one.orientation)).abs() < 1e-9);
}

#[test]
fn rows_needed_follow_from_the_categories() {
    // 9 * 9 / (4 * 0.004) = 5062.5; the widest pair, 9 * 9 too; 100 rows are below a fifth.
    let rows: Vec<_> = (0..100)
        .map(|k| (vec![k % 10, k / 10, k % 2], vec![]))
        .collect();
    let found = Sufficiency::of(&table(&[10, 10, 2], &rows)).existence;
    assert_eq!((found.rows_needed, found.most_rows_needed), (5063, 5063));
    assert_eq!(found.verdict, Verdict::TooFew);
    // v2 as an effect: 1 * 9 / 0.016 = 563 rows, and 100 are below a fifth of it too.
    assert_eq!(found.too_few_for, ["v0", "v1", "v2"]);
}

#[test]
fn cells_stay_sorted_when_cause_and_effect_change_places() {
    let cells = [(0, 0, 3), (0, 2, 1), (1, 1, 2)].map(cell);
    let expected = [(0, 0, 3), (1, 1, 2), (2, 0, 1)].map(cell);
    assert_eq!(transposed(&cells), expected);
    assert_eq!(transposed(&expected), cells);
}

/// Small tables of any kind: constant columns, no observational rows, several targets per row.
fn tables() -> impl Strategy<Value = (Vec<usize>, Vec<Row>)> {
    vec(1..4usize, 1..5).prop_flat_map(|sizes| {
        let codes: Vec<_> = sizes.iter().map(|&n| 0..n as u16).collect();
        let n_vars = sizes.len();
        let targets = vec(0..n_vars, 0..3);
        (Just(sizes), vec((codes, targets), 0..40))
    })
}

fn numbers(found: &Sufficiency) -> Vec<f64> {
    let targets = found.orientation.targets.iter();
    let partners = targets.flat_map(|target| &target.partners);
    partners.flat_map(|p| [p.strength, p.log_odds]).collect()
}

proptest! {
    #[test]
    fn any_table_gets_a_verdict_of_finite_numbers((sizes, rows) in tables()) {
        let found = Sufficiency::of(&table(&sizes, &rows));
        prop_assert!(numbers(&found).iter().all(|x| x.is_finite()));
        let orientation = &found.orientation;
        prop_assert_eq!(orientation.n_close - orientation.n_close_decided, orientation.open.len());
        prop_assert_eq!(orientation.targets.len() + orientation.not_intervened.len(), sizes.len());
        serde_json::to_string(&found).unwrap();
    }

    #[test]
    fn the_order_of_rows_does_not_matter((sizes, rows) in tables()) {
        let reversed: Vec<_> = rows.iter().rev().cloned().collect();
        let [a, b] = [rows, reversed].map(|rows| Sufficiency::of(&table(&sizes, &rows)));
        prop_assert_eq!(a.existence, b.existence);
        prop_assert_eq!(a.orientation, b.orientation);
    }

    #[test]
    fn the_order_of_variables_does_not_matter((sizes, rows) in tables()) {
        let last = sizes.len() - 1;
        let mirrored: Vec<_> = rows.iter().map(|(codes, targets)| {
            let codes = codes.iter().rev().copied().collect();
            (codes, targets.iter().map(|t| last - t).collect())
        }).collect();
        let mirrored_sizes: Vec<usize> = sizes.iter().rev().copied().collect();
        let a = Sufficiency::of(&table(&sizes, &rows));
        let b = Sufficiency::of(&table(&mirrored_sizes, &mirrored));
        prop_assert_eq!(a.existence.verdict, b.existence.verdict);
        prop_assert_eq!(a.orientation.verdict, b.orientation.verdict);
        prop_assert_eq!(a.orientation.n_close, b.orientation.n_close);
        let sorted = |found: &Sufficiency| { let mut n = numbers(found); n.sort_by(f64::total_cmp); n };
        for (x, y) in sorted(&a).iter().zip(sorted(&b)) {
            prop_assert!((x - y).abs() < 1e-9);
        }
    }
}
