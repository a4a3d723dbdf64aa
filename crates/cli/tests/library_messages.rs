//! Libraries name settings, faces name flags: no message of a library may speak of the command line.

#![expect(clippy::unwrap_used, reason = "everything here is a test")]

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that know nothing of the command line.
const LIBRARIES: [&str; 7] = [
    "core", "data", "learn", "protocol", "rivals", "study", "paper",
];

/// Texts of pages that show commands to a reader, by the end of their file's path.
const SHOWS_COMMANDS: [&str; 4] = [
    "report/repeat.rs",
    "report/sufficiency.rs",
    "paper/page.rs",
    "experiments/table.rs",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The string literals of a source, each with the line on which it starts; tests and comments are
/// left out.
fn literals(source: &str) -> Vec<(usize, String)> {
    let source = source.split("\n#[cfg(test)]\nmod ").next().unwrap();
    let mut found = Vec::new();
    let (mut line, mut at) = (1, 0);
    let bytes = source.as_bytes();
    while at < bytes.len() {
        let rest = &source.as_bytes()[at..];
        if rest.starts_with(b"//") {
            at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"'\"'") || rest.starts_with(b"'\\") {
            at += 3;
        } else if rest[0] == b'"' {
            let (start, first) = (at + 1, line);
            at += 1;
            let hashes = bytes[..start - 1]
                .iter()
                .rev()
                .take_while(|b| **b == b'#')
                .count();
            let raw = bytes.get(start.wrapping_sub(2 + hashes)) == Some(&b'r');
            let end = format!("\"{}", "#".repeat(hashes));
            while at < bytes.len() && !bytes[at..].starts_with(end.as_bytes()) {
                at += if bytes[at] == b'\\' && !raw { 2 } else { 1 };
            }
            let text = String::from_utf8_lossy(&bytes[start..at.min(bytes.len())]).into_owned();
            line += text.matches('\n').count();
            found.push((first, text));
            at += end.len();
        } else {
            line += usize::from(rest[0] == b'\n');
            at += 1;
        }
    }
    found
}

/// Whether a text has a flag, such as `--real`; properties of a style sheet end in a colon.
fn names_a_flag(text: &str) -> bool {
    let starts = |at: usize| at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
    text.match_indices("--").any(|(at, _)| {
        let name = text[at + 2..].chars();
        let name: String = name.take_while(char::is_ascii_lowercase).collect();
        let style = text[at + 2 + name.len()..].starts_with(':');
        starts(at) && !name.is_empty() && !style
    })
}

#[test]
fn flags_are_found_in_literals_alone() {
    let source = "// \"--no\"\nlet a = \"pass --real {x}\"; let b = '\"';\nlet c = \"a -- b\";\n\
                  #[cfg(test)]\nmod tests { \"--not this\" }";
    let found = literals(source);
    let flags: Vec<usize> = found
        .iter()
        .filter(|(_, text)| names_a_flag(text))
        .map(|(line, _)| *line)
        .collect();
    assert_eq!(flags, [2]);
    assert!(!names_a_flag("--w:2.4;--o:1") && names_a_flag("--out"));
}

#[test]
fn no_message_of_a_library_names_a_flag() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut named = Vec::new();
    let mut n_files = 0;
    for library in LIBRARIES {
        for path in sources(&crates.join(library).join("src")) {
            n_files += 1;
            let mut allowed = SHOWS_COMMANDS.iter();
            if allowed.any(|end| path.ends_with(end)) {
                continue;
            }
            let flags = literals(&fs::read_to_string(&path).unwrap());
            let flags = flags.into_iter().filter(|(_, text)| names_a_flag(text));
            named.extend(flags.map(|(line, text)| format!("{}:{line}: {text}", path.display())));
        }
    }
    assert!(
        n_files > 100,
        "the libraries were not found: {n_files} files"
    );
    assert!(
        named.is_empty(),
        "a library names a setting with `Remedy::set`, not a flag:\n{}",
        named.join("\n")
    );
}
