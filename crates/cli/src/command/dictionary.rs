//! `fedcdi dictionary`: the variables and labels of a study, without rare labels.

use std::path::PathBuf;

use fedcdi_core::{Face, Remedied as _};
use fedcdi_data::FileError;
use fedcdi_data::read::read_table;
use fedcdi_data::write::write_text;
use fedcdi_study::dictionary::{Hidden, Part, PartVariable, merge};

use super::generate::overwrite;
use super::table_args::TableArgs;
use crate::failure::{Failure, Flags};
use crate::output::{self, Grid};

/// Make a site's part of a study's data dictionary, and merge the parts of all sites
///
/// A part lists the variables of a table: their names, kinds and labels. Labels of fewer than --rare rows
/// are hidden, because a rare label may be about one person. What is printed on standard output and what is
/// in the file may be shared. Hidden labels are listed on standard error, for this site alone.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  fedcdi dictionary data.csv --rare 10 --out basel.json
  fedcdi dictionary merge basel.json bern.json chur.json --out schema.json
  fedcdi dictionary merge basel.json bern.json --other other --out schema.json

docs/kits.md shows how a study comes about.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    make: Option<Make>,

    // Not inside the one above: clap sees whether that is there by its own arguments alone.
    #[command(flatten)]
    tables: TableArgs,
}

#[derive(clap::Subcommand)]
enum Command {
    Merge(Merge),
}

#[derive(clap::Args)]
struct Make {
    /// Table: .csv, .parquet or .npz
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// Hide labels of fewer rows than this
    #[arg(long, value_name = "ROWS", default_value_t = Part::RARE)]
    rare: usize,

    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Replace what is there
    #[arg(long)]
    force: bool,
}

/// Merge the parts of all sites into the dictionary of the study
///
/// All differences are named at once: variables that a site lacks or calls otherwise, another order, other
/// kinds, and labels that differ only in case or blanks. Otherwise the labels of all parts are united, in an
/// order that does not depend on that of the files. The result is what schema of study.toml names.
#[derive(clap::Args)]
struct Merge {
    /// Parts, from fedcdi dictionary
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,

    /// Give variables with hidden labels a category of this name: it stands for all labels that are not
    /// listed
    #[arg(long, value_name = "NAME")]
    other: Option<String>,

    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Replace what is there
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match (self.command, self.make) {
            (Some(Command::Merge(merge)), _) => merge.run(),
            (None, Some(make)) => make.run(&self.tables),
            (None, None) => Err(Failure::bad_input(
                "name a table and --out, or see fedcdi dictionary --help",
            )),
        }
    }
}

impl Make {
    fn run(self, tables: &TableArgs) -> Result<(), Failure> {
        let table = read_table(&self.data, &tables.options()?)?;
        let made = Part::of(&table.dataset, self.rare, &self.data);
        let (part, hidden) = made.map_err(all)?;
        part.write(&self.out, overwrite(self.force))?;
        hidden.iter().for_each(tell_hidden);
        let variables: String = grid(&part.variables);
        output::print(&format!("{variables}written  {}\n", self.out.display()))
    }
}

/// A line for each column of which nothing can be shown.
fn all(wrong: Vec<FileError>) -> Failure {
    let lines: Vec<String> = wrong.iter().map(|error| error.told_by(&Flags)).collect();
    Failure::BadInput(lines.join("\n"))
}

/// For this site alone.
fn tell_hidden(hidden: &Hidden) {
    let labels: Vec<String> = hidden
        .labels
        .iter()
        .map(|(label, n)| format!("{label:?} ({n})"))
        .collect();
    output::note(&format!(
        "hidden, and not to be shared: labels of {:?} with their rows: {}",
        hidden.variable,
        output::list(&labels, 20)
    ));
}

fn grid(variables: &[PartVariable]) -> String {
    let mut grid = Grid::new("variable|kind|labels|hidden");
    for variable in variables {
        let (kind, labels) = if variable.is_real() {
            ("real", String::new())
        } else {
            ("categories", variable.labels().len().to_string())
        };
        let hidden = match variable.hidden {
            0 => String::new(),
            n => n.to_string(),
        };
        grid.row(&[&variable.name, &kind, &labels, &hidden]);
    }
    grid.render()
}

impl Merge {
    fn run(self) -> Result<(), Failure> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for path in &self.parts {
            parts.push((path.display().to_string(), Part::read(path)?));
        }
        let merged = merge(&parts, self.other.as_deref()).map_err(Failure::refused)?;
        let text = serde_json::to_string_pretty(&merged.file);
        let text = text.expect("a schema has nothing that JSON lacks") + "\n";
        write_text(&self.out, overwrite(self.force), &text)?;
        let face: &dyn Face = &Flags;
        let warnings = merged.warnings.iter();
        warnings.for_each(|warning| output::warn(&warning.render(face)));
        let n_vars = merged.file.schema.n_vars();
        output::print(&format!(
            "{} parts, {n_vars} variables\nwritten  {}\n",
            parts.len(),
            self.out.display()
        ))
    }
}
