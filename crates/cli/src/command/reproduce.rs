//! `fedcdi reproduce`: the paper's experiments, run again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fedcdi_paper::{Existing, Job, PAGE, Part, Plan, Ran, ResultsFile, Size};
use fedcdi_study::report::count;

use crate::failure::Failure;
use crate::output::{self, Grid};
use crate::progress::{CANCEL, bar, stop_on_ctrl_c};

/// Run the paper's experiments again and show them beside the published numbers
///
/// Names one or more experiments, or all; list shows which there are and what they cost. Every
/// finished run is kept in DIR/results.jsonl at once: a run that is stopped or killed goes on with
/// --resume and ends with the same page. Runs that two experiments share are made once.
///
/// DIR/index.html shows everything on one page: figures, means with 95 % intervals over seeds,
/// differences seed by seed, published values. Beside it: one SVG per figure, summary.csv, runs.csv.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi reproduce list                            names, figures, CPU time
  fedcdi reproduce all --quick --out quick         small studies, three seeds: the shape
  fedcdi reproduce table --seeds 5 --out paper     table 1 with five seeds
  fedcdi reproduce table rounds --resume --out paper
                                                   go on, and add another experiment
  fedcdi reproduce clients-dividing --panel ER-4 --at 1 --at 8
                                                   one panel, two of its points")]
pub(crate) struct Args {
    /// Experiments by name, or: all, list
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    /// Repetitions with other graphs, data and training [default: 20, or 3 with --quick]
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,

    /// Few small studies that show the shape, in less than an hour of CPU time
    #[arg(long)]
    quick: bool,

    /// Only this panel of the figures, or column of the table; may be repeated
    #[arg(long = "panel", value_name = "NAME")]
    panels: Vec<String>,

    /// Only this line of the figures, or row of the table; may be repeated
    #[arg(long = "line", value_name = "NAME")]
    lines: Vec<String>,

    /// Only this place on the x axis; may be repeated
    #[arg(long, value_name = "X")]
    at: Vec<f64>,

    /// Keep the results that DIR holds and run what is missing
    #[arg(long)]
    resume: bool,

    /// Folder for results, page, tables and figures
    #[arg(long, value_name = "DIR", default_value = "fedcdi-paper")]
    out: PathBuf,

    /// Runs at a time, each on one thread [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let size = if self.quick { Size::Quick } else { Size::Paper };
        let seeds = self.seeds.unwrap_or(size.seeds());
        for (flag, is_zero) in [("--seeds", seeds == 0), ("--jobs", self.jobs == Some(0))] {
            if is_zero {
                return Err(Failure::BadInput(format!(
                    "{flag} is 0, but must be at least 1"
                )));
            }
        }
        if self.names == ["list"] {
            return output::print(&list(self.seeds)?);
        }
        let plan = Plan::new(&self.names, size, seeds).map_err(Failure::bad_input)?;
        let part = Part {
            panels: self.panels.clone(),
            lines: self.lines.clone(),
            at: self.at.clone(),
        };
        let plan = plan.only(part).map_err(Failure::bad_input)?;
        let existing = if self.resume {
            Existing::Resume
        } else {
            Existing::Refuse
        };
        let mut results = ResultsFile::open(&self.out, existing)?;
        let missing = plan.missing(&results);
        let n_missing = missing.len();
        output::print(&self.beginning(&plan, &missing))?;
        stop_on_ctrl_c()?;
        let ran = work(missing, self.jobs, &mut results)?;
        let plan = plan.with_finished(results.finished());
        fedcdi_paper::write_output(&self.out, &plan, results.finished())?;
        let page = self.out.join(PAGE);
        output::print(&format!("open     {}\n", page.display()))?;
        ending(&ran, n_missing, &self.out)
    }

    fn beginning(&self, plan: &Plan, missing: &[Job]) -> String {
        let names = plan.experiments.iter().map(|p| &*p.experiment.name);
        let names: Vec<&str> = names.collect();
        let n_done = plan.jobs().len() - missing.len();
        let done = match n_done {
            0 => String::new(),
            n => format!(", {n} done before"),
        };
        let cost = match missing.len() {
            0 => String::new(),
            _ => format!(", roughly {} of CPU time", duration(seconds(missing))),
        };
        format!(
            "running  {}\njobs     {}{done}{cost}\nresults  {}\n",
            names.join(", "),
            missing.len(),
            self.out.display()
        )
    }
}

fn work(jobs: Vec<Job>, workers: Option<usize>, results: &mut ResultsFile) -> Result<Ran, Failure> {
    let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let millis = |job: &Job| (1000.0 * job.cost()) as u64;
    let (total, n_jobs) = (jobs.iter().map(millis).sum(), jobs.len());
    let bar = bar("running", total);
    bar.set_message(format!("0 of {n_jobs} jobs"));
    bar.enable_steady_tick(Duration::from_millis(500));
    let n_ended = AtomicUsize::new(0);
    let ended = |job: &Job| {
        let n = n_ended.fetch_add(1, Ordering::Relaxed) + 1;
        bar.set_message(format!("{n} of {n_jobs} jobs"));
        bar.inc(millis(job));
    };
    let workers = workers.unwrap_or_else(cores);
    let ran = fedcdi_paper::run(jobs, workers, &CANCEL, &ended, results);
    bar.finish_and_clear();
    Ok(ran?)
}

fn ending(ran: &Ran, n_jobs: usize, folder: &Path) -> Result<(), Failure> {
    let resume = format!(
        "run the same command with --resume to go on; what is done is in {}",
        folder.display()
    );
    if let Some((job, error)) = ran.failed.first() {
        let failed = count(ran.failed.len(), "job");
        return Err(Failure::Failed(format!(
            "{failed} of {n_jobs} failed, the first ({}) with: {error}; {resume}",
            job.fingerprint()
        )));
    }
    if ran.finished < n_jobs {
        return Err(Failure::Failed(format!(
            "stopped after {} of {}; {resume}",
            ran.finished,
            count(n_jobs, "job")
        )));
    }
    Ok(())
}

fn list(seeds: Option<u64>) -> Result<String, Failure> {
    let mut grid = Grid::new("name|jobs|CPU time|quick|CPU time|in the paper");
    let mut row = |name: &str, figure: &str| {
        let costs = |size: Size| {
            let plan = Plan::new(&[name], size, seeds.unwrap_or(size.seeds()));
            let jobs = plan.map_err(Failure::bad_input)?.jobs();
            Ok::<_, Failure>((jobs.len(), duration(seconds(&jobs))))
        };
        let ((jobs, time), (quick, quick_time)) = (costs(Size::Paper)?, costs(Size::Quick)?);
        grid.row(&[&name, &jobs, &time, &quick, &quick_time, &figure]);
        Ok::<_, Failure>(())
    };
    for experiment in fedcdi_paper::all() {
        row(&experiment.name, &experiment.figure)?;
    }
    row("all", "shared runs once")?;
    let seeds = |size: Size| count(seeds.unwrap_or(size.seeds()) as usize, "seed");
    Ok(format!(
        "{}\nJobs and rough CPU time on one core with {}, and with --quick and {}.\n",
        grid.render(),
        seeds(Size::Paper),
        seeds(Size::Quick)
    ))
}

fn seconds(jobs: &[Job]) -> f64 {
    jobs.iter().map(Job::cost).sum()
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_at_a_glance() {
        assert_eq!(duration(12.4), "12 s");
        assert_eq!(duration(600.0), "10 min");
        assert_eq!(duration(36_000.0), "10 h");
    }
}
