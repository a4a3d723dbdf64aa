//! SHD after every round, ten targets at each of two clients, digitised.

use super::{Curve, H, digitised};

/// Rounds.
const R: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];

#[rustfmt::skip]
pub(super) const CURVES: &[Curve] = &[
    digitised("ER-1", "A alone", R, &[2.4, 0.8, 1.0, 1.3, 1.6, 1.8, 2.0, 2.2, 2.3, 2.2]),
    digitised("ER-1", "B alone", R, &[1.7, 1.7, 1.7, 2.3, 3.1, 3.4, 3.2, 3.2, 3.0, 3.2]),
    digitised("ER-1", "A and B together", R, &[0.9, 0.2, 0.4, 0.3, 0.2, 0.3, 0.4, 0.4, 0.3, 0.3]),
    digitised("ER-2", "A alone", R, &[6.4, 3.9, 3.4, 3.2, 3.2, 3.1, 3.0, 3.0, 2.9, H]),
    digitised("ER-2", "B alone", R, &[7.4, 4.2, 3.5, 3.8, 3.8, 3.6, 3.3, 3.4, 3.2, 3.0]),
    digitised("ER-2", "A and B together", R, &[6.6, 0.8, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2]),
    digitised("ER-4", "A alone", R, &[17.7, 9.2, 8.5, 9.0, 9.2, H, H, H, H, H]),
    digitised("ER-4", "B alone", R, &[17.2, 10.3, 9.3, 9.6, 9.6, 9.5, 9.4, 9.3, 9.3, 9.3]),
    digitised("ER-4", "A and B together", R, &[15.2, 2.6, 1.8, 1.5, 1.0, 0.9, 0.6, 0.5, 0.5, 0.5]),
    digitised("ER-6", "A alone", R, &[26.6, 15.2, 12.9, 12.3, H, H, H, 11.7, 11.6, 11.8]),
    digitised("ER-6", "B alone", R, &[22.8, 13.5, 11.8, 11.1, 11.9, 12.1, 12.2, 12.4, 12.3, 12.4]),
    digitised("ER-6", "A and B together", R, &[19.6, 2.2, 1.1, 1.2, 0.8, 0.7, 0.7, 0.6, 0.6, 0.5]),
    digitised("chain", "A alone", R, &[8.6, 5.5, 5.3, 4.4, 4.5, 4.6, H, 3.6, H, H]),
    digitised("chain", "B alone", R, &[7.8, 5.1, 4.8, 4.6, 4.2, 4.0, 4.1, 3.9, 3.8, 3.8]),
    digitised("chain", "A and B together", R, &[8.0, 1.9, 0.8, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    digitised("jungle", "A alone", R, &[H, H, 6.6, 6.9, 7.4, 7.4, 7.4, 7.4, 7.1, 7.1]),
    digitised("jungle", "B alone", R, &[15.2, 7.6, 7.2, 7.5, 6.7, 7.0, 6.8, 6.6, 6.6, 6.6]),
    digitised("jungle", "A and B together", R, &[17.9, 2.1, 1.3, 1.1, 0.9, 0.9, 0.4, 0.6, 0.6, 0.4]),
    digitised("full", "A alone", R, &[24.2, 21.6, 21.0, 20.6, 20.9, 20.9, 20.9, 20.9, 20.9, 20.9]),
    digitised("full", "B alone", R, &[23.4, 20.9, 19.9, 19.5, 19.2, 19.0, 19.0, 19.0, 19.1, 19.0]),
    digitised("full", "A and B together", R, &[0.4, 0.4, 0.3, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]),
    digitised("collider", "A alone", R, &[1.9, 1.4, 1.6, 1.5, 1.4, 0.9, H, 1.3, 1.0, 0.9]),
    digitised("collider", "B alone", R, &[2.7, 2.3, 2.2, 1.6, 1.3, 1.1, 1.2, 1.5, 1.3, 1.2]),
    digitised("collider", "A and B together", R, &[0.5, 0.3, 0.2, 0.3, 0.3, 0.3, 0.2, 0.2, 0.3, 0.3]),
    digitised("bidiag", "A alone", R, &[13.0, 9.1, 7.7, 7.0, 6.1, 6.4, 6.0, 5.8, 5.7, 5.5]),
    digitised("bidiag", "B alone", R, &[13.9, 10.8, 9.8, 8.6, 7.8, 7.3, 7.0, 6.9, 6.5, 6.6]),
    digitised("bidiag", "A and B together", R, &[11.6, 2.5, 1.1, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]),
];
