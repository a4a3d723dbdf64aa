//! `fedcdi convert`: tables, graphs and networks from one format to another.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fedcdi_data::read::read_bif;
use fedcdi_data::study::TableFormat;
use fedcdi_data::write::{GraphFormat, Overwrite, write_bif, write_graph, write_table};

use super::evaluate::read_any_graph;
use super::generate::overwrite;
use super::table_args::TableArgs;
use super::words::{FORMATS, Word, words};
use crate::failure::Failure;
use crate::loading::read_study;
use crate::output;

const GRAPHS: [Word<GraphFormat>; 6] = [
    ("json", "", GraphFormat::Json),
    (
        "adjacency",
        "Matrix of 0 and 1 (or probabilities), row = cause",
        GraphFormat::Adjacency,
    ),
    ("edges", "cause,effect,probability", GraphFormat::EdgeList),
    ("graphml", "", GraphFormat::GraphMl),
    ("dot", "", GraphFormat::Dot),
    ("dagitty", "", GraphFormat::Dagitty),
];

/// Convert tables, graphs and networks between formats
///
/// The extension of --out decides what is written: .csv, .parquet, .npz a table; .json, .graphml,
/// .dot, .dagitty a graph; .bif a network; no extension a study folder with one site per input.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi convert samples.npz --out samples.parquet
  fedcdi convert site-a.csv site-b.csv --out study        (categories are merged)
  fedcdi convert study --out truth.dot                    (its true graph)
  fedcdi convert alarm.bif --out alarm.graphml
  fedcdi convert found.json --to edges --out found.csv")]
pub(crate) struct Args {
    /// Tables, a study folder, a graph or a network
    #[arg(required = true, value_name = "PATH")]
    inputs: Vec<PathBuf>,

    /// File or study folder to write
    #[arg(long, value_name = "PATH")]
    out: PathBuf,

    /// Write a graph in this format, whatever the extension
    #[arg(long, value_parser = words(&GRAPHS), value_name = "FORMAT")]
    to: Option<GraphFormat>,

    /// How the tables in a study folder are stored
    #[arg(long, value_parser = words(&FORMATS), default_value = "csv")]
    format: TableFormat,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    tables: TableArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let overwrite = overwrite(self.force);
        let extension = self.out.extension().map(OsStr::to_ascii_lowercase);
        match (self.to, extension.as_ref().and_then(|e| e.to_str())) {
            (Some(format), _) => self.write_graph(format, overwrite)?,
            (None, None) => {
                let study = read_study(&self.inputs, &self.tables)?;
                study.write(&self.out, self.format, overwrite)?;
            }
            (None, Some("bif")) => {
                let network = read_bif(self.only_input()?)?;
                write_bif(&self.out, &network, overwrite)?;
            }
            (None, Some("csv" | "parquet" | "npz")) => {
                self.refuse_graphs()?;
                self.write_table(overwrite)?;
            }
            (None, Some(_)) => self.write_graph(GraphFormat::from_path(&self.out)?, overwrite)?,
        }
        output::print(&format!("written  {}\n", self.out.display()))
    }

    /// A graph is no table of samples; people who name a `.csv` mean its matrix or its edges.
    fn refuse_graphs(&self) -> Result<(), Failure> {
        let is_graph = |path: &PathBuf| path.extension().is_some_and(|e| e == "json");
        match self.inputs.iter().find(|path| is_graph(path)) {
            Some(path) => Err(Failure::BadInput(format!(
                "{}: a graph is no table; add --to edges or --to adjacency",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    fn write_table(&self, overwrite: Overwrite) -> Result<(), Failure> {
        let study = read_study(&self.inputs, &self.tables)?;
        let (rows, truth) = (study.pool(), study.truth().map(|t| &**t));
        let options = self.tables.options()?;
        Ok(write_table(&self.out, &rows, truth, &options, overwrite)?)
    }

    fn write_graph(&self, format: GraphFormat, overwrite: Overwrite) -> Result<(), Failure> {
        let graph = read_any_graph(self.only_input()?)?;
        Ok(write_graph(&self.out, &graph, format, overwrite)?)
    }

    fn only_input(&self) -> Result<&Path, Failure> {
        match &self.inputs[..] {
            [one] => Ok(one),
            _ => Err(Failure::bad_input(
                "a graph or network is made from one input; several inputs make a study folder: --out FOLDER",
            )),
        }
    }
}
