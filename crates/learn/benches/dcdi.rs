//! Speed of DCDI on 20 variables: a thousand iterations early, when masks are undecided, and late,
//! when the weights of closed inputs have long decayed.

#[path = "../../rivals/benches/rivals_data/mod.rs"]
mod rivals_data;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fedcdi_core::{Belief, Seed};
use fedcdi_learn::dcdi::{Dcdi, DcdiParams};
use rivals_data::categorical;

/// DCDI after this many rounds of a thousand iterations.
fn learned(rounds: usize) -> (Dcdi, Belief) {
    let params = DcdiParams {
        iterations_per_round: 1000,
        ..DcdiParams::default()
    };
    let data = categorical();
    let dcdi = Dcdi::new(params, &data, Seed::new(0)).expect("categories");
    let start = (dcdi, Belief::uninformed(data.n_vars()));
    (0..rounds).fold(start, |state, _| learn(state))
}

fn learn((mut dcdi, belief): (Dcdi, Belief)) -> (Dcdi, Belief) {
    let belief = dcdi.learn(0, &belief).expect("it converges");
    (dcdi, belief)
}

fn dcdi(c: &mut Criterion) {
    let mut group = c.benchmark_group("dcdi");
    group.sample_size(10);
    for (name, before) in [("early", 0), ("late", 30)] {
        group.bench_function(name, |b| {
            b.iter_batched(|| learned(before), learn, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, dcdi);
criterion_main!(benches);
