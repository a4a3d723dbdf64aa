//! What a run prints for people.

use std::fmt::Write as _;
use std::path::Path;

use fedcdi_study::report::count;
use fedcdi_study::run_folder::REPORT;
use fedcdi_study::{EstimatedTargets, NamedEdge, NextExperiment, RunResult, Scores};

use super::json::{CompareRows, Pair, confounded, round_rows};
use crate::output::{self, Grid, decimal, or_dash, sites_grid};
use crate::running::Finished;

const MOST_EDGES: usize = 40;

/// Shown where an edge of the graph is not likelier than not.
const DOUBTFUL: &str =
    "Below 0.5: there probably is an edge, but it may point the other way; take it for a hint.\n";

/// Shown where directions are open.
const OPEN: &str = "Open (--): the probability is that there is an edge; (75 : 25) are the shares of its two directions.\n";

pub(crate) fn text(finished: &Finished, out: Option<&Path>) -> String {
    let run = &finished.run;
    let mut parts = Vec::new();
    let mut most = usize::MAX;
    if run.is_federation() {
        let rows = finished.rows.iter();
        parts.push(sites_grid(rows.map(|site| {
            let targets = site.targets.clone();
            (&*site.name, site.observational, site.rows, targets)
        })));
        parts.extend(rounds_text(finished));
        most = MOST_EDGES;
    }
    parts.push(edges_text(&run.edges(), most));
    parts.extend(targets_text(run));
    parts.push(ending_text(finished));
    parts.extend(scores_text(finished));
    parts.extend(out.map(|folder| {
        let (folder, report) = (folder.display(), folder.join(REPORT));
        format!("written  {folder}\nopen     {}\n", report.display())
    }));
    parts.join("\n")
}

/// One line on what was found and how, and what else is worth knowing.
fn ending_text(finished: &Finished) -> String {
    let run = &finished.run;
    let edges = run.edges();
    let open = edges.iter().filter(|e| e.directed == Some(false)).count();
    let mut text = count(run.dag.n_edges(), "edge");
    if open > 0 {
        let _ = write!(text, ", {open} of open direction (--)");
    }
    match run.rival() {
        None if run.rounds().is_empty() => {
            let n_questions = run.scored().map_or(0, |scored| scored.n_questions);
            let questions = count(n_questions as usize, "question");
            text = format!("{text} after {questions} about sums");
        }
        None => text = format!("{text} after {}", count(run.rounds().len(), "round")),
        Some(found) if run.is_federation() && found.shares.is_some() => text += " by vote",
        Some(_) if run.is_federation() => text += " by all sites together",
        Some(_) => {}
    }
    let _ = writeln!(text, " in {:.1} s ({})", finished.seconds, run.stop);
    text += &output::line(run.refinement());
    text += &output::line(run.next_experiment().map(NextExperiment::sentence));
    for Pair { a, b, score } in confounded(run) {
        let _ = writeln!(
            text,
            "{a} and {b} may have a common cause that was not measured (score {score:.2})"
        );
    }
    if finished.comparison_was_stopped {
        text += "no comparison: stopped by the user\n";
    }
    text
}

fn edges_text(edges: &[NamedEdge<'_>], most: usize) -> String {
    if edges.is_empty() {
        return "  no edges\n".to_owned();
    }
    let votes = edges.iter().any(|edge| edge.votes.is_some());
    let strength = if votes { "votes" } else { "probability" };
    let mut grid = Grid::new(&format!("cause||effect|{strength}|gain|known from"));
    for edge in edges.iter().take(most) {
        let is_open = edge.directed == Some(false);
        let arrow = if is_open { "--" } else { "->" };
        // Of an open edge: that there is one.
        let probability = if is_open {
            edge.joined
        } else {
            edge.probability
        };
        let strength = match (probability, edge.votes) {
            (Some(probability), _) => decimal(probability),
            (None, Some(votes)) => format!("{:.0} %", 100.0 * votes),
            (None, None) => String::new(),
        };
        let gain = edge.gain.map_or_else(String::new, |g| format!("{g:.1}"));
        let known = edge.known.unwrap_or_default();
        grid.row(&[&edge.cause, &arrow, &edge.effect, &strength, &gain, &known]);
    }
    let mut text = grid.render();
    if let Some(more) = edges.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more: see --json, or the files of --out");
    }
    if edges.iter().any(|edge| edge.gain.is_some()) {
        text += "Gain: nats that the score of all rows loses without the edge.\n";
    }
    if edges
        .iter()
        .any(|edge| edge.directed == Some(false) && edge.joined.is_some())
    {
        text += OPEN;
    }
    let is_doubtful = |edge: &NamedEdge<'_>| {
        edge.directed != Some(false) && edge.probability.is_some_and(|p| p < 0.5)
    };
    if edges.iter().any(is_doubtful) {
        text += DOUBTFUL;
    }
    text
}

fn targets_text(run: &RunResult) -> Option<String> {
    let targets = run.estimated_targets();
    let mut grid = Grid::new("marked as|intervened on");
    for EstimatedTargets { named, found } in &targets {
        let found = match found.join(", ") {
            nothing if nothing.is_empty() => "nothing that shows".to_owned(),
            names => names,
        };
        grid.row(&[&named.join(", "), &found]);
    }
    (!targets.is_empty()).then(|| grid.render())
}

/// Whether round `at` of `n` is shown: all if they are few, else a few at equal distances and the
/// last.
fn is_shown(at: usize, n: usize) -> bool {
    const ALL: usize = 25;
    const SOME: usize = 10;
    n <= ALL || (at + 1).is_multiple_of(n.div_ceil(SOME)) || at + 1 == n
}

fn rounds_text(finished: &Finished) -> Option<String> {
    let mut grid = Grid::new("round|edges|change|disagreement|SHD|seconds");
    let rows = round_rows(finished);
    let n = rows.len();
    for (_, row) in rows.iter().enumerate().filter(|(at, _)| is_shown(*at, n)) {
        let [change, entropy] = [row.belief_change, row.entropy].map(decimal);
        let shd = row.shd.map_or_else(String::new, |shd| shd.to_string());
        let seconds = format!("{:.1}", row.seconds);
        grid.row(&[&row.round, &row.edges, &change, &entropy, &shd, &seconds]);
    }
    (n > 0).then(|| grid.render())
}

/// The run beside what it is compared with: against the truth, or against each other.
fn scores_text(finished: &Finished) -> Option<String> {
    let run = &finished.run;
    let compare = CompareRows::of(finished);
    let name = match (run.is_federation(), run.rival()) {
        (false, _) => "this graph".to_owned(),
        (true, None) => "federated".to_owned(),
        (true, Some(_)) => format!("{}, sites", run.method),
    };
    let Some(scores) = &run.scores else {
        return compare.map(|compare| common_text(&name, run.dag.n_edges(), &compare));
    };
    let mut grid = Grid::new(
        "against the truth|SHD|missing|extra|reversed|raw SHD|class SHD|SID|precision|recall",
    );
    let (has_raw, has_class) = (scores.shd_raw.is_some(), scores.shd_class.is_some());
    let if_any = |any: bool, n| if any { or_dash(n) } else { String::new() };
    let mut line = |name: &str, scores: &Scores| {
        let (graph, wrong) = (&scores.graph, &scores.graph.confusion);
        grid.row(&[
            &name,
            &graph.shd,
            &wrong.missing,
            &wrong.extra,
            &wrong.reversed,
            &if_any(has_raw, scores.shd_raw),
            &if_any(has_class, scores.shd_class),
            &or_dash(graph.sid),
            &decimal(graph.precision),
            &decimal(graph.recall),
        ]);
    };
    line(&name, scores);
    for (name, row) in compare.iter().flat_map(CompareRows::named) {
        if let Some(scores) = row.scores {
            line(&name, scores);
        }
    }
    Some(grid.render())
}

/// Where no truth is known: how much of the federated graph is found without the federation.
fn common_text(name: &str, n_edges: usize, compare: &CompareRows<'_>) -> String {
    let mut grid = Grid::new("without a known truth|edges|in common|turned");
    grid.row(&[&name, &n_edges, &n_edges, &0]);
    for (name, row) in compare.named() {
        grid.row(&[&name, &row.edges, &row.common, &row.turned]);
    }
    grid.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rounds_are_thinned_and_the_last_is_kept() {
        let shown = |n| (0..n).filter(move |at| is_shown(*at, n)).map(|at| at + 1);
        assert_eq!(shown(25).count(), 25);
        assert_eq!(
            shown(400).collect::<Vec<_>>(),
            (1..=10).map(|k| 40 * k).collect::<Vec<_>>()
        );
        assert_eq!(shown(101).next_back(), Some(101));
    }
}
