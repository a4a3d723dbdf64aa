//! One graph-fitting step against a short reference without any of the tricks.

mod common;

use common::{Reference, World};
use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Belief, Seed};
use fedcdi_learn::Pool;
use fedcdi_learn::conditional::{Conditional, Scratch};
use fedcdi_learn::draws::{Draws, threshold};
use fedcdi_learn::enco::graph_fit::{GraphContext, GraphFit};
use fedcdi_learn::enco::logits::EdgeLogits;
use fedcdi_learn::enco::prior::PriorTerm;
use fedcdi_learn::enco::{EdgeRules, EncoParams, Estimator, PriorLoss};
use fedcdi_learn::nn::AdamParams;
use fedcdi_learn::samples::{Batch, Samples};
use ndarray::Array2;
use proptest::prelude::*;
use rand::RngExt;

/// Mean NLL of `effect` over the batch when its parents are `parents`, in f64.
fn nll(
    reference: &Reference,
    samples: &Samples,
    rows: &[u32],
    effect: usize,
    parents: &[bool],
) -> f64 {
    let one = |&row: &u32| {
        let values = samples.sample(row);
        let list: Vec<(u32, f64)> = (0..parents.len())
            .filter(|i| parents[*i])
            .map(|i| (values[i], 1.0))
            .collect();
        let category = values[effect] as usize - samples.rows_of(effect).start;
        reference.nll(&list, category, samples.n_categories(effect))
    };
    rows.iter().map(one).sum::<f64>() / rows.len() as f64
}

/// D by its definition: mean over graphs with the edge minus mean over graphs without.
fn definition(graphs: &[Vec<bool>], losses: &[f64], cause: usize) -> Option<f64> {
    let mean = |wanted: bool| {
        let chosen = graphs
            .iter()
            .zip(losses)
            .filter(|(g, _)| g[cause] == wanted);
        let chosen: Vec<f64> = chosen.map(|(_, l)| *l).collect();
        (!chosen.is_empty()).then(|| chosen.iter().sum::<f64>() / chosen.len() as f64)
    };
    Some(mean(true)? - mean(false)?)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn one_graph_step_equals_its_definition(
        categories in prop::collection::vec(2..5usize, 2..7),
        hidden in prop::collection::vec(3..40usize, 1..3),
        n_graphs in 2..30usize,
        seed in any::<u64>(),
    ) {
        let n = categories.len();
        let world = World::new(&categories, &[(0, 1)], seed);
        // Every pair is separated by some regime, so no orientation moves by the indirect rule.
        let targets: Vec<[usize; 1]> = (0..n).map(|v| [v]).collect();
        let regimes: Vec<&[usize]> = targets.iter().map(|t| &t[..]).collect();
        let data = world.data(5, &regimes, 40, seed);
        let samples = Samples::new(&data);
        let params = EncoParams { graphs: n_graphs, estimator: Estimator::Difference, ..EncoParams::default() };
        let mut rng = Seed::new(seed).derive("test", 0).rng();
        let mut matrix = || Array2::from_shape_fn((n, n), |_| rng.random_range(-2.0..2.0));
        let (existence, skew) = (matrix(), matrix());
        let belief = Belief::new(existence, &skew - &skew.t()).unwrap();
        let rules = EdgeRules::none(n);
        let before = EdgeLogits::from_belief(&belief, 7.0, &rules);
        let prior = PriorTerm::new(PriorLoss::None, &belief);
        let conditionals: Vec<Conditional> = (0..n)
            .map(|j| Conditional::new(&samples, j, &hidden, 0.1, &Seed::new(seed).derive("net", j)))
            .collect();
        let pool: Pool<Scratch> = Pool::default();
        let context = GraphContext {
            params: &params, samples: &samples, conditionals: &conditionals,
            rules: &rules, prior: &prior, scratch: &pool,
        };
        let stream = Seed::new(seed).derive("fit", 0);
        let mut fit = GraphFit::new(&params, &samples, &stream);
        let rows = &samples.interventional()[0].samples;
        let mut batch = Batch::default();
        batch.fill(&samples, rows);
        let mut after = before.clone();
        fit.step(&context, &mut after, (&batch, &[0]), None);

        for (effect, conditional) in conditionals.iter().enumerate() {
            let reference = Reference::new(conditional.network(), 0.1);
            let mut draws = Draws::new(&stream.derive("graphs", effect));
            let graphs: Vec<Vec<bool>> = (0..n_graphs).map(|_| {
                let mut numbers = vec![0; n];
                draws.fill(&mut numbers);
                (0..n).map(|i| numbers[i] < threshold(before.probability(i, effect))).collect()
            }).collect();
            let losses: Vec<f64> = graphs.iter()
                .map(|g| nll(&reference, &samples, rows, effect, g)).collect();
            for cause in 0..n {
                let expected = if effect == 0 { None } else { definition(&graphs, &losses, cause) };
                let found = fit.differences()[effect][cause];
                prop_assert_eq!(found.is_some(), expected.is_some());
                let Some(d) = expected else { continue };
                let scale = losses.iter().fold(0.0f64, |s, l| s.max(l.abs()));
                prop_assert!((found.unwrap() - d).abs() < 1e-5 * scale);
                // The first step of Adam moves by its rate times g / (|g| + epsilon) against the
                // gradient g; epsilon matters for orientations only.
                let (g, t) = (before.existence[(cause, effect)], before.orientation[(cause, effect)]);
                let gradient = sigmoid(g) * sigmoid(-g) * sigmoid(t) * (d + params.sparsity);
                let moved = after.existence[(cause, effect)] - g;
                if gradient.abs() > 1e-4 {
                    prop_assert!((moved + params.existence_rate * gradient.signum()).abs() < 1e-4);
                }
                let turned = after.orientation[(cause, effect)] - t;
                let pull = sigmoid(t) * sigmoid(-t) * sigmoid(g) * d;
                if cause != 0 {
                    prop_assert_eq!(turned, 0.0);
                } else if pull.abs() > 1e-4 {
                    let part = pull / (pull.abs() + params.orientation_epsilon);
                    prop_assert!((turned + params.orientation_rate * part).abs() < 1e-4);
                }
            }
        }
    }
}

/// Adam that moves by the gradient itself: no memory, and an epsilon that swamps the root.
const PLAIN: AdamParams = AdamParams {
    rate: 1e6,
    beta1: 0.0,
    beta2: 0.0,
    epsilon: 1e6,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn one_distribution_step_equals_its_definition(
        categories in prop::collection::vec(2..4usize, 2..6),
        hidden in prop::collection::vec(3..20usize, 1..3),
        n_rows in 1..30usize,
        seed in any::<u64>(),
    ) {
        let n = categories.len();
        let samples = Samples::new(&World::new(&categories, &[(0, 1)], seed).data(n_rows, &[], 0, seed));
        let effect = n - 1;
        let thresholds: Vec<u32> = (0..n).map(|i| if i == effect { 0 } else { threshold(0.6) }).collect();
        let mut batch = Batch::default();
        batch.fill(&samples, samples.observational());
        let before = Conditional::new(&samples, effect, &hidden, 0.1, &Seed::new(seed));
        let mut after = before.clone();
        let (stream, step) = (Seed::new(seed).derive("draws", 0), PLAIN.step(1, 0.0));
        let mut scratch = Scratch::new(&samples, n_rows);
        let nll = after.fit_step(&batch, 0..n_rows, &thresholds, &mut Draws::new(&stream), &step, &mut scratch);

        let mut draws = Draws::new(&stream);
        let inputs: Vec<(Vec<(u32, f64)>, usize)> = samples.observational().iter().map(|&row| {
            let (values, mut numbers) = (samples.sample(row), vec![0; n]);
            draws.fill(&mut numbers);
            let parents = (0..n).filter(|i| numbers[*i] < thresholds[*i]);
            let list = parents.map(|i| (values[i], 1.0)).collect();
            (list, values[effect] as usize - samples.rows_of(effect).start)
        }).collect();
        let loss = |r: &Reference| {
            let one = |(list, x): &(Vec<_>, usize)| r.nll(list, *x, categories[effect]);
            inputs.iter().map(one).sum::<f64>() / inputs.len() as f64
        };
        let reference = Reference::new(before.network(), 0.1);
        let moved = Reference::new(after.network(), 0.1);
        prop_assert!((nll - loss(&reference)).abs() < 1e-5);
        let here = loss(&reference);
        // None at a kink, where an activation is so close to 0 that rounding decides its side.
        let slope = |weight: &dyn Fn(&mut Reference) -> &mut f64| {
            let [mut up, mut down] = [reference.clone(), reference.clone()];
            *weight(&mut up) += 1e-6;
            *weight(&mut down) -= 1e-6;
            let (right, left) = ((loss(&up) - here) / 1e-6, (here - loss(&down)) / 1e-6);
            ((right - left).abs() < 1e-5).then_some(0.5 * (right + left))
        };
        let (n_table, n_layer) = (reference.table.len(), reference.layers[0].0.len());
        let mut kinks = 0;
        for k in 0..n_table {
            let found = reference.table[k] - moved.table[k];
            match slope(&|r| &mut r.table[k]) {
                Some(slope) => prop_assert!((found - slope).abs() < 1e-5),
                None => kinks += 1,
            }
        }
        for k in 0..n_layer {
            let found = reference.layers[0].0[k] - moved.layers[0].0[k];
            match slope(&|r| &mut r.layers[0].0[k]) {
                Some(slope) => prop_assert!((found - slope).abs() < 1e-5),
                None => kinks += 1,
            }
        }
        prop_assert!(2 * kinks < n_table + n_layer, "{} kinks", kinks);
    }
}
