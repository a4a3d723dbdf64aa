//! Accuracy of centralised discovery on a folder of `.npz` files with known truth, as a table:
//!
//! ```sh
//! cargo run --release -p fedcdi-experiment --example accuracy -- FOLDER SEEDS OBS INT [PREFIX..]
//! ```
//!
//! OBS and INT limit the observational rows and the rows per intervention; 0 means all. Only files
//! whose name starts with one of the prefixes are used.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use fedcdi_data::Study;
use fedcdi_data::read::TableOptions;
use fedcdi_experiment::{DiscoverSpec, RowLimits, Scores, discover};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, seeds, obs, int, prefixes @ ..] = &arguments[..] else {
        return Err("usage: accuracy FOLDER SEEDS OBS INT [PREFIX..]".into());
    };
    let rows = RowLimits {
        observational: limit(obs)?,
        per_intervention: limit(int)?,
    };
    println!("| file | DAG SHD per seed | missing / extra / reversed | raw SHD per seed |");
    println!("|---|---|---|---|");
    let (mut total, mut total_raw, mut runs) = (0, 0, 0);
    for path in files(Path::new(folder), prefixes)? {
        let scores = score(&path, seeds.parse()?, rows)?;
        println!("{}", line(&path, &scores));
        total += scores.iter().map(|s| s.graph.shd).sum::<usize>();
        total_raw += scores.iter().map(|s| s.shd_raw).sum::<usize>();
        runs += scores.len();
    }
    let mean = |total: usize| total as f64 / runs as f64;
    println!(
        "| mean of {runs} | {:.2} | | {:.2} |",
        mean(total),
        mean(total_raw)
    );
    Ok(())
}

/// 0 means no limit.
fn limit(text: &str) -> Result<Option<usize>, std::num::ParseIntError> {
    let rows: usize = text.parse()?;
    Ok((rows > 0).then_some(rows))
}

fn files(folder: &Path, prefixes: &[String]) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let wanted = prefixes.is_empty() || prefixes.iter().any(|p| name.starts_with(p.as_str()));
        if wanted && name.ends_with(".npz") {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn score(path: &Path, seeds: u64, rows: RowLimits) -> Result<Vec<Scores>, Box<dyn Error>> {
    let study = Study::read(path, &TableOptions::default())?;
    let data = study.pool();
    let mut scores = Vec::new();
    for seed in 0..seeds {
        let spec = DiscoverSpec {
            rows,
            seed,
            ..DiscoverSpec::default()
        };
        let found = discover(&data, study.truth(), &spec, None)?;
        scores.push(found.scores.ok_or("the file has no true graph")?);
    }
    Ok(scores)
}

fn line(path: &Path, scores: &[Scores]) -> String {
    let joined = |of: &dyn Fn(&Scores) -> String| {
        let parts: Vec<String> = scores.iter().map(of).collect();
        parts.join(", ")
    };
    let errors = |s: &Scores| {
        let counts = &s.graph.confusion;
        format!("{}/{}/{}", counts.missing, counts.extra, counts.reversed)
    };
    format!(
        "| {} | {} | {} | {} |",
        path.file_stem().unwrap_or_default().to_string_lossy(),
        joined(&|s| s.graph.shd.to_string()),
        joined(&errors),
        joined(&|s| s.shd_raw.to_string()),
    )
}
