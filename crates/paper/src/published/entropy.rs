//! Average edge entropy after every round, in bits, digitised.

use super::{Curve, distrusted};

/// Rounds.
const R: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
const ONE_SEED: &str =
    "one hand-picked seed, two of the ten clients, and only pairs still in dispute";

#[rustfmt::skip]
pub(super) const CURVES: &[Curve] = &[
    distrusted("ER-1", "naive (paper)", R, &[0.75, 0.42, 0.23, 0.16, 0.15, 0.06, 0.08, 0.01, 0.01, 0.03], ONE_SEED),
    distrusted("ER-2", "naive (paper)", R, &[0.74, 0.46, 0.29, 0.14, 0.12, 0.05, 0.06, 0.05, 0.04, 0.05], ONE_SEED),
    distrusted("ER-4", "naive (paper)", R, &[0.75, 0.48, 0.27, 0.16, 0.11, 0.04, 0.02, 0.02, 0.02, 0.0], ONE_SEED),
    distrusted("ER-6", "naive (paper)", R, &[0.82, 0.5, 0.23, 0.13, 0.08, 0.04, 0.02, 0.01, 0.0, 0.02], ONE_SEED),
    distrusted("full", "naive (paper)", R, &[0.73, 0.54, 0.38, 0.22, 0.18, 0.16, 0.08, 0.08, 0.09, 0.07], ONE_SEED),
    distrusted("chain", "naive (paper)", R, &[0.73, 0.41, 0.29, 0.18, 0.1, 0.08, 0.05, 0.03, 0.03, 0.02], ONE_SEED),
    distrusted("collider", "naive (paper)", R, &[0.62, 0.41, 0.33, 0.17, 0.16, 0.08, 0.09, 0.04, 0.04, 0.02], ONE_SEED),
    distrusted("jungle", "naive (paper)", R, &[0.67, 0.43, 0.35, 0.13, 0.12, 0.08, 0.07, 0.04, 0.04, 0.04], ONE_SEED),
    distrusted("bidiag", "naive (paper)", R, &[0.72, 0.42, 0.31, 0.28, 0.09, 0.1, 0.11, 0.1, 0.07, 0.07], ONE_SEED),
];
