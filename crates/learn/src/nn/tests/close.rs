//! How close a gradient must be to its difference quotients.

/// Within 1e-4 of the largest gradient, or of 0.1 where all are smaller: a gradient starts as
/// the difference of a probability and 0 or 1, which f32 rounds at 6e-8 however small it is, and
/// the layers below multiply that by weights of order ten.
pub(super) fn assert_close(what: &str, found: &[f32], numeric: impl Fn(usize) -> f64) {
    let numeric: Vec<f64> = (0..found.len()).map(numeric).collect();
    let scale = numeric
        .iter()
        .fold(1e-1, |scale: f64, g| scale.max(g.abs()));
    for (k, (found, numeric)) in found.iter().zip(&numeric).enumerate() {
        let error = (f64::from(*found) - numeric).abs() / scale;
        assert!(error < 1e-4, "{what}[{k}]: {found} but {numeric}");
    }
}
