//! The live page of a study between processes: read as a program reads it, and in a browser.
#![allow(clippy::unwrap_used)]

mod place;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use place::Place;

const SITES: [&str; 3] = ["basel", "bern", "chur"];
const LONGEST: Duration = Duration::from_mins(2);

/// A study of three sites with its kits.
fn study(place: &Place) {
    place.succeed("generate --vars 6 --categories 3 --obs 600 --int 600 --seed 1 --out all");
    place.succeed("split all --clients 3 --by vertical --out study");
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = port.local_addr().unwrap().port();
    let sites = SITES.map(|name| format!("{name:?}")).join(", ");
    let text = format!(
        "name = \"hearts\"\nsites = [{sites}]\nschema = \"study/schema.json\"\naddress = \"127.0.0.1:{port}\"\nseed = 2\n[coordinator]\nrounds = 4\n"
    );
    place.file("study.toml", &text).file("policy.toml", "");
    place.succeed("provision study.toml --out kits");
}

/// A party as a process of its own, which ends with this value. What it says goes into a file.
struct Party {
    process: Child,
    said: PathBuf,
}

impl Party {
    fn start(place: &Place, name: &str, args: &[&str]) -> Self {
        let said = place.path(&format!("{name}.log"));
        let process = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
            .args(args)
            .current_dir(place.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&said).unwrap())
            .spawn();
        Self {
            process: process.unwrap(),
            said,
        }
    }

    fn coordinator(place: &Place) -> Self {
        let args = [
            "coordinator",
            "kits/coordinator",
            "--state",
            "ledger",
            "--page",
            "127.0.0.1:0",
        ];
        Self::start(place, "coordinator", &args)
    }

    fn site(place: &Place, at: usize) -> Self {
        let name = SITES[at];
        let (kit, state) = (format!("kits/{name}"), format!("state-{name}"));
        let data = format!("study/client-{}.csv", at + 1);
        let mut args = vec!["site", &kit, "--data", &data, "--policy", "policy.toml"];
        args.extend(["--state", &state, "--page", "127.0.0.1:0"]);
        Self::start(place, name, &args)
    }

    /// Address and query of its page, once it has printed them.
    fn page(&self) -> (String, String) {
        let mut found = None;
        wait_for("the address of a page", || {
            let text = fs::read_to_string(&self.said).unwrap();
            let url = text.split_once("http://").map(|(_, rest)| rest);
            let line = url.and_then(|rest| rest.split_once('\n'));
            let parts = line.and_then(|(line, _)| line.split_once("/?"));
            found = parts.map(|(address, query)| (address.to_owned(), format!("?{query}")));
            found.is_some()
        });
        found.unwrap()
    }

    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn end(mut self) {
        wait_for("the end of a party", || {
            self.process.try_wait().unwrap().is_some()
        });
        let status = self.process.wait().unwrap();
        let said = fs::read_to_string(&self.said).unwrap();
        assert!(status.success(), "{status}: {said}");
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < LONGEST, "{what} takes too long");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Status and body of what an address answers.
fn get(address: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONGEST)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

/// Waits until the counters have this line.
fn wait_for_count(address: &str, line: &str) {
    wait_for(line, || {
        let (status, text) = get(address, "/metrics");
        assert_eq!(status, 200);
        text.lines().any(|found| found == line)
    });
}

fn assert_all(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[test]
fn the_page_shows_a_study_while_it_runs_while_a_site_is_down_and_at_the_end() {
    let place = Place::new();
    study(&place);
    let coordinator = Party::coordinator(&place);
    let (address, query) = coordinator.page();
    let page = || get(&address, &format!("/{query}"));
    let (status, text) = page();
    assert_eq!((status, text.matches("not heard of yet").count()), (200, 3));
    assert_all(
        &text,
        &["Study hearts", "Sites are asked to join: 0 of 3 have."],
    );
    assert_eq!(get(&address, "/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(
        (get(&address, "/").0, get(&address, "/events").0),
        (403, 403)
    );
    // Somebody who listens to the end.
    let stream = {
        let (address, path) = (address.clone(), format!("/events{query}"));
        thread::spawn(move || get(&address, &path))
    };

    // Two of three: the study waits for the third.
    let basel = Party::site(&place, 0);
    let bern = Party::site(&place, 1);
    wait_for_count(&address, "fedcdi_answers_total{outcome=\"taken\"} 2");
    wait_for_count(&address, "fedcdi_sites_connected 2");
    let (_, text) = page();
    assert_all(
        &text,
        &[
            "Sites are asked to join: 2 of 3 have.",
            "There is no graph before",
        ],
    );
    let (site, its_query) = basel.page();
    wait_for("an answer on the page of a site", || {
        let (_, text) = get(&site, &format!("/{its_query}"));
        assert!(text.contains("basel in study hearts"), "{text}");
        text.contains("acknowledged") && text.contains("it takes part, with a description")
    });
    assert!(
        get(&site, "/metrics")
            .1
            .contains("\nfedcdi_site_connected 1\n")
    );
    assert_eq!(
        get(&site, &format!("/{query}")).0,
        403,
        "each page has its own token"
    );

    // One of them goes down.
    bern.kill();
    wait_for_count(&address, "fedcdi_sites_connected 1");
    let (_, text) = page();
    assert_all(
        &text,
        &[
            "Not connected any more: bern.",
            "<span class=\"lost\">lost</span>",
        ],
    );
    looked_at(&place, &address, &query, &text);
    // The stream tells what is new once in a while, not every change by itself.
    std::thread::sleep(Duration::from_secs(2));

    // It comes back with the third, and the study goes on to its end.
    let bern = Party::site(&place, 1);
    let chur = Party::site(&place, 2);
    for party in [basel, bern, chur, coordinator] {
        party.end();
    }
    let (_, heard) = stream.join().unwrap();
    let graph = "\\\"graph-title\\\"";
    assert_all(&heard, &["Not connected any more: bern.", graph]);
    assert_all(
        &heard,
        &[
            "The study is over after",
            "<code>ledger/result</code>",
            "event: over",
        ],
    );
    assert!(place.path("ledger/result/report.html").is_file());
    assert!(TcpStream::connect(&address).is_err(), "the page is closed");
}

#[test]
fn a_page_that_cannot_be_opened_is_refused() {
    let place = Place::new();
    study(&place);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let command = format!("coordinator kits/coordinator --state ledger --page {address}");
    let outcome = place.run(&command);
    assert_ne!(outcome.code, 0);
    assert_all(&outcome.stderr, &["cannot listen on", &address.to_string()]);
}

/// A desktop and a phone.
const WIDTHS: [u32; 2] = [1200, 390];

/// Tells the page around it how wide its content is, and how wide its view.
const PROBE: &str = "<script>addEventListener('load', () => { \
    const page = document.documentElement; \
    parent.postMessage(page.scrollWidth + ' in ' + page.clientWidth, '*') })</script>";

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// The page in a browser: nothing on the console, the script at work, nothing wider than the screen.
fn looked_at(place: &Place, address: &str, query: &str, page: &str) {
    let Some(browser) = browser() else {
        // Written to the stream itself: the test harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "not looked at: no Chromium on PATH");
        return;
    };
    let profile = format!("--user-data-dir={}", place.path("profile").display());
    let open = |url: &str, wait: &str| {
        let output = assert_cmd::Command::new(&browser)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", &profile])
            .args([
                "--disable-background-networking",
                "--no-first-run",
                "--disable-sync",
            ])
            .args(["--hide-scrollbars", "--enable-logging=stderr", "--dump-dom"])
            .args([wait, url])
            .timeout(LONGEST)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let console: Vec<&str> = said.lines().filter(|l| l.contains("CONSOLE")).collect();
        assert!(console.is_empty(), "{console:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // Virtual time would not pass, for the stream of events goes on. The browser may be done before the
    // first event is there.
    wait_for("the script of the page", || {
        let dom = open(&format!("http://{address}/{query}"), "--timeout=5000");
        assert_all(&dom, &["Not connected any more: bern."]);
        dom.contains("data-live=\"on\"")
    });
    let script = "<script src=\"live.js\"></script>";
    assert!(page.contains(script));
    place.file("live.html", &page.replace(script, PROBE));
    for width in WIDTHS {
        // A window has a least width of its own, a frame has not.
        let frame = format!(
            "<!doctype html><body><script>addEventListener('message', (event) => \
             document.body.append('measured ' + event.data + '.'))</script>\
             <iframe src='live.html' style='width:{width}px;height:900px;border:0'></iframe>"
        );
        place.file("frame.html", &frame);
        let url = format!("file://{}", place.path("frame.html").display());
        let dom = open(&url, "--virtual-time-budget=3000");
        assert_all(&dom, &[&format!("measured {width} in {width}.")]);
    }
}
