//! The pages: every link leads somewhere, and every page can be found.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).unwrap().to_path_buf()
}

/// README and CHANGELOG, the pages of docs and the notes of golden checks.
fn pages() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root().join("golden"), root().join("docs")];
    let is_page = |path: &Path| path.extension().is_some_and(|e| e == "md");
    let top = std::fs::read_dir(root()).unwrap();
    let top = top
        .map(|entry| entry.unwrap().path())
        .filter(|p| is_page(p));
    let mut paths: Vec<PathBuf> = top.collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_page(&path) {
                paths.push(path);
            }
        }
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        found.insert(path, text);
    }
    found
}

/// Targets of the links of a page, outside of code.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("](").skip(1);
    parts.filter_map(|rest| rest.split(')').next())
}

/// Headings as links name them: lower case, hyphens for spaces, no other marks.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let mut broken = Vec::new();
    for (path, text) in &pages {
        for link in links(text).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let Ok(target) = target.canonicalize() else {
                broken.push(format!("{}: {link}", path.display()));
                continue;
            };
            let page = pages
                .iter()
                .find(|(path, _)| path.canonicalize().unwrap() == target);
            if !anchor.is_empty() && page.is_some_and(|(_, text)| !anchors(text).contains(anchor)) {
                broken.push(format!("{}: {link} (no such heading)", path.display()));
            }
        }
    }
    assert!(pages.len() > 10 && broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_is_reachable_from_the_readme() {
    let pages = pages();
    let readme = &pages[&root().join("README.md")];
    let named: BTreeSet<&str> = links(readme)
        .map(|l| l.split('#').next().unwrap())
        .collect();
    let docs = pages
        .keys()
        .filter_map(|path| path.strip_prefix(root()).ok());
    let lost: Vec<_> = docs
        .filter(|path| path.starts_with("docs") && !named.contains(path.to_str().unwrap()))
        .collect();
    assert!(lost.is_empty(), "not linked from the README: {lost:?}");
}
