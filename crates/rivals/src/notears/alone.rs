//! One client: NOTEARS itself. There is nobody to agree with, so regressions and cycles are
//! one minimisation: `sum_j 1/(2 n_j) ||x_j - X w_j||^2 + l1 ||W||_1 + alpha h + rho_1/2 h^2`.

use ndarray::{Array1, Array2};

use super::cycles::CyclePenalty;
use super::moments::Moments;

/// The smooth part at these weights, `[cause, effect]`, and its gradient; the diagonal does not move.
pub(super) fn smooth(
    weights: &Array2<f64>,
    of_client: &Moments,
    cycles: CyclePenalty,
) -> (f64, Array2<f64>) {
    let (mut value, mut gradient) = cycles.of(weights);
    for effect in 0..weights.ncols() {
        let (moments, n_rows) = (of_client.for_effect(effect), of_client.n_rows(effect));
        let own: Array1<f64> = weights.column(effect).to_owned();
        let explained = moments.dot(&own);
        let with_effect = moments.column(effect).to_owned();
        let squared = moments[(effect, effect)] - 2.0 * own.dot(&with_effect) + own.dot(&explained);
        value += 0.5 * squared / n_rows;
        let mut slope = gradient.column_mut(effect);
        slope += &((explained - with_effect) / n_rows);
        slope[effect] = 0.0;
    }
    (value, gradient)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::rows::RowsUsed;
    use crate::test_data::real_table;
    use fedcdi_core::VarSet;

    fn moments() -> Moments {
        let values = array![
            [1.0, 2.0, 0.5],
            [0.0, 1.0, -1.0],
            [-2.0, 0.5, 1.0],
            [1.0, -1.0, 0.0]
        ];
        let names = ["a", "b", "c"].map(str::to_owned);
        let samples = real_table(&values, &names, &[VarSet::empty(3)], vec![0; 4]);
        Moments::of(&samples, RowsUsed::Untouched, false)
    }

    #[test]
    fn the_gradient_is_that_of_the_smooth_part() {
        let moments = moments();
        let cycles = CyclePenalty {
            multiplier: 0.7,
            penalty: 2.0,
        };
        let at = array![[0.0, 0.8, -0.3], [0.6, 0.0, 0.2], [-0.2, 0.5, 0.0]];
        let (_, gradient) = smooth(&at, &moments, cycles);
        for (place, found) in gradient.indexed_iter().filter(|(p, _)| p.0 != p.1) {
            let moved = |by: f64| {
                let mut to = at.clone();
                to[place] += by;
                smooth(&to, &moments, cycles).0
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((slope - found).abs() < 1e-6, "{place:?}: {slope} {found}");
        }
    }
}
