//! Files of a study with bits flipped, cut, spliced and repeated: whoever reads them says what is wrong, or
//! takes them for what they are. Nothing panics, and nothing takes more memory than its file has a claim to.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use fedcdi_data::study::read_schema;
use fedcdi_network::kit::{Joining, provision};
use fedcdi_network::request::request;
use fedcdi_study::dictionary::Part;
use fedcdi_study::kit::{SiteFile, SiteKit, StudyFile, open_coordinator};
use rand::rngs::StdRng;
use rand::{Rng, RngExt as _, SeedableRng as _};
use tempfile::TempDir;

const SCHEMA: &str = r#"{"variables":[{"name":"dose","kind":"real"},{"name":"a","categories":["0","1"]},{"name":"b","categories":["x","y","other"]}],"other":"other"}"#;
const PART: &str = r#"{"rare":10,"variables":[{"name":"a","categories":["0","1"],"hidden":2},{"name":"dose","kind":"real"}]}"#;
const STUDY: &str = "name = \"s\"\nsites = [\"basel\", \"bern\"]\nschema = \"schema.json\"\naddress = \"127.0.0.1:1\"\ndeadline = 60\n\
                     seed = 3\n[coordinator]\nrounds = 3\nquorum = 0.5\n[local]\nname = \"enco\"\nsettings = { epochs = 1, hidden = [8, 8] }\n\
                     [aggregate]\nkind = \"naive\"\n[knowledge]\nforbidden = [[\"a\", \"b\"]]\n";
const POLICY: &str = "methods = [\"enco\"]\nrounds = 100\nsmallest_group = 10\nsmallest_cell = 5\nrow_band = 5\nlongest_answer = 86400\ntests = true\nprofile = true\n";
const SITE: &str = "name = \"basel\"\nkit = \"kits/basel\"\ndata = \"data.csv\"\npolicy = \"policy.toml\"\nstate = \"state\"\n";
/// Text that files have, to be put anywhere.
const WORDS: [&str; 14] = [
    "\"",
    "{",
    "}",
    "[",
    "]",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "\\ud800",
    "\n",
    "-----END",
    "=",
    "\u{feff}",
];

/// A study with its kits.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            ("schema.json", SCHEMA),
            ("part.json", PART),
            ("study.toml", STUDY),
            ("policy.toml", POLICY),
            ("site.toml", SITE),
        ] {
            fs::write(place.at(name), text).unwrap();
        }
        request("bern", &place.at("requests")).unwrap();
        let study = StudyFile::read(&place.at("study.toml")).unwrap();
        provision(&study, "127.0.0.1:1", &place.at("kits"), None).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// One to three changes.
fn damaged(rng: &mut impl Rng, good: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..=bytes.len());
        let end = rng.random_range(at..=bytes.len());
        match rng.random_range(0..6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random_range(b' '..=b'~'),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end.min(at + 20))),
            4 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    bytes
}

/// Reads so many damaged versions of a file; how many were taken.
fn check(place: &Place, file: &str, n: usize, reads: impl Fn(&Place, &Path) -> bool) -> usize {
    let (path, mut rng) = (place.at(file), StdRng::seed_from_u64(7));
    let good = fs::read(&path).unwrap();
    assert!(reads(place, &path), "{file} as it is");
    let mut n_taken = 0;
    for _ in 0..n {
        fs::write(&path, damaged(&mut rng, &good)).unwrap();
        n_taken += usize::from(reads(place, &path));
    }
    fs::write(&path, good).unwrap();
    n_taken
}

fn site_kit(place: &Place, _: &Path) -> bool {
    let kit = place.at("kits/basel");
    SiteKit::read(&kit, "basel", Some(&place.at("policy.toml"))).is_ok()
}

fn joining(place: &Place, _: &Path) -> bool {
    Joining::from(&place.at("kits/basel")).name().is_ok()
}

fn coordinator(place: &Place, _: &Path) -> bool {
    open_coordinator(&place.at("kits/coordinator"), &place.at("ledger")).is_ok()
}

fn provisioned(place: &Place, _: &Path) -> bool {
    let study = StudyFile::read(&place.at("study.toml")).unwrap();
    let (out, requests) = (place.at("again"), place.at("requests"));
    let made = provision(&study, "127.0.0.1:1", &out, Some(&requests));
    let _ = fs::remove_dir_all(out);
    made.is_ok()
}

#[test]
fn damaged_text_is_refused_or_taken_for_what_it_is() {
    let place = Place::new();
    let taken = [
        check(&place, "schema.json", 5_000, |_, path| {
            read_schema(path).is_ok()
        }),
        check(&place, "part.json", 5_000, |_, path| {
            Part::read(path).is_ok()
        }),
        check(&place, "study.toml", 5_000, |_, path| {
            StudyFile::read(path).is_ok()
        }),
        check(&place, "site.toml", 5_000, |_, path| {
            SiteFile::read(path).is_ok()
        }),
        check(&place, "policy.toml", 3_000, site_kit),
        check(&place, "kits/basel/plan.json", 3_000, site_kit),
        check(&place, "kits/basel/dictionary.json", 3_000, site_kit),
        check(&place, "kits/basel/network.json", 3_000, joining),
    ];
    // Some changes matter to nobody, as those of a name or a blank.
    assert!(taken[..5].iter().all(|n| *n > 10), "{taken:?}");
    assert!(peak_memory() < 500, "{} MB", peak_memory());
}

#[test]
fn damaged_keys_and_certificates_are_refused() {
    let place = Place::new();
    for file in ["authority.pem", "certificate.pem", "key.pem"] {
        let n_taken = check(&place, &format!("kits/basel/{file}"), 1_000, joining);
        // Text around a certificate does not matter.
        assert!(n_taken < 500, "{file}: {n_taken}");
    }
    check(&place, "requests/bern.request.pem", 300, provisioned);
}

#[test]
fn damaged_kits_of_a_coordinator_are_refused_or_taken_for_what_they_are() {
    let place = Place::new();
    check(&place, "kits/coordinator/plan.json", 500, coordinator);
}

/// Megabytes that this process ever had, where the system says so.
fn peak_memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.map_or(0, |text| text.trim().parse::<usize>().unwrap() / 1024)
}
