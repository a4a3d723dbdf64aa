//! Where the verdicts change.

/// What an edge must gain to be kept, in nats per row: the default `sparsity` of ENCO, because an
/// edge that gains less is not learned however well its law is known.
pub(super) const SPARSITY: f64 = 4e-3;

/// Expected number of wrong verdicts per target, over all its partners: the usual 5 %.
const ERROR: f64 = 0.05;

/// Log-odds that decide one of `n_partners` comparisons.
pub(super) fn evidence_needed(n_partners: usize) -> f64 {
    (n_partners.max(1) as f64 / ERROR).ln()
}
