//! `fedcdi simulate --baseline gies`: the same clients, another method.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use fedcdi_core::Dag;
use fedcdi_core::graph::GraphScores;
use fedcdi_data::Study;
use fedcdi_experiment::{
    BaselineMethod, RivalComparison, RivalRun, RivalSpec, SimulateSpec, out_of_range,
    read_rival_spec, run_rival, shortfall, write_rival_run,
};
use fedcdi_learn::baseline::StopReason;
use serde::Serialize;

use super::Args;
use crate::command::baseline_args::{refuse_knowledge, refuse_unused, suited};
use crate::command::generate::overwrite;
use crate::comparison::CompareRows;
use crate::failure::Failure;
use crate::loading::load;
use crate::out_folder;
use crate::output::{self, Grid, count};
use crate::progress::{CANCEL, SearchWatch, stop_on_ctrl_c};
use crate::simulation::{ClientRow, client_rows, clients_text, without_comparison};

/// What came of it.
struct Finished {
    spec: RivalSpec,
    run: RivalRun,
    seconds: f64,
    /// All rows in one place, and every client alone.
    compare: Option<RivalComparison>,
}

impl Args {
    /// The baseline that is asked for, if one is.
    pub(super) fn rival_spec(&self) -> Result<Option<RivalSpec>, Failure> {
        let mut spec = match (self.rival_spec_of_file()?, self.baseline) {
            (None, None) => return Ok(None),
            (Some(_), None) if self.settings.is_some() => {
                return Err(Failure::bad_input(
                    "the spec is one of a baseline and has its settings; leave out --settings, or name the method with --baseline",
                ));
            }
            (Some(spec), None) => spec,
            (from_file, Some(name)) => {
                let method = name.method(self.settings.as_deref())?;
                match from_file {
                    // Settings of the same method in a spec stay.
                    Some(spec)
                        if self.settings.is_none() && spec.method.name() == method.name() =>
                    {
                        spec
                    }
                    Some(spec) => RivalSpec { method, ..spec },
                    None => self.rival_of_base(method)?,
                }
            }
        };
        self.refuse_what_no_baseline_has(&spec.method)?;
        self.override_data(&mut spec.data, &mut spec.rows)?;
        self.tables
            .override_reading_of(Some(&spec.data), &mut spec.read, "add --data")?;
        spec.compare |= self.compare;
        self.override_division(&mut spec.clients, &mut spec.split)?;
        spec.seed = self.seed.unwrap_or(spec.seed);
        Ok(Some(spec))
    }

    /// The spec, if it is one of a baseline.
    fn rival_spec_of_file(&self) -> Result<Option<RivalSpec>, Failure> {
        let Some(path) = &self.spec else {
            return Ok(None);
        };
        let spec = read_rival_spec(path)?;
        if let Some(spec) = &spec {
            let checked = spec.method.check();
            checked.map_err(|error| out_of_range(path, &error))?;
        }
        Ok(spec)
    }

    /// A baseline on the data of a federation's spec, or on a generated study.
    fn rival_of_base(&self, method: BaselineMethod) -> Result<RivalSpec, Failure> {
        let base = self.base_spec()?;
        refuse_knowledge(&base.knowledge, &method, "leave out --baseline")?;
        let SimulateSpec {
            seed,
            clients,
            split,
            data,
            read,
            rows,
            compare,
            ..
        } = base;
        Ok(RivalSpec {
            seed,
            clients,
            compare,
            split,
            method,
            data,
            read,
            rows,
        })
    }

    fn refuse_what_no_baseline_has(&self, method: &BaselineMethod) -> Result<(), Failure> {
        let options = [
            ("--local", self.local.is_some()),
            ("--aggregate", self.aggregate.is_some()),
            ("--beta", self.beta.is_some()),
            ("--rounds", self.rounds.is_some()),
            ("--epochs", self.epochs.is_some()),
            ("--knowledge", self.knowledge.is_some()),
        ];
        refuse_unused(method, &options, "leave out --baseline")
    }

    pub(super) fn run_rival(&self, mut spec: RivalSpec) -> Result<(), Failure> {
        let loaded = load(&spec.data, &spec.read, spec.seed)?;
        let study = spec.clients_of(&loaded).map_err(Failure::refused)?;
        if let Some(warning) = shortfall(&loaded, spec.clients, spec.rows) {
            output::warn(&warning);
        }
        let (settings, file) = (self.settings.as_deref(), self.spec.as_deref());
        spec.method = suited(spec.method, settings, file, &study.clients()[0].data)?;
        out_folder::check_free(self.out.as_deref(), self.force, &spec)?;
        stop_on_ctrl_c(&CANCEL)?;
        let start = Instant::now();
        let run = watched(&study, &spec)?;
        let seconds = start.elapsed().as_secs_f64();
        let finished = Finished {
            compare: compared(&study, &spec).unwrap_or_else(without_comparison),
            spec,
            run,
            seconds,
        };
        for warning in finished.run.warnings() {
            output::warn(&warning);
        }
        let write = |folder: &Path| {
            let Finished {
                spec, run, compare, ..
            } = &finished;
            write_rival_run(folder, spec, run, compare.as_ref(), overwrite(self.force))
        };
        out_folder::write_and_show(self.out.as_deref(), write, |folder| {
            if self.json {
                return output::print_json(&Report::of(&finished));
            }
            let mut text = finished.text();
            if let Some(folder) = folder {
                text += "\n";
                text += &output::written(folder);
            }
            output::print(&text)
        })
    }
}

fn watched(study: &Study, spec: &RivalSpec) -> Result<RivalRun, Failure> {
    let watch = SearchWatch::new(&CANCEL);
    let run = run_rival(study, spec, Some(&watch));
    watch.finish();
    Ok(run?)
}

/// The comparison, if it was asked for and nobody asked to stop.
fn compared(study: &Study, spec: &RivalSpec) -> Result<Option<RivalComparison>, Failure> {
    let stopped = || CANCEL.load(Ordering::Relaxed);
    if !spec.compare || stopped() {
        return Ok(None);
    }
    match comparison(study, spec) {
        _ if stopped() => Ok(None),
        compared => compared.map(Some),
    }
}

fn comparison(study: &Study, spec: &RivalSpec) -> Result<RivalComparison, Failure> {
    let pooled = Study::pooled(study.pool(), study.truth().cloned());
    let alone = (0..study.clients().len()).map(|client| watched(&study.only(client), spec));
    Ok(RivalComparison {
        centralised: watched(&pooled, spec)?,
        isolated: alone.collect::<Result<_, _>>()?,
    })
}

/// What `--json` prints; without truth the scores are absent.
#[derive(Serialize)]
struct Report<'a> {
    method: &'static str,
    #[serde(flatten)]
    scores: Option<&'a GraphScores>,
    edges: usize,
    /// False if there were no interventional rows.
    oriented: bool,
    clients: Vec<ClientRow>,
    seconds: f64,
    stop_reason: StopReason,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<CompareRows<'a, GraphScores>>,
}

impl<'a> Report<'a> {
    fn of(finished: &'a Finished) -> Self {
        let run = &finished.run;
        Self {
            method: finished.spec.method.name(),
            scores: run.scores.as_ref(),
            edges: run.dag.n_edges(),
            oriented: run.study.has_interventions(),
            clients: client_rows(&run.study, |client| run.own_shd(client)),
            seconds: finished.seconds,
            stop_reason: run.stop_reason,
            compare: finished.compared(),
        }
    }
}

/// The edges, with their votes where there was a vote.
fn edges_text(run: &RivalRun) -> String {
    let schema = run.study.schema();
    let names = |cause, effect| [schema.name(cause), "->", schema.name(effect)].map(str::to_owned);
    let Some(shares) = &run.shares else {
        let mut grid = Grid::new(["cause", "", "effect"]);
        for (cause, effect) in run.dag.edges() {
            grid.row(names(cause, effect));
        }
        return grid.render();
    };
    let mut grid = Grid::new(["cause", "", "effect", "votes"]);
    for (cause, effect) in run.dag.edges() {
        let [cause_name, arrow, effect_name] = names(cause, effect);
        let share = format!("{:.0} %", 100.0 * shares[(cause.0, effect.0)]);
        grid.row([cause_name, arrow, effect_name, share]);
    }
    grid.render()
}

impl Finished {
    fn text(&self) -> String {
        let run = &self.run;
        let mut text = clients_text(&run.study) + "\n";
        text += &edges_text(run);
        let _ = writeln!(
            text,
            "\n{} {} in {:.1} s ({})",
            count(run.dag.n_edges(), "edge"),
            if run.shares.is_some() {
                "by vote"
            } else {
                "by all clients together"
            },
            self.seconds,
            run.stop_reason,
        );
        let compare = self.compared();
        if let Some(scores) = &run.scores {
            text += "\n";
            text += &self.scores_text(scores, compare.as_ref());
        } else if let Some(compare) = &compare {
            text += "\n";
            text += &compare.common_text(&self.name());
        }
        text
    }

    /// The run among what it is compared with.
    fn name(&self) -> String {
        format!("{}, clients", self.spec.method.name())
    }

    /// The comparison, if there is one.
    fn compared(&self) -> Option<CompareRows<'_, GraphScores>> {
        fn scored(run: &RivalRun) -> (&Dag, Option<&GraphScores>) {
            (&run.dag, run.scores.as_ref())
        }
        let with = self.compare.as_ref()?;
        let alone = self.run.study.clients().iter().zip(&with.isolated);
        Some(CompareRows::new(
            &self.run.dag,
            scored(&with.centralised),
            alone.map(|(client, run)| (client.name.as_str(), scored(run))),
        ))
    }

    fn scores_text(
        &self,
        clients: &GraphScores,
        compare: Option<&CompareRows<'_, GraphScores>>,
    ) -> String {
        let mut grid = Grid::new(["against the truth", "SHD", "SID", "precision", "recall"]);
        let mut line = |name: String, graph: &GraphScores| {
            grid.row([
                name,
                graph.shd.to_string(),
                graph.sid.map_or("-".to_owned(), |sid| sid.to_string()),
                format!("{:.3}", graph.precision),
                format!("{:.3}", graph.recall),
            ]);
        };
        line(self.name(), clients);
        for (name, row) in compare.into_iter().flat_map(CompareRows::named) {
            if let Some(scores) = row.scores {
                line(name, scores);
            }
        }
        grid.render()
    }
}
