//! Naive against proximity aggregation, digitised. Plotted was the least of the per-round means, and
//! the naive curve with 10 added; the 10 are taken off here.

use super::{Curve, H, digitised, distrusted};

/// Interventional rows per target.
const X: &[f64] = &[6.0, 12.0, 24.0, 48.0, 96.0, 144.0, 192.0, 240.0];
const PROXIMITY: &str = "proximity 0.15 (paper)";
const NAIVE: &str = "naive (paper)";
const OFFSET: &str = "plotted with 10 added to every value; shown here without the 10";

#[rustfmt::skip]
pub(super) const CURVES: &[Curve] = &[
    digitised("ER-1", PROXIMITY, X, &[31.7, 18.9, 9.0, 3.8, 2.4, 2.0, 2.2, 2.4]),
    distrusted("ER-1", NAIVE, X, &[26.6, 14.6, 5.2, 3.0, 1.2, 1.4, 1.4, 1.4], OFFSET),
    digitised("ER-2", PROXIMITY, X, &[48.5, 28.3, 14.9, 6.4, 3.6, 3.7, 3.4, 3.6]),
    distrusted("ER-2", NAIVE, X, &[43.9, 24.4, 10.4, 6.0, 3.4, 3.7, 3.7, 2.7], OFFSET),
    digitised("ER-4", PROXIMITY, X, &[58.2, 42.2, 25.7, 14.3, 9.6, 10.3, 9.4, 8.6]),
    distrusted("ER-4", NAIVE, X, &[53.5, 41.7, 20.2, 13.6, 9.8, 7.6, 6.9, 6.2], OFFSET),
    digitised("ER-6", PROXIMITY, X, &[62.0, 45.4, 27.4, 17.3, 14.0, 13.8, 13.2, 11.3]),
    distrusted("ER-6", NAIVE, X, &[72.5, 46.4, 31.9, 19.9, 16.6, 14.1, 11.2, 12.5], OFFSET),
    digitised("50 variables, p = 0.1", PROXIMITY, X, &[11.2, 5.0, 3.6, 2.4, 2.3, 2.0, 1.7, 2.0]),
    distrusted("50 variables, p = 0.1", NAIVE, X, &[H, 7.6, 5.8, 3.2, 3.0, 3.8, 2.7, 3.0], OFFSET),
    digitised("50 variables, p = 0.2", PROXIMITY, X, &[41.8, 25.8, 16.3, 12.4, 9.5, 9.2, 8.4, 8.9]),
    distrusted("50 variables, p = 0.2", NAIVE, X, &[H, 30.3, 17.6, 12.9, 11.3, 11.6, 11.6, 12.4], OFFSET),
    digitised("50 variables, p = 0.4", PROXIMITY, X, &[80.5, 46.6, 30.5, 22.4, 14.4, 10.9, 10.9, 12.6]),
    distrusted("50 variables, p = 0.4", NAIVE, X, &[H, 63.0, 33.7, 26.8, 19.9, 16.4, 19.3, 15.9], OFFSET),
    digitised("50 variables, p = 0.6", PROXIMITY, X, &[90.8, 49.1, 28.7, 18.0, 12.7, 10.9, 9.2, 9.2]),
    distrusted("50 variables, p = 0.6", NAIVE, X, &[H, 101.2, 59.5, 33.8, 25.8, 20.5, 20.5, 20.5], OFFSET),
    digitised("50 variables, p = 0.8", PROXIMITY, X, &[108.6, 55.6, 35.8, 25.9, 18.5, 18.5, 19.8, 18.5]),
    distrusted("50 variables, p = 0.8", NAIVE, X, &[H, 161.6, 102.3, 59.1, 41.9, 39.4, 36.9, 40.6], OFFSET),
];
