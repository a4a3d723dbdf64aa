//! Files of a study with bits flipped, cut, spliced and repeated: whoever reads them says what is wrong, or
//! takes them for what they are. Nothing panics, and nothing takes more memory than its file has a claim to.
//! The same for messages of the carrier.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fedcdi_data::study::read_schema;
use fedcdi_network::kit::{Joining, provision};
use fedcdi_network::request::request;
use fedcdi_study::dictionary::Part;
use fedcdi_study::kit::{SiteFile, SiteKit, StudyFile, open_coordinator};
use prost::Message;
use rand::rngs::StdRng;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use tempfile::TempDir;

/// The messages of the carrier, as anybody may write them.
mod wire {
    #![allow(missing_docs, clippy::pedantic, unreachable_pub)]
    tonic::include_proto!("fedcdi.carrier.v1");
}

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
        // In memory where that can be: files are written by the million.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let place = Self(folder.unwrap());
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
        open_coordinator(&place.at("kits/coordinator"), &place.at("ledger")).unwrap();
        for (name, message) in messages() {
            fs::write(place.at(name), message).unwrap();
        }
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

/// Whether a file is taken.
type Reader = fn(&Place, &Path) -> bool;

/// Every kind of file that comes from somebody else, or that a program finds again; and messages.
const READERS: [(&str, Reader); 19] = [
    ("schema.json", |_, path| read_schema(path).is_ok()),
    ("part.json", |_, path| Part::read(path).is_ok()),
    ("study.toml", |_, path| StudyFile::read(path).is_ok()),
    ("site.toml", |_, path| SiteFile::read(path).is_ok()),
    ("policy.toml", site_kit),
    ("kits/basel/plan.json", site_kit),
    ("kits/basel/dictionary.json", site_kit),
    ("kits/basel/network.json", joining),
    ("kits/basel/authority.pem", joining),
    ("kits/basel/certificate.pem", joining),
    ("kits/basel/key.pem", joining),
    ("kits/coordinator/network.json", roster),
    ("kits/coordinator/plan.json", coordinator),
    ("ledger/journal", coordinator),
    ("requests/bern.request.pem", provisioned),
    ("next.request", message::<wire::NextRequest>),
    ("next.reply", message::<wire::NextReply>),
    ("send.request", message::<wire::SendRequest>),
    ("send.reply", message::<wire::SendReply>),
];

/// Good messages of the carrier.
fn messages() -> [(&'static str, Vec<u8>); 4] {
    let head = || {
        let (records, hash) = (300, vec![7; 32]);
        Some(wire::Head { records, hash })
    };
    let request = wire::NextRequest { process: 1 << 60 };
    let reply = wire::NextReply {
        question: vec![200; 300],
        over: true,
    };
    let send = wire::SendRequest {
        process: 1 << 60,
        answer: vec![200; 300],
        head: head(),
    };
    let sent = wire::SendReply {
        receipt: wire::Receipt::Repeated.into(),
        head: head(),
    };
    [
        ("next.request", request.encode_to_vec()),
        ("next.reply", reply.encode_to_vec()),
        ("send.request", send.encode_to_vec()),
        ("send.reply", sent.encode_to_vec()),
    ]
}

/// A message is read as something that can be written and read again.
fn message<M: Message + Default + PartialEq>(_: &Place, path: &Path) -> bool {
    let Ok(read) = M::decode(&fs::read(path).unwrap()[..]) else {
        return false;
    };
    assert!(M::decode(&read.encode_to_vec()[..]) == Ok(read));
    true
}

/// Reads so many damaged versions of a file; how many were taken.
fn check(place: &Place, file: &str, n: usize, reads: Reader) -> usize {
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

fn roster(place: &Place, _: &Path) -> bool {
    Joining::from(&place.at("kits/coordinator")).name().is_ok()
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

/// Reads so many damaged versions of every kind of file, each in a place of its own.
fn check_all(n: usize) -> Vec<(&'static str, usize, f64)> {
    let one = |(file, reads): &(&'static str, Reader)| {
        let start = Instant::now();
        let n_taken = check(&Place::new(), file, n, *reads);
        (*file, n_taken, start.elapsed().as_secs_f64())
    };
    let taken = READERS.par_iter().map(one).collect();
    let memory = peak_memory();
    assert!(memory < MOST_MEMORY, "{memory} MB");
    taken
}

/// Megabytes; the longest of these files has some kilobytes.
const MOST_MEMORY: usize = 100;

#[test]
fn damaged_files_and_messages_are_refused_or_taken_for_what_they_are() {
    let taken = check_all(3_000);
    for (file, n_taken, _) in &taken {
        // Some changes matter to nobody, as those of a name or a blank; but not all.
        let is_sealed = file.ends_with("journal") || file.ends_with("key.pem");
        assert!(is_sealed || *n_taken > 0, "{taken:?}");
        assert!(*n_taken < 3_000, "{taken:?}");
    }
}

/// So many of each as `FEDCDI_MUTATIONS` says.
#[test]
#[ignore = "slow: run with scripts/test-slow"]
fn a_hundred_thousand_damaged_files_of_each_kind_are_refused_or_taken_for_what_they_are() {
    let n = std::env::var("FEDCDI_MUTATIONS").unwrap_or("100000".to_owned());
    let n = n.parse().expect("FEDCDI_MUTATIONS is a number");
    for (file, n_taken, seconds) in check_all(n) {
        println!("{file}: {n} damaged, {n_taken} of them taken, in {seconds:.0} s");
    }
    println!("peak memory {} MB", peak_memory());
}

/// Megabytes that this process ever had, where the system says so.
fn peak_memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.map_or(0, |text| text.trim().parse::<usize>().unwrap() / 1024)
}
