//! The policy's smallest group: rows of smaller groups leave no trace in anything that a site sends.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use fedcdi_core::{Belief, Choice, ClientId, EdgeTest, KnowledgeFile, Seed, Tested};
use fedcdi_data::read::{TableOptions, read_table};
use fedcdi_data::study::read_schema;
use fedcdi_learn::registry::Inputs;
use fedcdi_protocol::Policy;
use fedcdi_study::kit::{SiteFile, StudyFile, open_coordinator};
use fedcdi_study::{Catalogue, Method, Reading};
use ndarray::Array2;
use tempfile::TempDir;

const STUDY: &str = "name = \"s\"\nsites = [\"basel\", \"bern\"]\nschema = \"schema.json\"\nmoves = \"use\"\n\
                     [coordinator]\nrounds = 3\n[disclosure]\nfirst_tests = 1\n";
const SCHEMA: &str = r#"{"variables": [{"name": "a", "categories": ["0", "1", "2"]},
    {"name": "b", "categories": ["0", "1", "2"]}, {"name": "c", "categories": ["0", "1", "2"]}]}"#;

struct Place(TempDir);

impl Place {
    fn new(policy: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.at("schema.json"), SCHEMA).unwrap();
        fs::write(place.at("study.toml"), STUDY).unwrap();
        fs::write(place.at("policy.toml"), policy).unwrap();
        let study = StudyFile::read(&place.at("study.toml")).unwrap();
        study.provision(&place.at("kits")).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn site(&self, site: &str, state: &str, table: &str) -> SiteFile {
        let data = self.at(&format!("{state}.csv"));
        fs::write(&data, table).unwrap();
        SiteFile {
            name: site.to_owned(),
            kit: self.at("kits").join(site),
            data,
            policy: Some(self.at("policy.toml")),
            state: self.at(state),
            read: Reading::default(),
        }
    }

    /// Everything that two sites with these tables send in a study.
    fn sent(&self, tables: [&str; 2], state: &str) -> Vec<(ClientId, Vec<u8>)> {
        let mut coordinator = open_coordinator(
            &self.at("kits/coordinator"),
            &self.at(&format!("{state}-ledger")),
        )
        .unwrap();
        let names = ["basel", "bern"];
        let mut sites: Vec<_> = (0..2)
            .map(|at| {
                self.site(names[at], &format!("{state}-{at}"), tables[at])
                    .open(None)
                    .unwrap()
            })
            .collect();
        let mut sent = Vec::new();
        while coordinator.number().is_some() {
            for (site, question) in coordinator.questions() {
                let answer = sites[site.0 as usize - 1].answer(&question).unwrap();
                assert!(answer.declined.is_none(), "{:?}", answer.declined);
                coordinator.receive(site, &answer.bytes).unwrap();
                sent.push((site, answer.bytes));
            }
        }
        sent
    }
}

/// Observational rows, then rows under interventions on a, all in large groups.
fn rows() -> String {
    let row = |at: usize| {
        let (a, b) = (at % 3, (at + at / 7 % 2) % 3);
        format!("{a},{b},{},{}\n", (b + at / 5 % 2) % 3, ["", "a"][at / 90])
    };
    (0..150).map(row).collect()
}

fn table(rows: &str) -> String {
    format!("a,b,c,intervention\n{rows}")
}

#[test]
fn one_row_per_target_leaves_no_trace() {
    let place = Place::new("smallest_group = 10\n");
    let with = rows() + "0,1,2,b\n2,2,2,c\n1,1,1,a;b\n";
    let whole = table(&rows());
    let sent = place.sent([&table(&with), &whole], "with");
    assert!(sent.len() >= 8, "{}", sent.len());
    assert!(
        sent == place.sent([&whole, &whole], "without"),
        "the three rows are seen in the answers"
    );
    let profile = String::from_utf8_lossy(&sent[0].1).into_owned();
    assert!(profile.contains("\"targets\":[\"a\"]"), "{profile}");
    let site = place
        .site("basel", "notes", &table(&with))
        .prepare()
        .unwrap();
    let expected = "groups of fewer than 10 rows take no part (smallest_group): 1 under an intervention on a and b, \
                    1 under an intervention on b, 1 under an intervention on c";
    assert_eq!(site.notes(), [expected]);
}

#[test]
fn without_the_limit_the_same_rows_are_seen() {
    let place = Place::new("smallest_group = 1\n");
    let with = rows() + "0,1,2,b\n2,2,2,c\n";
    let whole = table(&rows());
    let sent = place.sent([&table(&with), &whole], "with");
    let profile = String::from_utf8_lossy(&sent[0].1).into_owned();
    assert!(
        profile.contains("\"targets\":[\"a\",\"b\",\"c\"]"),
        "{profile}"
    );
}

#[test]
fn a_site_with_ten_rows_takes_part_with_groups_that_are_large_enough_or_not_at_all() {
    let (obs, on_a) = (
        "0,0,0,\n1,1,1,\n2,2,2,\n0,1,0,\n1,2,1,\n",
        "0,0,0,a\n1,0,0,a\n2,1,0,a\n1,1,1,a\n",
    );
    let ten = table(&format!("{obs}{on_a}1,1,1,b\n"));
    let place = Place::new("smallest_group = 10\n");
    let refused = place.site("basel", "ten", &ten).open(None);
    let text = refused.err().expect("it stays out").to_string();
    let told = "this site has 10 rows, and its largest group of rows under one intervention, or under none, has 5";
    assert!(text.contains(told), "{text}");
    assert!(!place.at("ten").exists(), "the state was touched");
    let place = Place::new("smallest_group = 4\n");
    let (nine, whole) = (table(&format!("{obs}{on_a}")), table(&rows()));
    assert!(place.sent([&ten, &whole], "ten") == place.sent([&nine, &whole], "nine"));
}

/// What a site finds in tests of all pairs, with cells as large as the policy asks for.
fn tests(place: &Place, table: &str) -> Vec<EdgeTest> {
    let path = place.at("tested.csv");
    fs::write(&path, table).unwrap();
    let schema = Arc::new(read_schema(&place.at("schema.json")).unwrap().schema);
    let table = read_table(&path, &TableOptions::with_schema(Arc::clone(&schema))).unwrap();
    let enco = Choice::named("enco");
    let catalogue = Catalogue::default();
    let Ok(Method::Local(local)) = catalogue.methods.build(&enco) else {
        panic!("enco is a local method");
    };
    let method = local.at(Inputs {
        data: &table.dataset,
        knowledge: &KnowledgeFile::default().check(&schema).unwrap(),
        seed: Seed::new(1),
        alone: false,
        observer: None,
    });
    let mut psi = Array2::zeros((3, 3));
    psi[[0, 1]] = 0.9;
    let belief = Belief::from_psi(&psi).unwrap();
    let which = Tested {
        edges: true,
        absent: true,
    };
    let smallest = Policy::default().smallest_cell;
    method.ok().unwrap().tests(&belief, which, smallest)
}

#[test]
fn a_category_seen_once_is_in_no_test() {
    let place = Place::new("");
    // No row has a = 2, but one of the second table.
    let rows = rows().replace("\n2,", "\n1,");
    // Of b and c alone the row may say what it likes: there it is one of many.
    let of_a = |table: String| {
        let mut tests = tests(&place, &table);
        tests.retain(|test| (test.cause.0, test.effect.0) != (1, 2));
        tests
    };
    let without = of_a(table(&rows));
    assert_eq!(without.len(), 4, "{without:?}");
    assert_eq!(of_a(table(&(rows + "2,0,1,\n"))), without);
}
