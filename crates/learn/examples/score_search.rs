//! The score search by itself, on one table: questions, numbers, time, wrong edges.
//!
//! `cargo run --release -p fedcdi-learn --example score_search FILE OBS INT [SITES]`
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use std::path::Path;
use std::time::Instant;

use fedcdi_core::graph::shd;
use fedcdi_core::{Dag, Knowledge};
use fedcdi_data::Study;
use fedcdi_data::read::TableOptions;
use fedcdi_learn::score::rows;
use fedcdi_score::{Ask, Outline, Search, SearchParams};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let study = Study::read(Path::new(&args[1]), &TableOptions::default()).unwrap();
    let data = study.pool();
    let number = |at: usize| {
        args.get(at)
            .and_then(|x| x.parse::<usize>().ok())
            .filter(|x| *x > 0)
    };
    let data = data.first(number(2), number(3));
    let n_sites = number(4).unwrap_or(1);
    let verbose = std::env::var("VERBOSE").is_ok();
    let begin = Instant::now();
    let mut sites: Vec<_> = (0..n_sites)
        .map(|k| rows(&data.select(&(k..data.n_samples()).step_by(n_sites).collect::<Vec<_>>())))
        .collect();
    let sizes = data.schema().ids().map(|v| {
        let variable = data.schema().variable(v);
        (!variable.is_real()).then(|| variable.n_categories())
    });
    let outline = Outline(sizes.collect());
    let start: Option<Dag> = std::env::var("TRUTH")
        .ok()
        .map(|_| study.truth().unwrap().clone());
    let mut search = Search::new(
        outline.clone(),
        Knowledge::none(data.n_vars()),
        SearchParams::default(),
        start,
    );
    let (mut questions, mut numbers, mut slopes, mut outlooks, mut counts) = (0, 0, 0, 0, 0);
    let (mut at_sites, mut thinking) = (0.0, 0.0);
    while let Some(ask) = search.ask().cloned() {
        questions += 1;
        numbers += ask.n_numbers(&outline);
        if let Ask::Sums(sums) = &ask {
            slopes += sums.slopes.iter().filter(|s| !s.outlook).count();
            outlooks += sums.slopes.iter().filter(|s| s.outlook).count();
            counts += sums.counts.len();
            if verbose {
                println!(
                    "q{questions} edges {} moves {} counts {} slopes {} outlooks {}",
                    search.n_edges(),
                    search.n_moves(),
                    sums.counts.len(),
                    sums.slopes.iter().filter(|s| !s.outlook).count(),
                    sums.slopes.iter().filter(|s| s.outlook).count()
                );
            }
        }
        let t = Instant::now();
        let mut sum = vec![0i64; ask.n_numbers(&outline)];
        for site in &mut sites {
            let part = site.sums(&ask);
            assert_eq!(part.len(), sum.len());
            sum.iter_mut().zip(part).for_each(|(a, b)| *a += b);
        }
        at_sites += t.elapsed().as_secs_f64();
        let t = Instant::now();
        search.take(&sum);
        thinking += t.elapsed().as_secs_f64();
    }
    let t = Instant::now();
    let found = search.found();
    let last = t.elapsed().as_secs_f64();
    let truth = study.truth().unwrap();
    println!(
        "{} SHD {} edges {} of {} score {:.3} | {:.2} s (sites {at_sites:.2}, search {thinking:.2}, last {last:.2}) questions {questions} numbers {numbers} evals {slopes} outlooks {outlooks} counts {counts} moves {}",
        Path::new(&args[1]).file_stem().unwrap().display(),
        shd(truth, &found.dag),
        found.dag.n_edges(),
        truth.n_edges(),
        found.score,
        begin.elapsed().as_secs_f64(),
        found.n_moves
    );
    if std::env::var("EDGES").is_ok() {
        for (c, e) in found.dag.edges() {
            let status = if truth.has_edge(c, e) {
                "ok"
            } else if truth.has_edge(e, c) {
                "TURNED"
            } else {
                "EXTRA"
            };
            println!("  {c:?}->{e:?} {status} {:.1}", found.nats[(c.0, e.0)]);
        }
        for (c, e) in truth
            .edges()
            .filter(|(c, e)| !found.dag.has_edge(*c, *e) && !found.dag.has_edge(*e, *c))
        {
            println!("  {c:?}->{e:?} MISSING {:.1}", found.nats[(c.0, e.0)]);
        }
    }
}
