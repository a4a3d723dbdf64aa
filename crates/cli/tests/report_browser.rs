//! `report.html` in a browser: nothing on the console, nothing wider than the screen.
#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use assert_cmd::Command;

mod place;
use place::{Place, SMALL_FEDERATION};

/// A desktop and a phone.
const WIDTHS: [u32; 2] = [1280, 390];

/// Tells the page around it how wide the content of the report is, and how wide its view.
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

/// Opens a page of the place; gives what the browser prints.
fn open(place: &Place, browser: &PathBuf, page: &str, flags: &[&str]) -> String {
    let profile = format!("--user-data-dir={}", place.path("profile").display());
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", &profile])
        // Without a scroll bar, as on a phone, the view is as wide as its frame.
        .args(["--hide-scrollbars", "--enable-logging=stderr"])
        .arg("--virtual-time-budget=3000")
        .args(flags)
        .arg(format!("file://{}", place.path(page).display()))
        .timeout(Duration::from_secs(90))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let console: Vec<&str> = said.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_report_fits_desktop_and_phone() {
    let Some(browser) = browser() else {
        // Written to the stream itself: the test harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: no Chromium on PATH");
        return;
    };
    let place = Place::new();
    place.file("spec.toml", SMALL_FEDERATION);
    place.succeed("simulate --spec spec.toml --compare --out run");
    let page = open(&place, &browser, "run/report.html", &["--dump-dom"]);
    for id in [
        "result", "graph", "belief", "rounds", "sites", "privacy", "repeat",
    ] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    let text = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    place.file(
        "run/probe.html",
        &text.replace("</body>", &format!("{PROBE}</body>")),
    );
    for width in WIDTHS {
        // A window has a least width of its own, a frame has not.
        let frame = format!(
            "<!doctype html><body><script>addEventListener('message', (event) => \
             document.body.append('measured ' + event.data + '.'))</script>\
             <iframe src='run/probe.html' style='width:{width}px;height:900px;border:0'></iframe>"
        );
        place.file("frame.html", &frame);
        let dom = open(&place, &browser, "frame.html", &["--dump-dom"]);
        let fits = format!("measured {width} in {width}.");
        assert!(dom.contains(&fits), "{fits} is not in {dom}");
        let picture = place.path(&format!("{width}.png"));
        let shot = format!("--screenshot={}", picture.display());
        let window = format!("--window-size={width},900");
        open(&place, &browser, "frame.html", &[&shot, &window]);
        let bytes = std::fs::read(picture).unwrap();
        assert!(
            bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000,
            "{width}"
        );
    }
}
