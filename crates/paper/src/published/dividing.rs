//! SHD after ten rounds against the number of clients that share the interventional rows, digitised.

use super::{Curve, H, digitised};

/// Clients.
const K: &[f64] = &[1.0, 2.0, 4.0, 6.0, 8.0];

#[rustfmt::skip]
pub(super) const CURVES: &[Curve] = &[
    digitised("ER-1", "24 per target", K, &[3.2, 2.4, 2.0, H, 2.4]),
    digitised("ER-1", "48 per target", K, &[2.2, 2.8, 0.8, H, H]),
    digitised("ER-1", "96 per target", K, &[H, 1.8, 1.2, 1.2, 1.4]),
    digitised("ER-1", "144 per target", K, &[2.4, 2.0, 1.6, 1.4, 0.8]),
    digitised("ER-1", "240 per target", K, &[1.4, 1.0, 1.8, 1.6, 1.0]),
    digitised("ER-2", "24 per target", K, &[3.6, 3.6, 3.6, 2.4, 4.0]),
    digitised("ER-2", "48 per target", K, &[1.6, 2.0, 1.8, 1.2, 2.2]),
    digitised("ER-2", "96 per target", K, &[0.4, 1.2, 0.8, H, 0.6]),
    digitised("ER-2", "144 per target", K, &[0.6, 0.8, 1.0, 0.4, 0.8]),
    digitised("ER-2", "240 per target", K, &[0.2, 0.6, 0.2, 0.2, 0.0]),
    digitised("ER-4", "24 per target", K, &[5.8, 7.2, 8.0, 7.2, 10.8]),
    digitised("ER-4", "48 per target", K, &[2.4, 4.0, 2.4, 4.8, 2.6]),
    digitised("ER-4", "96 per target", K, &[1.2, 0.9, 1.4, 2.0, 1.8]),
    digitised("ER-4", "144 per target", K, &[0.8, 0.7, H, 0.5, 1.0]),
    digitised("ER-4", "240 per target", K, &[0.2, 0.4, 0.4, 0.2, 0.4]),
    digitised("ER-6", "24 per target", K, &[11.4, 10.8, 10.0, 12.8, 13.2]),
    digitised("ER-6", "48 per target", K, &[2.6, 5.2, 4.0, 3.8, 4.6]),
    digitised("ER-6", "96 per target", K, &[1.4, 1.2, H, 1.8, 2.0]),
    digitised("ER-6", "144 per target", K, &[0.8, 0.6, 0.8, H, H]),
    digitised("ER-6", "240 per target", K, &[0.0, 0.2, 0.0, 0.2, 0.4]),
];
