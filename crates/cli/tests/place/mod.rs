//! A folder of its own for each test, and `fedcdi` run inside it.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program uses what it needs"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// Settings under which two clients learn a small chain in a second or two, unoptimised.
pub const SMALL_FEDERATION: &str = "\
clients = 2
split = 'vertical'

[data.generated]
vars = 5
categories = 3
obs = 1500
int = 500
graph = { kind = 'chain' }

[coordinator]
rounds = 2

[local]
name = 'enco'
settings = { epochs = 1, model_steps = 200, later_model_steps = 100, hidden = [16, 16] }
";

/// A temporary folder in which commands run.
pub struct Place {
    folder: TempDir,
}

/// What a command left behind.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    /// An empty folder.
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Adds a text file.
    pub fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Adds an `.npz` file of these arrays: key, NumPy type, shape, raw bytes.
    pub fn npz(&self, name: &str, arrays: &[(&str, &str, &str, Vec<u8>)]) -> &Self {
        let mut zip = zip::ZipWriter::new(fs::File::create(self.path(name)).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        for (key, kind, shape, bytes) in arrays {
            zip.start_file(format!("{key}.npy"), options).unwrap();
            let mut header =
                format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
            while (10 + header.len() + 1) % 64 != 0 {
                header.push(' ');
            }
            header.push('\n');
            zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
            zip.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
            zip.write_all(header.as_bytes()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        self
    }

    /// A path inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `fedcdi` with these arguments, separated by spaces.
    pub fn run(&self, arguments: &str) -> Outcome {
        self.run_command(Command::cargo_bin("fedcdi").unwrap(), arguments)
    }

    /// Runs a command that must succeed, on this many threads.
    pub fn succeed_on_threads(&self, threads: usize, arguments: &str) {
        let mut command = Command::cargo_bin("fedcdi").unwrap();
        command.env("RAYON_NUM_THREADS", threads.to_string());
        let outcome = self.run_command(command, arguments);
        assert_eq!(outcome.code, 0, "fedcdi {arguments}\n{}", outcome.stderr);
    }

    /// Runs a command that must succeed in a folder of this one.
    pub fn succeed_in(&self, folder: &str, arguments: &str) {
        let outcome = self.run_in(folder, arguments);
        assert_eq!(outcome.code, 0, "fedcdi {arguments}\n{}", outcome.stderr);
    }

    /// Runs `fedcdi` in a folder of this one.
    pub fn run_in(&self, folder: &str, arguments: &str) -> Outcome {
        self.run_command_in(folder, Command::cargo_bin("fedcdi").unwrap(), arguments)
    }

    fn run_command(&self, command: Command, arguments: &str) -> Outcome {
        self.run_command_in("", command, arguments)
    }

    fn run_command_in(&self, folder: &str, mut command: Command, arguments: &str) -> Outcome {
        let output = command
            .current_dir(self.path(folder))
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        Outcome {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command that must succeed; gives its standard output.
    pub fn succeed(&self, arguments: &str) -> String {
        let outcome = self.run(arguments);
        assert_eq!(outcome.code, 0, "fedcdi {arguments}\n{}", outcome.stderr);
        outcome.stdout
    }

    /// Runs a command that must refuse its input: exit code 2, a message with all of `parts`,
    /// nothing on standard output, and nothing written or changed.
    pub fn refuse(&self, arguments: &str, parts: &[&str]) {
        let before = self.contents();
        let outcome = self.run(arguments);
        assert_eq!(outcome.code, 2, "fedcdi {arguments}\n{}", outcome.stderr);
        for part in parts {
            assert!(
                outcome.stderr.contains(part),
                "{part:?} is not in the message of fedcdi {arguments}:\n{}",
                outcome.stderr
            );
        }
        assert_eq!(outcome.stdout, "");
        assert_eq!(
            before,
            self.contents(),
            "fedcdi {arguments} wrote something"
        );
    }

    /// Asserts that files of these names hold the same bytes in two folders.
    pub fn assert_same(&self, one: &str, two: &str, names: &[&str]) {
        for name in names {
            let read = |folder: &str| fs::read(self.path(folder).join(name)).unwrap();
            assert_eq!(read(one), read(two), "{name}");
        }
    }

    /// Every file with its bytes.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.folder.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.insert(path.clone(), Vec::new());
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}
