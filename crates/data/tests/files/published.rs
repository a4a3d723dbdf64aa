//! Published files load with their published sizes. The files are not part of the repository:
//! without the folder every test here says on standard error that it was skipped, and passes.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use fedcdi_data::networks::Builtin;
use fedcdi_data::read::{TableOptions, read_bif, read_graph, read_table};
use fedcdi_data::{Mechanism, Network};

fn files(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        // Not by `eprintln`, which the test harness hides where a test passes.
        let text = format!(
            "SKIPPED: no folder {} with .{extension} files\n",
            folder.display()
        );
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    assert!(
        !files.is_empty(),
        "{} has no .{extension} files",
        folder.display()
    );
    files
}

#[test]
fn every_archive_loads_with_its_graph() {
    for path in files("npz") {
        let table = read_table(&path, &TableOptions::default()).unwrap();
        let (dataset, truth) = (table.dataset, table.truth.unwrap());
        let n = dataset.n_vars();
        assert_eq!(dataset.observational().len(), 25_000, "{}", path.display());
        assert_eq!(dataset.interventional_counts(), vec![250; n]);
        assert_eq!(truth.n_vars(), n);
        assert_eq!(read_graph(&path).unwrap().graph, truth.into_digraph());
    }
}

#[test]
fn every_network_loads_with_its_published_size() {
    for path in files("bif") {
        let network = read_bif(&path).unwrap();
        let sizes = (network.schema().n_vars(), network.dag().n_edges());
        let expected = match path.file_stem().unwrap().to_str().unwrap() {
            "asia" => (8, 8),
            "sachs" => (11, 17),
            "alarm" => (37, 46),
            other => panic!("no published size for {other}"),
        };
        assert_eq!(sizes, expected);
        assert_eq!(read_graph(&path).unwrap().graph.n_edges(), sizes.1);
    }
}

#[test]
fn archives_of_networks_have_the_graph_of_the_network() {
    let networks = files("bif");
    let mut n_compared = 0;
    for path in &networks {
        let archive = path.to_str().unwrap().replace(".bif", "_s0.npz");
        if !Path::new(&archive).exists() {
            continue;
        }
        let network = read_graph(path).unwrap();
        let graph = read_graph(Path::new(&archive)).unwrap();
        assert_eq!(
            graph.aligned_to(&network.names).unwrap().graph,
            network.graph
        );
        n_compared += 1;
    }
    assert!(
        n_compared > 0 || networks.is_empty(),
        "no network has an archive"
    );
}

/// Every number of a network under the names of what it is about, in any order of file.
fn numbers(network: &Network) -> BTreeMap<Vec<(String, String)>, f64> {
    let schema = network.schema();
    let label = |var, code: usize| {
        let variable = schema.variable(var);
        (variable.name.clone(), variable.categories()[code].clone())
    };
    let mut numbers = BTreeMap::new();
    for (var, mechanism) in schema.ids().zip(network.mechanisms()) {
        let Mechanism::Table(table) = mechanism else {
            panic!("{} has no table", schema.name(var));
        };
        for (values, law) in table.rows() {
            let parents = table.parents().iter().zip(&values);
            let mut given: Vec<_> = parents.map(|(p, v)| label(*p, usize::from(*v))).collect();
            given.sort();
            for (code, p) in law.iter().enumerate() {
                let mut key = vec![label(var, code)];
                key.extend(given.clone());
                numbers.insert(key, *p);
            }
        }
    }
    numbers
}

#[test]
fn built_in_networks_have_the_tables_of_the_published_files() {
    for path in files("bif") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let builtin = Builtin::ALL.into_iter().find(|b| b.name() == name).unwrap();
        let (ours, published) = (numbers(&builtin.load()), numbers(&read_bif(&path).unwrap()));
        assert_eq!(ours.len(), published.len(), "{name}");
        for (key, p) in &published {
            assert!((ours[key] - p).abs() < 1e-6, "{name}: {key:?}");
        }
    }
}
