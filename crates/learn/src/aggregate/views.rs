//! The reports of a round as the aggregators read them: checked, and in order of client.

use fedcdi_core::{AggregateError, Belief, ClientId, ClientReport, SampleCounts};
use ndarray::Array2;

/// One report with its belief in full.
pub(super) struct View<'a> {
    pub(super) client: ClientId,
    pub(super) belief: Belief,
    /// Edge probabilities as sent, or as they follow from the logits; `[cause, effect]`.
    pub(super) psi: Array2<f64>,
    pub(super) samples: &'a SampleCounts,
}

/// Every report, sorted by client.
pub(super) fn views(
    n_vars: usize,
    reports: &[ClientReport],
) -> Result<Vec<View<'_>>, AggregateError> {
    let mut views = reports
        .iter()
        .map(|report| view(n_vars, report))
        .collect::<Result<Vec<_>, _>>()?;
    views.sort_by_key(|view| view.client);
    if let Some(pair) = views.windows(2).find(|p| p[0].client == p[1].client) {
        return Err(AggregateError::Duplicate(pair[0].client));
    }
    if views.is_empty() {
        return Err(AggregateError::NoReports);
    }
    if views.iter().all(|view| view.samples.n_samples == 0) {
        return Err(AggregateError::NoSamples);
    }
    Ok(views)
}

fn view(n_vars: usize, report: &ClientReport) -> Result<View<'_>, AggregateError> {
    let client = report.client;
    let sizes = [
        ("a belief", report.belief.n_vars()),
        ("sample counts", report.samples.n_interventional.len()),
    ];
    for (what, found) in sizes {
        if found != n_vars {
            return Err(AggregateError::Size {
                client,
                what,
                found,
                expected: n_vars,
            });
        }
    }
    let belief = report.belief.to_belief();
    let belief = belief.map_err(|source| AggregateError::Belief { client, source })?;
    let psi = match &report.belief {
        fedcdi_core::SharedBelief::Psi(psi) => psi.clone(),
        fedcdi_core::SharedBelief::Logits(belief) => belief.psi(),
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
    fn views_are_sorted_by_client() {
        let one = |id| report(id, Belief::uninformed(2), &[1, 0], 5);
        let reports = [one(4), one(1), one(3)];
        let ids: Vec<u32> = views(2, &reports)
            .unwrap()
            .iter()
            .map(|v| v.client.0)
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
