//! The pages: every link leads somewhere, every page can be found, and the paper map names what exists.
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

/// A part of a cell of a table: a link, or a name in backticks outside of links.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    Link { text: &'a str, target: &'a str },
    Code(&'a str),
}

/// The links and names of a cell, from left to right.
fn parts(mut cell: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    while let Some(start) = cell.find(['[', '`']) {
        let (open, rest) = cell[start..].split_at(1);
        let link = || {
            let (text, rest) = rest.split_once("](")?;
            let (target, rest) = rest.split_once(')')?;
            Some((Part::Link { text, target }, rest))
        };
        let code = || rest.split_once('`').map(|(c, rest)| (Part::Code(c), rest));
        let part = if open == "[" { link() } else { code() };
        let (part, rest) = part.expect("brackets and backticks of a cell are closed");
        found.push(part);
        cell = rest;
    }
    found
}

/// Whether backticks hold a name of the code: no command, flag or setting with a value.
fn is_name(code: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || "_:".contains(c);
    !code.is_empty() && code.chars().all(allowed)
}

/// Rust code of a file, or of all files below a folder, without comments.
fn code_at(path: &Path) -> String {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let paths = paths.filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "rs"));
        return paths.map(|path| code_at(&path)).collect();
    }
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    code.flat_map(|line| [line, "\n"]).collect()
}

/// Whether `path` is called `name`, or its code has that word. The folder `src` is called as its crate.
fn names(path: &Path, name: &str) -> bool {
    let crate_root = path.parent().filter(|_| path.ends_with("src"));
    let called = crate_root.unwrap_or(path).file_stem();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    called.is_some_and(|called| called == name)
        || code_at(path)
            .split(|c| !is_word(c))
            .any(|word| word == name)
}

/// What a cell of a table in `folder` says wrongly about the code.
fn wrong_in(cell: &str, folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut waiting = Vec::new();
    for part in parts(cell) {
        let (text, target) = match part {
            Part::Code(code) => {
                waiting.extend(is_name(code).then_some(code));
                continue;
            }
            Part::Link { text, target } => (text, target),
        };
        let path = folder.join(target.split('#').next().unwrap());
        let texts = text.split('`').skip(1).step_by(2);
        let claimed: Vec<&str> = waiting.drain(..).chain(texts).collect();
        if !path.exists() {
            wrong.push(format!("{target}: no such file"));
            continue;
        }
        let last = |claim: &&str| claim.rsplit("::").next().unwrap().to_owned();
        let missing = claimed.iter().filter(|claim| !names(&path, &last(claim)));
        wrong.extend(missing.map(|claim| format!("{target}: no `{claim}`")));
    }
    wrong.extend(waiting.iter().map(|name| format!("`{name}`: in no file")));
    wrong
}

#[test]
fn the_paper_map_names_what_exists() {
    let text = std::fs::read_to_string(root().join("docs/paper-map.md")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with('|')).collect();
    let cells = rows.iter().flat_map(|row| row.split('|'));
    let folder = root().join("docs");
    let wrong: Vec<String> = cells.flat_map(|cell| wrong_in(cell, &folder)).collect();
    assert!(rows.len() > 40 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_wrong_name_in_the_paper_map_is_noticed() {
    let folder = root().join("docs");
    let wrong = |cell: &str| wrong_in(cell, &folder);
    let file = "../crates/core/src/graph/consensus.rs";
    let right = format!("`vote_entropy` in [`graph::consensus`]({file}), by `fedcdi --paper`");
    assert_eq!(wrong(&right), Vec::<String>::new());
    let cell = format!("`a::votes_entropy` in [`graph::consensus`]({file})");
    assert_eq!(wrong(&cell), [format!("{file}: no `a::votes_entropy`")]);
    let cell = format!("[`graph::census`]({file})");
    assert_eq!(wrong(&cell), [format!("{file}: no `graph::census`")]);
    let cell = format!("[`graph::consensus`]({file}), `vote_entropy`");
    assert_eq!(wrong(&cell), ["`vote_entropy`: in no file".to_owned()]);
    assert_eq!(wrong("[`x`](x.rs)"), ["x.rs: no such file".to_owned()]);
}
