//! Generated samples against the laws they should follow, by chi-square over several seeds. Each
//! claim has a control: the same test applied to a wrong law must fail clearly.
#![allow(clippy::unwrap_used)]

use fedcdi_core::{Dataset, Regime, Seed, VarId};
use fedcdi_data::{GraphKind, InterventionKind, Mechanism, Network, SamplePlan, SetTo, sample};
use statrs::distribution::{ChiSquared, ContinuousCDF};

const ROWS: usize = 40_000;

fn network(seed: u64) -> Network {
    let kind = GraphKind::Er { degree: 1.5 };
    let dag = kind.draw(8, Seed::new(seed)).unwrap();
    Network::random(&dag, 4, Seed::new(seed)).unwrap()
}

fn draw(network: &Network, regime: Regime, kind: InterventionKind, seed: u64) -> Dataset {
    let regimes = vec![(regime, ROWS)];
    sample(
        network,
        &SamplePlan {
            regimes,
            kind,
            set_to: SetTo::default(),
        },
        Seed::new(seed),
        &|_| (),
    )
}

/// P value of "`var` follows `law` in these samples", summed over all values of its parents.
fn p_value(data: &Dataset, var: VarId, law: &Mechanism) -> f64 {
    let n_categories = law.n_categories();
    let n_configurations = law.parent_categories().iter().product::<usize>();
    let mut counts = vec![0.0; n_configurations * n_categories];
    let configuration = |sample: usize| -> Vec<u16> {
        law.parents()
            .iter()
            .map(|p| data.value(sample, *p))
            .collect()
    };
    let row = |values: &[u16]| {
        let digits = values.iter().zip(law.parent_categories());
        digits.fold(0, |row, (v, n)| row * n + usize::from(*v))
    };
    let mut laws = vec![vec![0.0; n_categories]; n_configurations];
    for sample in 0..data.n_samples() {
        let values = configuration(sample);
        let row = row(&values);
        law.probabilities(&values, &mut laws[row]);
        counts[row * n_categories + usize::from(data.value(sample, var))] += 1.0;
    }
    let (mut statistic, mut freedom) = (0.0, 0.0);
    for (counts, law) in counts.chunks(n_categories).zip(&laws) {
        let total: f64 = counts.iter().sum();
        // The chi-square law needs a few expected samples in every cell.
        if law.iter().any(|p| p * total < 5.0) {
            continue;
        }
        let terms = counts.iter().zip(law);
        statistic += terms
            .map(|(n, p)| (n - p * total).powi(2) / (p * total))
            .sum::<f64>();
        freedom += n_categories as f64 - 1.0;
    }
    assert!(
        freedom > 0.0,
        "no configuration was frequent enough to test"
    );
    ChiSquared::new(freedom).unwrap().sf(statistic)
}

/// Under the null hypothesis p values are uniform: none tiny, about one in twenty below 0.05.
fn assert_uniform(p_values: &[f64], claim: &str) {
    let least = p_values.iter().copied().fold(1.0, f64::min);
    assert!(least > 1e-5, "{claim}: smallest p value {least}");
    let low = p_values.iter().filter(|p| **p < 0.05).count() as f64 / p_values.len() as f64;
    assert!(low < 0.15, "{claim}: {low} of the p values are below 0.05");
}

#[test]
fn observational_samples_follow_every_mechanism() {
    let mut p_values = Vec::new();
    for seed in 0..6 {
        let network = network(seed);
        let data = draw(
            &network,
            Regime::Observational,
            InterventionKind::Perfect,
            seed + 100,
        );
        for var in network.dag().vars() {
            p_values.push(p_value(&data, var, &network.mechanisms()[var.index()]));
        }
    }
    assert_uniform(&p_values, "observational");
}

#[test]
fn a_perfect_intervention_makes_its_target_uniform_and_leaves_the_rest() {
    let (mut target_law, mut others) = (Vec::new(), Vec::new());
    for seed in 0..6 {
        let network = network(seed);
        let parents = |v: &VarId| network.dag().parents(*v).len();
        let target = network.dag().vars().max_by_key(parents).unwrap();
        assert!(
            parents(&target) > 0,
            "the target has parents to be cut off from"
        );
        let regime = Regime::intervened([target]);
        let data = draw(
            &network,
            regime.clone(),
            InterventionKind::Perfect,
            seed + 200,
        );
        for var in network.dag().vars() {
            let natural = &network.mechanisms()[var.index()];
            if var != target {
                others.push(p_value(&data, var, natural));
                continue;
            }
            // Uniform for every value of the old parents: uniform and independent of them.
            let parents = natural.parents().iter().copied();
            let parents = parents
                .zip(natural.parent_categories().iter().copied())
                .collect();
            let n_rows = natural.parent_categories().iter().product::<usize>();
            let uniform = fedcdi_data::Cpt::new(parents, 4, vec![0.25; 4 * n_rows]).unwrap();
            target_law.push(p_value(&data, var, &Mechanism::Table(uniform)));
            assert!(
                p_value(&data, var, natural) < 1e-12,
                "control: not the natural law"
            );
        }
    }
    assert_uniform(&target_law, "target");
    assert_uniform(&others, "others");
}

#[test]
fn several_targets_are_set_at_once() {
    let targets = [VarId(1), VarId(6)];
    let uniform = Mechanism::Table(fedcdi_data::Cpt::uniform(4));
    let mut p_values = Vec::new();
    for seed in 0..6 {
        let network = network(seed);
        let regime = Regime::intervened(targets);
        let data = draw(&network, regime, InterventionKind::Perfect, seed + 300);
        for var in network.dag().vars() {
            let natural = &network.mechanisms()[var.index()];
            let law = if targets.contains(&var) {
                &uniform
            } else {
                natural
            };
            p_values.push(p_value(&data, var, law));
        }
    }
    assert_uniform(&p_values, "two targets");
}

#[test]
fn a_soft_intervention_keeps_the_parents_under_another_law() {
    let uniform = Mechanism::Table(fedcdi_data::Cpt::uniform(4));
    let mut others = Vec::new();
    for seed in 0..4 {
        let network = network(seed);
        let target = network.dag().edges().next().unwrap().1;
        let regime = Regime::intervened([target]);
        let data = draw(&network, regime, InterventionKind::Soft, seed + 400);
        for var in network.dag().vars() {
            let p = p_value(&data, var, &network.mechanisms()[var.index()]);
            if var == target {
                assert!(p < 1e-12, "the law has changed");
                assert!(p_value(&data, var, &uniform) < 1e-12, "and is not uniform");
            } else {
                others.push(p);
            }
        }
    }
    assert_uniform(&others, "others under a soft intervention");
}

#[test]
fn evaluated_and_tabulated_laws_agree_with_the_mechanism() {
    // 7 parents of 6 categories are too many to tabulate, so this law is evaluated row by row.
    let dag = GraphKind::Collider.draw(8, Seed::new(0)).unwrap();
    let network = Network::random(&dag, 6, Seed::new(9)).unwrap();
    let effect = dag.edges().next().unwrap().1;
    let data = draw(
        &network,
        Regime::Observational,
        InterventionKind::Perfect,
        500,
    );
    let law = &network.mechanisms()[effect.index()];
    // Too many configurations for a table here too: compare the marginal law with the mean law.
    let (mut expected, mut variance) = (vec![0.0; 6], vec![0.0; 6]);
    let mut row = vec![0.0; 6];
    for sample in 0..data.n_samples() {
        let values: Vec<u16> = law
            .parents()
            .iter()
            .map(|p| data.value(sample, *p))
            .collect();
        law.probabilities(&values, &mut row);
        for (category, p) in row.iter().enumerate() {
            expected[category] += p;
            variance[category] += p * (1.0 - p);
        }
    }
    let counts = data.column(effect).counts(6);
    for category in 0..6 {
        let z = (counts[category] as f64 - expected[category]) / variance[category].sqrt();
        assert!(
            z.abs() < 4.5,
            "category {category} is {z} standard errors off"
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let network = network(5);
    let regimes = SamplePlan::every_variable(8);
    let plan = SamplePlan::even(10_000, 9_000, regimes, InterventionKind::Soft).unwrap();
    let with_threads = |n| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap();
        pool.install(|| sample(&network, &plan, Seed::new(6), &|_| ()))
    };
    assert_eq!(with_threads(1), with_threads(3));
}
