//! How a study comes about: dictionaries, requests, kits, and what is refused before anything is sent.
#![allow(clippy::unwrap_used)]

mod place;

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use place::Place;

const SITES: [&str; 3] = ["client-1", "client-2", "client-3"];
const LONGEST: Duration = Duration::from_mins(2);

/// Three sites with their tables, and no schema that they share.
fn sites() -> Place {
    let place = Place::new();
    place.succeed("generate --vars 5 --categories 3 --obs 600 --int 500 --seed 1 --out all");
    place.succeed("split all --clients 3 --by vertical --out study");
    fs::remove_file(place.path("study/schema.json")).unwrap();
    place
}

/// The study that these sites agree on.
fn study(place: &Place) {
    for name in SITES {
        place.succeed(&format!("dictionary study/{name}.csv --out {name}.json"));
    }
    place.succeed("dictionary merge client-3.json client-1.json client-2.json --out schema.json");
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let sites = SITES.map(|name| format!("{name:?}")).join(", ");
    let text = format!(
        "name = \"demo\"\nsites = [{sites}]\nschema = \"schema.json\"\naddress = \"127.0.0.1:{port}\"\n\
         valid_days = 20\nseed = 2\n[coordinator]\nrounds = 2\n"
    );
    place.file("study.toml", &text);
}

/// Changes a part of a file.
fn change(place: &Place, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(place.path(name)).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(place.path(name), text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_site_shows_no_label_of_few_rows() {
    let place = sites();
    change(&place, "study/client-1.csv", "\n", "\nsmith,0,0,0,0,\n");
    let header = fs::read_to_string(place.path("study/client-1.csv")).unwrap();
    let first = header.split(',').next().unwrap().to_owned();
    let made = place.run("dictionary study/client-1.csv --out basel.json");
    assert_eq!(made.code, 0, "{}", made.stderr);
    let part = fs::read_to_string(place.path("basel.json")).unwrap();
    assert!(
        part.contains("\"hidden\": 1") && !part.contains("smith"),
        "{part}"
    );
    assert!(
        !made.stdout.contains("smith") && made.stdout.contains("hidden"),
        "{}",
        made.stdout
    );
    let local =
        format!("hidden, and not to be shared: labels of {first:?} with their rows: \"smith\" (1)");
    assert!(made.stderr.contains(&local), "{}", made.stderr);
    // The operator may give it a category.
    let merged = place.run("dictionary merge basel.json --out schema.json");
    let warning = "pass --other other";
    assert!(
        merged.code == 0 && merged.stderr.contains(warning),
        "{}",
        merged.stderr
    );
    place.succeed("dictionary merge basel.json --other rest --out schema.json --force");
    let schema = fs::read_to_string(place.path("schema.json")).unwrap();
    assert!(schema.contains("\"other\": \"rest\""), "{schema}");
    place.succeed("inspect study/client-1.csv --schema schema.json");
    place.refuse(
        "dictionary study/client-1.csv --rare 5000 --out all.json",
        &[
            "none of its 4 labels is in 5000 rows",
            "remove the column if it is an identifier",
        ],
    );
}

#[test]
fn parts_that_do_not_fit_are_refused_with_all_differences() {
    let place = Place::new();
    place.file("a.json", r#"{"variables":[{"name":"smoke","categories":["no","yes"]},{"name":"age","kind":"real"}]}"#);
    place.file("b.json", r#"{"variables":[{"name":"Smoke","categories":["no","yes"]},{"name":"age","categories":["1","2"]}]}"#);
    place.refuse(
        "dictionary merge a.json b.json --out schema.json",
        &[
            "the parts differ in 2 things",
            "b.json has \"Smoke\", and a.json \"smoke\"; rename one if they are the same",
            "\"age\" is real in a.json, and has categories in b.json",
            "with or without --real age",
        ],
    );
    place.refuse(
        "dictionary",
        &["required arguments were not provided", "--out <FILE>"],
    );
    place.refuse(
        "dictionary merge none.json --out s.json",
        &["none.json: no such file"],
    );
}

#[test]
fn keys_that_sites_made_are_in_no_kit() {
    let place = sites();
    study(&place);
    place.succeed("site request client-1 --out keys");
    place.refuse(
        "site request client-1 --out keys",
        &[
            "client-1.key.pem: this file is there already",
            "name another folder",
        ],
    );
    place.refuse(
        "site request ../x --out keys",
        &["cannot be the name of a site"],
    );
    place.file("requests/README", "requests of the sites");
    place.refuse(
        "provision study.toml --out kits --requests requests",
        &["the folder has no request: no file that ends in .request.pem"],
    );
    let request = fs::read_to_string(place.path("keys/client-1.request.pem")).unwrap();
    let key = fs::read_to_string(place.path("keys/client-1.key.pem")).unwrap();
    let refused = |name: &str, text: &str, parts: &[&str]| {
        place.file(&format!("requests/{name}.request.pem"), text);
        place.refuse("provision study.toml --out kits --requests requests", parts);
        fs::remove_file(place.path(&format!("requests/{name}.request.pem"))).unwrap();
    };
    refused(
        "client-9",
        &request,
        &[
            "the study has no site \"client-9\"",
            "name it after \"client-1\"",
        ],
    );
    refused(
        "client-2",
        &request,
        &["it is the request of \"client-1\", and its file is named after \"client-2\""],
    );
    refused(
        "client-1",
        &key,
        &["it holds a private key, which should have stayed at the site"],
    );
    refused(
        "client-1",
        &request[..200],
        &["it is not a certificate request, or was changed"],
    );
    let changed = request.replacen("MI", "MJ", 1);
    refused(
        "client-1",
        &changed,
        &["it is not a certificate request, or was changed"],
    );
    place.file("requests/client-1.request.pem", &request);
    place.succeed("provision study.toml --out kits --requests requests");
    assert!(!place.path("kits/client-1/key.pem").exists());
    assert!(place.path("kits/client-2/key.pem").exists());
    let own = "--data study/client-1.csv --state state";
    place.refuse(
        &format!("site kits/client-1 {own}"),
        &[
            "the kit has no key.pem, because this site made its own key",
            "or pass --key",
        ],
    );
    place.refuse(
        &format!("site kits/client-1 {own} --key kits/client-2/key.pem"),
        &["kits/client-2/key.pem: it is not the key of the certificate in kits/client-1/certificate.pem", "--key client-1.key.pem"],
    );
    change(&place, "study.toml", "address =", "# address =");
    place.refuse(
        "provision study.toml --out other --requests requests",
        &["--requests does not apply"],
    );
}

/// A party as a process of its own, which ends with this value.
struct Party(Child);

impl Party {
    fn start(place: &Place, args: &str) -> Self {
        let log = fs::File::create(place.path(&format!("{}.log", args.replace([' ', '/'], "_"))))
            .unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
            .args(args.split(' '))
            .current_dir(place.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn sites_with_their_own_keys_and_others_take_part_in_one_study() {
    let place = sites();
    study(&place);
    place.succeed("site request client-1 --out keys");
    place.succeed("site request client-2 --out keys");
    place.succeed("provision study.toml --out kits --requests keys");
    fs::copy(
        place.path("keys/client-2.key.pem"),
        place.path("kits/client-2/key.pem"),
    )
    .unwrap();
    let site = |name: &str, more: &str| {
        format!("site kits/{name} --data study/{name}.csv --state state-{name}{more}")
    };
    let first = site("client-1", " --key keys/client-1.key.pem");
    let mut parties = vec![
        Party::start(&place, "coordinator kits/coordinator --state ledger"),
        Party::start(&place, &first),
        Party::start(&place, &site("client-2", "")),
        Party::start(&place, &site("client-3", "")),
    ];
    let start = Instant::now();
    for party in &mut parties {
        while party.0.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < LONGEST, "the study takes too long");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(party.0.wait().unwrap().success());
    }
    assert!(place.path("ledger/result/report.html").exists());
    let log = |args: &str| {
        fs::read_to_string(place.path(&format!("{}.log", args.replace([' ', '/'], "_")))).unwrap()
    };
    // Twenty days are fewer than thirty.
    for text in [
        log(&first),
        log("coordinator kits/coordinator --state ledger"),
    ] {
        assert!(
            text.contains("warning: the certificates of this study end in 19 days"),
            "{text}"
        );
        assert!(
            text.contains("make new kits from study.toml, with valid_days"),
            "{text}"
        );
    }
    assert!(log(&first).contains("no policy was named, so this site's limits are the defaults"));
}

#[test]
fn nothing_is_written_or_sent_for_a_table_that_does_not_fit() {
    let place = sites();
    study(&place);
    place.succeed("provision study.toml --out kits");
    let table = fs::read_to_string(place.path("study/client-1.csv")).unwrap();
    let (header, rows) = table.split_once('\n').unwrap();
    place.file(
        "t.csv",
        &format!(
            "{},ward\n{}",
            header,
            rows.replacen("0,", "9,", 1).replace('\n', ",1\n")
        ),
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let network = fs::read_to_string(place.path("kits/client-1/network.json")).unwrap();
    let known = network.split("\"address\": \"").nth(1).unwrap();
    let known = known.split('"').next().unwrap().to_owned();
    change(&place, "kits/client-1/network.json", &known, &address);
    place.refuse(
        "site kits/client-1 --data t.csv --state state",
        &[
            "t.csv: 2 things are wrong",
            "column \"ward\": the schema does not list it",
            "has no category \"9\" (1 row)",
            "with --other other",
        ],
    );
    assert!(listener.accept().is_err(), "the site connected");
    change(
        &place,
        "kits/client-1/network.json",
        "\"ends\": \"2",
        "\"ends\": \"1",
    );
    place.refuse(
        "site kits/client-1 --data study/client-1.csv --state state",
        &["the certificates of this study ended on", "make new kits"],
    );
    place.file("policy.toml", "longest_anser = 5\n");
    place.refuse(
        "site kits/client-2 --data study/client-2.csv --state state --policy policy.toml",
        &["unknown field `longest_anser`; did you mean `longest_answer`?"],
    );
}
