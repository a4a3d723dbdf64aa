//! Statistical claims over several seeds: minutes, not seconds. Run by `scripts/test-slow`.
#![allow(clippy::unwrap_used)]

use fedcdi_core::Seed;
use fedcdi_data::read::TableOptions;
use fedcdi_data::{GraphKind, TargetSplit};
use fedcdi_protocol::RoundParams;
use fedcdi_study::{DataSpec, GeneratedData, Spec, Watchers, run};

fn er(degree: f64, obs: usize, int: usize) -> DataSpec {
    DataSpec::Generated(GeneratedData {
        obs,
        int,
        graph: GraphKind::Er { degree },
        ..GeneratedData::default()
    })
}

/// With plenty of rows the graph comes out exactly on most seeds; an ENCO that orients or prunes
/// wrongly is off by ten or more.
#[test]
#[ignore = "slow: run with scripts/test-slow"]
fn plenty_of_rows_give_the_true_graph() {
    let mut errors = Vec::new();
    for seed in 100..103 {
        for degree in [1.0, 4.0] {
            let data = er(degree, 25_000, 5_000);
            let study = data
                .load(&TableOptions::default(), Seed::new(seed))
                .unwrap();
            let found = run(&study, &Spec::default(), Watchers::default());
            errors.push(found.unwrap().scores.unwrap().graph.shd);
        }
    }
    let mean = errors.iter().sum::<usize>() as f64 / errors.len() as f64;
    assert!(mean <= 1.0, "SHD {errors:?}");
}

/// Four clients with five targets each do nearly as well as all rows in one place, clearly better
/// than the best of them alone, and come to agree.
#[test]
#[ignore = "slow: run with scripts/test-slow"]
fn a_federation_beats_its_clients_and_its_members_come_to_agree() {
    for seed in 200..202 {
        let spec = Spec {
            seed,
            clients: Some(4),
            split: TargetSplit::Vertical,
            data: Some(er(2.0, 10_000, 2_000)),
            coordinator: RoundParams {
                rounds: Some(4),
                ..RoundParams::default()
            },
            ..Spec::default()
        };
        let data = spec.data.as_ref().unwrap();
        let loaded = data.load(&TableOptions::default(), Seed::new(seed));
        let study = spec.sites_of(&loaded.unwrap()).unwrap();
        let together = run(&study, &spec, Watchers::default()).unwrap();
        let shd = together.scores.as_ref().unwrap().graph.shd;
        let alone = (0..4).map(|client| {
            let alone = run(&study.only(client), &spec, Watchers::default()).unwrap();
            alone.scores.unwrap().graph.shd
        });
        let best_alone = alone.min().unwrap();
        assert!(
            shd <= 3 && shd + 2 <= best_alone,
            "{shd} together, {best_alone} alone"
        );
        let entropy: Vec<f64> = (together.belief().unwrap().outcome.rounds.iter())
            .map(|round| round.consensus_entropy)
            .collect();
        let last = entropy[entropy.len() - 1];
        assert!(last < 0.5 * entropy[0], "{entropy:?}");
    }
}
