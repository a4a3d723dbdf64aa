//! SHD after every round, four targets at client A and sixteen at client B, digitised.

use super::{Curve, H, digitised};

/// Rounds.
const R: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];

#[rustfmt::skip]
pub(super) const CURVES: &[Curve] = &[
    digitised("ER-1", "A alone", R, &[6.7, 3.7, 4.0, 4.3, 4.5, 4.9, 4.9, 4.8, 5.0, 5.0]),
    digitised("ER-1", "B alone", R, &[0.5, 0.4, 0.4, 0.5, 1.0, 1.2, 1.2, 1.2, 1.3, 1.2]),
    digitised("ER-1", "A and B together", R, &[1.9, 0.5, 0.5, 0.3, 0.3, 0.3, 0.4, 0.4, 0.6, 0.8]),
    digitised("ER-2", "A alone", R, &[14.7, 8.3, 6.6, 6.0, 6.0, 5.6, 5.6, 5.5, 5.7, 5.5]),
    digitised("ER-2", "B alone", R, &[4.1, H, H, H, 1.5, 1.6, 1.5, 1.4, 1.7, 1.4]),
    digitised("ER-2", "A and B together", R, &[8.4, 1.5, 1.2, 1.5, 1.2, 1.1, 1.1, 1.0, 0.7, 0.9]),
    digitised("ER-4", "A alone", R, &[34.9, 21.9, 18.8, 17.1, 16.7, 16.1, 15.6, 16.2, 15.9, 16.2]),
    digitised("ER-4", "B alone", R, &[10.7, 4.2, 4.7, 4.8, 4.8, 4.6, 4.6, 4.8, 5.0, 4.9]),
    digitised("ER-4", "A and B together", R, &[18.8, 5.1, 3.6, 3.1, 2.8, 2.8, 2.5, 2.4, 2.3, 2.3]),
    digitised("ER-6", "A alone", R, &[51.3, 35.5, 31.1, 29.6, 27.8, 27.6, 27.8, 27.0, 26.7, 26.4]),
    digitised("ER-6", "B alone", R, &[12.6, H, 4.1, 4.4, 4.4, 4.7, 4.6, 4.7, 4.6, 4.7]),
    digitised("ER-6", "A and B together", R, &[23.1, 4.9, 2.6, 3.3, 3.3, 3.0, 2.6, 2.4, 2.3, 2.0]),
    digitised("chain", "A alone", R, &[14.8, 11.2, 9.7, 9.7, 9.5, 9.1, 9.6, 9.6, 9.3, 9.2]),
    digitised("chain", "B alone", R, &[5.7, H, 2.1, 1.9, 1.7, 1.7, 1.5, 1.4, 1.4, 1.4]),
    digitised("chain", "A and B together", R, &[10.3, 2.8, 1.6, 1.2, 1.0, 0.5, 0.5, 0.4, 0.3, 0.3]),
    digitised("jungle", "A alone", R, &[27.6, 18.9, 17.8, 16.4, 15.7, 16.0, 15.5, 15.4, 14.8, 14.5]),
    digitised("jungle", "B alone", R, &[10.8, 2.6, 2.4, 2.6, 2.7, 2.7, 2.9, 2.6, 2.6, 2.7]),
    digitised("jungle", "A and B together", R, &[21.2, 3.4, 1.1, 1.4, 1.1, 0.9, 0.8, 0.8, 0.8, 0.9]),
    digitised("full", "A alone", R, &[51.0, 45.2, 43.8, 43.0, 42.5, 42.8, 42.5, 42.8, 43.0, 43.0]),
    digitised("full", "B alone", R, &[5.5, 3.8, 3.0, 2.5, 2.8, 2.8, 2.6, 2.5, 2.6, 2.6]),
    digitised("full", "A and B together", R, &[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.8]),
    digitised("collider", "A alone", R, &[6.3, 4.1, 3.4, 3.1, 2.7, 2.5, 2.2, 2.4, 2.6, 2.5]),
    digitised("collider", "B alone", R, &[1.4, 1.3, 1.4, 1.2, 0.8, 1.0, 1.2, 1.3, 1.2, 1.4]),
    digitised("collider", "A and B together", R, &[1.7, 0.3, 0.3, 0.2, 0.4, 0.4, 0.4, 0.3, 0.3, 0.1]),
    digitised("bidiag", "A alone", R, &[26.0, 19.4, 17.6, 17.2, 16.5, 16.5, 16.0, 15.8, 15.1, 15.3]),
    digitised("bidiag", "B alone", R, &[8.3, 3.3, 3.3, 2.9, 2.9, 2.9, 3.1, 2.8, 2.6, 2.5]),
    digitised("bidiag", "A and B together", R, &[15.6, 4.2, 2.5, 1.7, 1.0, 1.0, 0.8, 0.7, 0.4, 0.6]),
];
