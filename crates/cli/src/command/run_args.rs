//! Flags of every command that learns: the method and its settings, the rows, where results go.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use fedcdi_core::choice::Registry;
use fedcdi_core::{Choice, Settings};
use fedcdi_data::write::check_folder_place;
use fedcdi_protocol::Moves;
use fedcdi_study::run_folder::RUN_FOLDER;
use fedcdi_study::{
    Catalogue, DataSpec, GeneratedData, Method, NetworkData, Preset, Refine, Spec, read_knowledge,
    read_method, read_spec,
};

use super::table_args::{TableArgs, absolute};
use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Data and all settings from a file, such as the spec.toml of a run folder; other flags come on
    /// top
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,

    /// The method that learns the graph: enco, sdi and dcdi run within FedCDI, score
    /// searches by the sums of all sites, the others run in place of FedCDI
    /// [default: enco]
    #[arg(long, value_name = "METHOD", aliases = ["local", "baseline"], value_parser = names_of(&Catalogue::default().methods))]
    method: Option<String>,

    /// Settings of the method (a TOML file), in place of those of a spec
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// FedCDI exactly as published: every choice of the paper at once (`fedcdi methods --paper` lists
    /// them); other flags come on top
    #[arg(long, conflicts_with = "spec")]
    pub(crate) paper: bool,

    /// Most rounds [default: 3, or 10 with --refine never]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,

    /// Epochs of learning per site and round (enco and sdi) [default: 2]
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// Use only the first observational rows; of generated data, how many to draw
    #[arg(long, value_name = "ROWS")]
    obs: Option<usize>,

    /// Use only the first rows of EVERY intervention; of generated data, how many to draw IN ALL
    #[arg(long, value_name = "ROWS")]
    int: Option<usize>,

    /// Whether scores of all rows refine the graph of the last round [default: usual]
    #[arg(long, value_name = "HOW", value_parser = Refine::WORDS)]
    refine: Option<String>,

    /// Whether interventions rule out edges: those whose effect does not move when the cause is set
    /// [default: use; with --method score ignore]
    #[arg(long, value_name = "HOW", value_parser = Moves::WORDS)]
    moves: Option<String>,

    /// Edges that are known beforehand (a TOML file; the end of `fedcdi discover --help` shows one)
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,

    /// Variables that nobody can set, such as age,sex: they are not advised as the next experiment
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    cannot_intervene: Vec<String>,

    /// Random seed [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Folder for report.html, spec.toml, run.json, the graph in six formats and, where there are
    /// probabilities, belief.csv and probabilities.csv
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// Replace what is there
    #[arg(long)]
    pub(crate) force: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    tables: TableArgs,
}

/// A parser of the names in a list, with what each is.
pub(crate) fn names_of<T>(list: &Registry<T>) -> PossibleValuesParser {
    let value = |kind: &fedcdi_core::choice::Kind<T>| {
        // Clap keeps names for as long as the program runs.
        let (name, summary): (&str, &str) = (kind.name.clone().leak(), kind.summary.clone().leak());
        PossibleValue::new(name).help(summary)
    };
    PossibleValuesParser::new(list.kinds().iter().map(value).collect::<Vec<_>>())
}

impl RunArgs {
    /// What the flags come on top of: a spec, the paper's settings, or ours. Refuses a folder that can
    /// never be written, before hours go into the run.
    pub(crate) fn base(&self) -> Result<Spec, Failure> {
        if let Some(folder) = &self.out {
            check_folder_place(folder, &RUN_FOLDER)?;
        }
        match &self.spec {
            Some(path) => Ok(read_spec(path)?),
            None if self.paper => Ok(Preset::Paper.spec()),
            None => Ok(Spec::default()),
        }
    }

    /// The spec with what these flags say on top, complete and in range. `file` is the table that was
    /// named; `instead` says how to name one.
    pub(crate) fn on_top_of(
        &self,
        mut spec: Spec,
        file: Option<&Path>,
        instead: &str,
    ) -> Result<Spec, Failure> {
        self.override_method(&mut spec)?;
        self.override_data(&mut spec, file, instead)?;
        spec.seed = self.seed.unwrap_or(spec.seed);
        spec.coordinator.rounds = self.rounds.or(spec.coordinator.rounds);
        let refine = self.refine.as_deref().and_then(Refine::of_word);
        spec.refine = refine.unwrap_or(spec.refine);
        let moves = self.moves.as_deref().and_then(Moves::of_word);
        spec.moves = moves.or(spec.moves);
        if let Some(path) = &self.knowledge {
            spec.knowledge = read_knowledge(path)?;
        }
        (spec.knowledge.cannot_set).extend(self.cannot_intervene.iter().cloned());
        spec.complete(&Catalogue::default())
            .map_err(Failure::bad_input)
    }

    pub(crate) fn knowledge_file(&self) -> Option<PathBuf> {
        self.knowledge.as_ref().or(self.spec.as_ref()).cloned()
    }

    fn override_method(&self, spec: &mut Spec) -> Result<(), Failure> {
        // Settings of the same method in a spec stay.
        let named = self.method.as_ref();
        if let Some(name) = named.filter(|name| **name != spec.method.name) {
            spec.method = Choice::named(name);
        }
        if let Some(path) = &self.settings {
            let base = if self.paper {
                spec.method.settings.clone()
            } else {
                Settings::new()
            };
            spec.method = read_method(path, &spec.method.name, base)?;
        }
        let method = Catalogue::default().methods.build(&spec.method);
        match method.map_err(Failure::bad_input)? {
            Method::Rival(_) => return self.refuse_for_rival(&spec.method.name),
            Method::Score(_) => return refuse_for(&spec.method.name, &self.of_rounds()),
            Method::Local(_) => {}
        }
        match self.epochs {
            Some(epochs) => set_epochs(&mut spec.method, epochs),
            None => Ok(()),
        }
    }

    fn refuse_for_rival(&self, method: &str) -> Result<(), Failure> {
        refuse_for(method, &self.of_rounds())?;
        let others = [
            ("--moves", self.moves.is_some()),
            ("--knowledge", self.knowledge.is_some()),
        ];
        refuse_for(method, &others)
    }

    /// Flags about rounds, and whether they were given.
    fn of_rounds(&self) -> [(&'static str, bool); 4] {
        [
            ("--paper", self.paper),
            ("--rounds", self.rounds.is_some()),
            ("--epochs", self.epochs.is_some()),
            ("--refine", self.refine.is_some()),
        ]
    }

    fn override_data(
        &self,
        spec: &mut Spec,
        file: Option<&Path>,
        instead: &str,
    ) -> Result<(), Failure> {
        if let Some(path) = file {
            spec.data = Some(DataSpec::File(path.to_owned()));
        }
        match &mut spec.data {
            Some(
                DataSpec::Generated(GeneratedData { obs, int, .. })
                | DataSpec::Network(NetworkData { obs, int, .. }),
            ) => {
                *obs = self.obs.unwrap_or(*obs);
                *int = self.int.unwrap_or(*int);
            }
            tables => {
                if let Some(DataSpec::File(path)) = tables {
                    // The run folder's own spec must find the data from anywhere.
                    *path = absolute(path)?;
                }
                let rows = &mut spec.rows;
                rows.observational = self.obs.or(rows.observational);
                rows.per_intervention = self.int.or(rows.per_intervention);
            }
        }
        let (data, read) = (spec.data.as_ref(), &mut spec.read);
        self.tables.override_reading_of(data, read, instead)
    }
}

/// Refuses the first flag that was given though it does not apply to `method`.
pub(crate) fn refuse_for(method: &str, flags: &[(&str, bool)]) -> Result<(), Failure> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::BadInput(format!(
            "{flag} does not apply to {method}; leave it out, or use --method enco"
        ))),
        None => Ok(()),
    }
}

fn set_epochs(method: &mut Choice, epochs: usize) -> Result<(), Failure> {
    let methods = Catalogue::default().methods;
    let kind = methods.kind(&method.name).map_err(Failure::bad_input)?;
    if !kind.defaults.contains_key("epochs") {
        return Err(Failure::bad_input(format!(
            "--epochs does not apply to {}, which counts iterations; leave it out, or set max_iterations (of several sites: iterations_per_round) in its settings",
            method.name
        )));
    }
    method.settings.insert("epochs".to_owned(), epochs.into());
    Ok(())
}
