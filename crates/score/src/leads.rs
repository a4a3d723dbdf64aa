//! What interventions say of directions, from the tables of pairs alone.
//!
//! From nothing, a greedy search may turn an early edge and then build around it. So at first it only
//! makes edges that agree with what moves what; afterwards every move is free again.
//!
//! | formula | code |
//! |---|---|
//! | `m(x, y) = ln p(x, y) / (p(x) p(y))`: how two variables go together | `together` |
//! | `L_ab`, sum of m over rows that set a: does b still go with a? | |
//! | `L_ab - L_ba`: sum of m times (rows that leave b alone - rows that leave a alone) | [`leads`] |
//!
//! Rows that set both are in neither table, rows that set neither cancel.

use fedcdi_core::VarId;

use crate::known::Known;

/// An edge contradicts the rows if the other direction is likelier by this many nats.
const MOST_AGAINST: f64 = 1.0;

/// `[cause, effect]`: whether an edge agrees with what moves what.
pub(crate) fn leads(known: &Known) -> Vec<bool> {
    let n = known.outline.n_vars();
    let mut agrees = vec![true; n * n];
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        let (cause, effect) = (VarId(a), VarId(b));
        if known.outline.is_real(cause) || known.outline.is_real(effect) {
            continue;
        }
        let forward = evidence(known, cause, effect);
        agrees[a * n + b] = forward > -MOST_AGAINST;
        agrees[b * n + a] = forward < MOST_AGAINST;
    }
    agrees
}

/// Nats by which cause -> effect is likelier than its reverse.
fn evidence(known: &Known, cause: VarId, effect: VarId) -> f64 {
    let n_effects = known.outline.width(effect);
    // Both [cause, effect].
    let effect_alone = known.table_of(cause, effect);
    let transposed = known.table_of(effect, cause);
    let n_causes = known.outline.width(cause);
    let at = |k: usize| transposed[k % n_effects * n_causes + k / n_effects];
    let cause_alone: Vec<f64> = (0..effect_alone.len()).map(at).collect();
    let both: Vec<f64> = effect_alone
        .iter()
        .zip(&cause_alone)
        .map(|(a, b)| a + b)
        .collect();
    let together = together(&both, n_effects);
    let differences = effect_alone.iter().zip(&cause_alone).map(|(a, b)| a - b);
    differences.zip(together).map(|(rows, m)| rows * m).sum()
}

fn together(table: &[f64], n_columns: usize) -> Vec<f64> {
    let n_rows = table.len() / n_columns;
    let total: f64 = table.iter().sum();
    let of_row = |row: usize| table[row * n_columns..][..n_columns].iter().sum::<f64>();
    let of_column = |column: usize| table.iter().skip(column).step_by(n_columns).sum::<f64>();
    let rows: Vec<f64> = (0..n_rows).map(of_row).collect();
    let columns: Vec<f64> = (0..n_columns).map(of_column).collect();
    let m = |(at, n): (usize, &f64)| {
        let expected = rows[at / n_columns] * columns[at % n_columns] / total.max(1.0);
        ((n + 1.0) / (expected + 1.0)).ln()
    };
    table.iter().enumerate().map(m).collect()
}
