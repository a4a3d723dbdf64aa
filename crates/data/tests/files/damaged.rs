//! Files damaged at random: readers answer with a table or an error, never with a panic.

use crate::strategies;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fedcdi_core::Digraph;
use fedcdi_data::networks::Builtin;
use fedcdi_data::read::{TableOptions, read_belief, read_bif, read_graph, read_table};
use fedcdi_data::write::{Overwrite, write_bif, write_table};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// One change to a file; positions are fractions of its length.
#[derive(Clone, Debug)]
enum Damage {
    Flip(f64, u8),
    Replace(f64, u8),
    Delete(f64, usize),
    Insert(f64, Vec<u8>),
    Duplicate(f64, usize),
    CutOff(f64),
}

fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let at = || 0.0..1.0f64;
    let text = prop::sample::select(vec![
        ",",
        "\n",
        "\"",
        ";",
        "{",
        "}",
        "(",
        ")",
        "-1",
        "1e999",
        "nan",
        "table",
        "99999999999",
        "\0",
    ]);
    let one = prop_oneof![
        (at(), 0..8u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (at(), 1..20usize).prop_map(|(at, n)| Damage::Delete(at, n)),
        (at(), text).prop_map(|(at, text)| Damage::Insert(at, text.as_bytes().to_vec())),
        (at(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, b)| Damage::Insert(at, b)),
        (at(), 1..200usize).prop_map(|(at, n)| Damage::Duplicate(at, n)),
        at().prop_map(Damage::CutOff),
    ];
    prop::collection::vec(one, 1..4)
}

fn damaged(original: &[u8], changes: &[Damage]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for change in changes {
        let place = |at: &f64| (at * bytes.len() as f64) as usize;
        match change {
            _ if bytes.is_empty() => {}
            Damage::Flip(at, bit) => {
                let at = place(at);
                bytes[at] ^= 1 << bit;
            }
            Damage::Replace(at, byte) => {
                let at = place(at);
                bytes[at] = *byte;
            }
            Damage::Delete(at, n) => {
                let at = place(at);
                bytes.drain(at..(at + n).min(bytes.len()));
            }
            Damage::Insert(at, more) => {
                let at = place(at);
                bytes.splice(at..at, more.iter().copied());
            }
            Damage::Duplicate(at, n) => {
                let at = place(at);
                let part = bytes[at..(at + n).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            Damage::CutOff(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

/// A folder for the files of this test program.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().unwrap()).path()
}

fn write_damaged(name: &str, original: &[u8], changes: &[Damage]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, damaged(original, changes)).unwrap();
    path
}

/// A valid table in the format of this extension.
fn original(extension: &str) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let tree = strategies::archive_table().new_tree(&mut runner).unwrap();
    let table = tree.current();
    let path = folder().join(format!("original.{extension}"));
    let truth = Digraph::empty(table.n_vars());
    let options = TableOptions::default();
    write_table(&path, &table, Some(&truth), &options, Overwrite::Yes).unwrap();
    std::fs::read(path).unwrap()
}

fn read_damaged_table(extension: &str, bytes: &[u8], changes: &[Damage]) {
    let path = write_damaged(&format!("damaged.{extension}"), bytes, changes);
    let result = read_table(&path, &TableOptions::default());
    if let Err(error) = result {
        assert!(error.is_bad_input(), "{error}");
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn csv(changes in damage()) {
        static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
        read_damaged_table("csv", BYTES.get_or_init(|| original("csv")), &changes);
    }

    #[test]
    fn npz(changes in damage()) {
        static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
        read_damaged_table("npz", BYTES.get_or_init(|| original("npz")), &changes);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet(changes in damage()) {
        static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
        read_damaged_table("parquet", BYTES.get_or_init(|| original("parquet")), &changes);
    }

    #[test]
    fn bif(changes in damage()) {
        static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
        let bytes = BYTES.get_or_init(|| {
            let path = folder().join("original.bif");
            write_bif(&path, &Builtin::Asia.load(), Overwrite::Yes).unwrap();
            std::fs::read(path).unwrap()
        });
        let path = write_damaged("damaged.bif", bytes, &changes);
        if let Err(error) = read_bif(&path) {
            prop_assert!(error.is_bad_input(), "{error}");
        }
    }

    #[test]
    fn graphs(changes in damage(), which in 0..4usize) {
        let (name, text) = [
            ("damaged_matrix.csv", ",a,b\na,0,1\nb,0,0\n"),
            ("damaged_edges.csv", "cause,effect,probability\na,b,0.5\nc,,\n"),
            ("damaged_belief.csv", "cause,effect,probability,existence,orientation\na,b,0.25,0.0,0.0\nb,a,0.25,0.0,0.0\n"),
            ("damaged.json", r#"{"variables":["a","b"],"edges":[{"cause":"a","effect":"b","probability":0.5}]}"#),
        ][which];
        let path = write_damaged(name, text.as_bytes(), &changes);
        if let Err(error) = read_graph(&path) {
            prop_assert!(error.is_bad_input(), "{error}");
        }
        if let Err(error) = read_belief(&path) {
            prop_assert!(error.is_bad_input(), "{error}");
        }
    }
}
