//! Everything that leaves a site, to the last byte: a study between processes, whose connections are opened by
//! somebody in the middle.
//!
//! Every byte inside TLS is in a frame of HTTP/2, every body is a message of the carrier with a question or an
//! answer of the protocol in it, and nothing else. Words and numbers planted in the tables, in names of files
//! and of folders are in none of it, nor in anything that the coordinator writes.
#![allow(clippy::unwrap_used)]

mod parties;
mod place;
mod wiretap;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use fedcdi_protocol::answer::{Answer, Reply};
use fedcdi_protocol::question::Question;
use fedcdi_protocol::{StudyPlan, rules};
use parties::{Party, wait_for};
use place::Place;
use prost::Message;
use wiretap::frames::Direction;
use wiretap::{Tape, tap};

const SITES: [&str; 3] = ["basel", "bern", "chur"];

/// What stands in tables, paths and error messages of the sites, and nowhere else.
const WORDS: [&str; 6] = [
    "Kanarienvogel",
    "Stieglitz",
    // In three rows of one site, and in no dictionary.
    "Seltenvogel",
    "vogelwarte.csv",
    "voliere",
    "31415.92653",
];
/// The same number as machines write it.
const NUMBER: f64 = 31_415.926_53;

/// Planted bytes, with what to call them.
fn canaries() -> Vec<(String, Vec<u8>)> {
    let mut canaries = Vec::new();
    let mut plant = |name: &str, form: &str, bytes: Vec<u8>| {
        canaries.push((format!("{name} {form}"), bytes));
    };
    for word in WORDS {
        let hex = |text: String, byte: u8| text + &format!("{byte:02x}");
        plant(word, "as text", word.as_bytes().to_vec());
        plant(word, "in capitals", word.to_uppercase().into_bytes());
        plant(word, "in small letters", word.to_lowercase().into_bytes());
        plant(word, "in hex", word.bytes().fold(String::new(), hex).into());
        let wide = word.encode_utf16().flat_map(u16::to_le_bytes);
        plant(word, "in UTF-16", wide.collect());
    }
    plant("number", "as f64", NUMBER.to_le_bytes().to_vec());
    plant("number", "as f64, reversed", NUMBER.to_be_bytes().to_vec());
    plant("number", "as f32", (NUMBER as f32).to_le_bytes().to_vec());
    plant(
        "number",
        "as f32, reversed",
        (NUMBER as f32).to_be_bytes().to_vec(),
    );
    canaries
}

/// The canaries that are in these bytes.
fn found(bytes: &[u8]) -> Vec<String> {
    let is_in = |canary: &[u8]| bytes.windows(canary.len()).any(|part| part == canary);
    let found = canaries().into_iter().filter(|(_, canary)| is_in(canary));
    found.map(|(name, _)| name).collect()
}

/// The table of a site: two birds, and a third that is rare; perhaps a measurement.
fn table(site: u64, is_real: bool) -> String {
    let dose = |text: &str| {
        if is_real {
            format!("{text},")
        } else {
            String::new()
        }
    };
    let mut text = format!("{}bird,wing,song,intervention\n", dose("dose"));
    let mut random = site;
    let mut draw = |n: u64| {
        random = (random.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
        (random >> 33) % n
    };
    for row in 0..400 {
        let target = ["", "", "bird", "wing"][row / 100];
        let bird = draw(2) as usize;
        let wing = if target == "wing" || draw(5) == 0 {
            draw(2)
        } else {
            bird as u64
        };
        let song = if draw(4) == 0 { draw(2) } else { wing };
        let amount = format!("{}.{}", bird, draw(1000));
        let amount = if row == 7 { WORDS[5] } else { &amount };
        let rare = site == 1 && row % 130 == 5;
        let bird = if rare { WORDS[2] } else { WORDS[bird] };
        let dose = dose(amount);
        writeln!(text, "{dose}{bird},w{wing},s{song},{target}").unwrap();
    }
    text
}

/// A study of three sites with this study file; its plan.
fn study(place: &Place, is_real: bool, settings: &str) -> StudyPlan {
    let labels =
        |name: &str, labels: &str| format!(r#"{{"name":"{name}","categories":[{labels}]}}"#);
    let dose = r#"{"name":"dose","kind":"real"},"#;
    let schema = format!(
        r#"{{"variables":[{}{},{},{}],"other":"other"}}"#,
        if is_real { dose } else { "" },
        labels("bird", r#""Kanarienvogel","Stieglitz","other""#),
        labels("wing", r#""w0","w1""#),
        labels("song", r#""s0","s1""#)
    );
    place.file("schema.json", &schema);
    for (at, site) in (1..).zip(SITES) {
        place.file(
            &format!("voliere/{site}/vogelwarte.csv"),
            &table(at, is_real),
        );
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = port.local_addr().unwrap().port();
    let text = format!(
        "name = \"birds\"\nsites = [\"basel\", \"bern\", \"chur\"]\nschema = \"schema.json\"\naddress = \"127.0.0.1:{port}\"\n{settings}"
    );
    place.file("study.toml", &text);
    place.file("policy.toml", "count = true\n");
    place.succeed("provision study.toml --out kits");
    let plan = fs::read_to_string(place.path("kits/coordinator/plan.json")).unwrap();
    StudyPlan::from_text(plan.trim()).unwrap()
}

/// A party whose log is kept.
fn begin(place: &Place, name: &str, args: &[&str]) -> Party {
    let log = File::create(place.path(&format!("{name}.log"))).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
        .args(args)
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn();
    Party(child.unwrap())
}

/// Runs the study with its connections tapped.
fn run(place: &Place) -> Vec<Tape> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let tapes = SITES.map(|site| tap(&runtime, place, site));
    let coordinator = ["coordinator", "kits/coordinator", "--state", "ledger"];
    let mut parties = vec![begin(place, "coordinator", &coordinator)];
    for site in SITES {
        let (kit, data) = (
            format!("kits/{site}"),
            format!("voliere/{site}/vogelwarte.csv"),
        );
        let state = format!("voliere/{site}/state");
        let files = [
            "--data",
            &data,
            "--state",
            &state,
            "--policy",
            "policy.toml",
        ];
        let args = [&["site", kit.as_str()][..], &files].concat();
        parties.push(begin(place, site, &args));
    }
    wait_for(&mut parties);
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    tapes.to_vec()
}

/// What a site sends, whether it asks for a question or has an answer.
#[derive(Clone, PartialEq, Message)]
struct Sent {
    #[prost(fixed64, tag = "1")]
    process: u64,
    #[prost(bytes = "vec", tag = "2")]
    answer: Vec<u8>,
    #[prost(message, optional, tag = "3")]
    head: Option<Head>,
}

#[derive(Clone, PartialEq, Message)]
struct Head {
    #[prost(uint64, tag = "1")]
    records: u64,
    #[prost(bytes = "vec", tag = "2")]
    hash: Vec<u8>,
}

/// What a site hears when it asks for a question.
#[derive(Clone, PartialEq, Message)]
struct Asked {
    #[prost(bytes = "vec", tag = "1")]
    question: Vec<u8>,
    #[prost(bool, tag = "2")]
    over: bool,
}

/// What it hears when it has sent an answer.
#[derive(Clone, PartialEq, Message)]
struct Acknowledged {
    #[prost(int32, tag = "1")]
    receipt: i32,
    #[prost(message, optional, tag = "2")]
    head: Option<Head>,
}

/// A message that has nothing but its fields.
fn exact<M: Message + Default>(bytes: &[u8]) -> M {
    let message = M::decode(bytes).expect("a message of the carrier");
    assert_eq!(message.encode_to_vec(), bytes, "more than its fields");
    message
}

/// What was said over all connections of a site.
#[derive(Default)]
struct Said {
    answers: Vec<Answer>,
    n_questions: usize,
    processes: BTreeSet<u64>,
    /// Of the headers of every connection: they are the same as those of any other site.
    headers: BTreeSet<Vec<u8>>,
}

/// Takes the connections of a site apart.
fn said(tape: &Tape, longest: usize) -> Said {
    let mut said = Said::default();
    for heard in tape.lock().unwrap().iter() {
        let (up, down) = (heard.up.lock().unwrap(), heard.down.lock().unwrap());
        for bytes in [&up, &down] {
            assert_eq!(found(bytes), [""; 0]);
        }
        let (up, down) = (Direction::from_site(&up), Direction::of(&down));
        for stream in up.bodies.keys() {
            let sent: Sent = exact(up.message(*stream).expect("no stream without a message"));
            said.processes.insert(sent.process);
            let heard = down.message(*stream);
            if sent.answer.is_empty() {
                assert_eq!(sent.head, None);
                let asked: Option<Asked> = heard.map(exact);
                if let Some(asked) = asked.filter(|asked| !asked.question.is_empty()) {
                    let question = Question::decode(&asked.question, longest).unwrap();
                    assert_eq!(question.encode(), asked.question);
                    said.n_questions += 1;
                }
            } else {
                let answer = Answer::decode(&sent.answer, longest).unwrap();
                assert_eq!(answer.encode(), sent.answer);
                said.answers.push(answer);
                let heads = [sent.head, heard.and_then(|m| exact::<Acknowledged>(m).head)];
                for head in heads.into_iter().flatten() {
                    assert_eq!(head.hash.len(), 32);
                }
            }
        }
        said.headers.extend(up.headers);
    }
    said
}

/// Every file in a folder, with its path.
fn search_files(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        assert_eq!(found(path.file_name().unwrap().as_encoded_bytes()), [""; 0]);
        if path.is_dir() {
            search_files(&path);
        } else {
            assert_eq!(found(&fs::read(&path).unwrap()), [""; 0], "{name}");
        }
    }
}

/// Runs a study; every reply of every site.
fn egress(is_real: bool, settings: &str) -> Vec<Reply> {
    let place = Place::new();
    let plan = study(&place, is_real, settings);
    let tapes = run(&place);
    let longest = plan.check(&rules::standard()).unwrap().longest_message();
    let all: Vec<Said> = tapes.iter().map(|tape| said(tape, longest)).collect();
    for (at, said) in (1..).zip(&all) {
        assert!(said.answers.iter().all(|answer| answer.site.0 == at));
        assert!(said.answers.len() >= 3 && said.n_questions >= said.answers.len());
        // A random number, once.
        assert_eq!(said.processes.len(), 1);
        // Sites with other rows, names and folders send the same headers: there is nothing of a site in them.
        assert_eq!(said.headers, all[0].headers);
    }
    // The coordinator has nothing of it on its disk, nor in what it says.
    search_files(&place.path("ledger"));
    search_files(&place.path("kits/coordinator"));
    let log = fs::read(place.path("coordinator.log")).unwrap();
    assert!(!log.is_empty());
    assert_eq!(found(&log), [""; 0]);
    // Who looks for a canary where it is finds it.
    let own = fs::read(place.path("voliere/basel/vogelwarte.csv")).unwrap();
    let planted = found(&own).len();
    assert!(planted >= if is_real { 4 } else { 3 }, "{planted}");
    let answers = all.into_iter().flat_map(|said| said.answers);
    answers.map(|answer| answer.reply).collect()
}

fn n(replies: &[Reply], is_it: impl Fn(&Reply) -> bool) -> usize {
    replies.iter().filter(|reply| is_it(reply)).count()
}

#[test]
fn nothing_but_answers_leaves_a_site_in_rounds() {
    let replies = egress(
        false,
        "refine = \"usual\"\nmoves = \"use\"\n[coordinator]\nrounds = 3\n[local]\nname = \"enco\"\n\
         settings = { epochs = 1, model_steps = 50, later_model_steps = 50, hidden = [8] }\n",
    );
    let joined = |reply: &Reply| match reply {
        // The tap hears what it should: names of variables are told, as far as they were intervened on.
        Reply::Joined(joined) => String::from_utf8_lossy(&joined.profile).contains("wing"),
        _ => false,
    };
    assert_eq!(n(&replies, joined), 3);
    assert_eq!(n(&replies, |reply| matches!(reply, Reply::Moved(_))), 3);
    assert!(n(&replies, |reply| matches!(reply, Reply::Believed(_))) >= 6);
    assert!(n(&replies, |reply| matches!(reply, Reply::Summed(_))) >= 3);
    assert_eq!(n(&replies, |reply| *reply == Reply::Finished), 3);
    assert_eq!(n(&replies, |reply| matches!(reply, Reply::Refused(_))), 0);
}

#[test]
fn nothing_but_sums_leaves_a_site_in_a_search() {
    let replies = egress(true, "[method]\nname = \"score\"\n");
    assert!(n(&replies, |reply| matches!(reply, Reply::Summed(_))) >= 6);
    assert_eq!(n(&replies, |reply| *reply == Reply::Finished), 3);
    assert_eq!(n(&replies, |reply| matches!(reply, Reply::Refused(_))), 0);
}
