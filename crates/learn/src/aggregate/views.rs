//! The reports of a round as the aggregators read them: checked, and in order of client.

use fedcdi_core::{AggregateError, Belief, ClientId, ClientReport, SampleCounts, SharedBelief};
use ndarray::Array2;

/// One report with its belief in full.
pub(super) struct View<'a> {
    pub(super) client: ClientId,
    pub(super) belief: Belief,
    /// Edge probabilities as sent, or as they follow from the logits; `[cause, effect]`.
    pub(super) psi: Array2<f64>,
    pub(super) samples: &'a SampleCounts,
}

/// Every report with its belief, sorted by client.
pub(super) fn views(
    n_vars: usize,
    reports: &[ClientReport],
) -> Result<Vec<View<'_>>, AggregateError> {
    let reports = ordered(n_vars, reports)?;
    reports.into_iter().map(view).collect()
}

/// The reports, checked for size and sorted by client; at least one has a sample.
pub(super) fn ordered(
    n_vars: usize,
    reports: &[ClientReport],
) -> Result<Vec<&ClientReport>, AggregateError> {
    let mut ordered: Vec<&ClientReport> = reports.iter().collect();
    for report in &ordered {
        check_size(n_vars, report)?;
    }
    ordered.sort_by_key(|report| report.client);
    if let Some(pair) = ordered.windows(2).find(|p| p[0].client == p[1].client) {
        return Err(AggregateError::Duplicate(pair[0].client));
    }
    if ordered.is_empty() {
        return Err(AggregateError::NoReports);
    }
    if ordered.iter().all(|report| report.samples.n_samples == 0) {
        return Err(AggregateError::NoSamples);
    }
    Ok(ordered)
}

fn check_size(n_vars: usize, report: &ClientReport) -> Result<(), AggregateError> {
    let sizes = [
        ("a belief", report.belief.n_vars()),
        ("sample counts", report.samples.n_interventional.len()),
    ];
    match sizes.into_iter().find(|(_, found)| *found != n_vars) {
        None => Ok(()),
        Some((what, found)) => Err(AggregateError::Size {
            client: report.client,
            what,
            found,
            expected: n_vars,
        }),
    }
}

fn view(report: &ClientReport) -> Result<View<'_>, AggregateError> {
    let client = report.client;
    let belief = report.belief.to_belief();
    let belief = belief.map_err(|source| AggregateError::Belief { client, source })?;
    let psi = match &report.belief {
        SharedBelief::Psi(psi) => psi.clone(),
        SharedBelief::Logits(_) => belief.psi(),
    };
    Ok(View {
        client,
        belief,
        psi,
        samples: &report.samples,
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::report;
    use super::*;

    fn error(n_vars: usize, reports: &[ClientReport]) -> AggregateError {
        views(n_vars, reports).err().unwrap()
    }

    #[test]
    fn reports_are_sorted_by_client() {
        let one = |id| report(id, Belief::uninformed(2), &[1, 0], 5);
        let reports = [one(4), one(1), one(3)];
        let ids: Vec<u32> = ordered(2, &reports)
            .unwrap()
            .iter()
            .map(|report| report.client.0)
            .collect();
        assert_eq!(ids, [1, 3, 4]);
    }

    #[test]
    fn what_cannot_be_aggregated_is_named() {
        let one = |id, n_obs| report(id, Belief::uninformed(2), &[0, 0], n_obs);
        assert_eq!(error(2, &[]), AggregateError::NoReports);
        let twice = error(2, &[one(7, 1), one(7, 1)]);
        assert_eq!(twice, AggregateError::Duplicate(ClientId(7)));
        let size = error(3, &[one(1, 1)]);
        assert!(matches!(size, AggregateError::Size { found: 2, .. }));
        assert_eq!(error(2, &[one(1, 0)]), AggregateError::NoSamples);
    }
}
