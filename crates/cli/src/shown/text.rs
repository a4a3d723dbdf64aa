//! What a run prints for people.

use std::fmt::Write as _;
use std::path::Path;

use fedcdi_study::report::count;
use fedcdi_study::run_folder::REPORT;
use fedcdi_study::{EstimatedTargets, NamedEdge, RunResult, Scores};

use super::json::{CompareRows, Pair, confounded, round_rows};
use crate::output::{Grid, sites_grid};
use crate::running::Finished;

const MOST_EDGES: usize = 40;

/// Shown where an edge of the graph is not likelier than not.
const DOUBTFUL: &str = "\
Below 0.5: there probably is an edge, but it may point the other way; take it for a hint.
";

pub(crate) fn text(finished: &Finished, out: Option<&Path>) -> String {
    let run = &finished.run;
    let mut parts = Vec::new();
    let mut most = usize::MAX;
    if run.is_federation() {
        let rows = finished.rows.iter();
        parts.push(sites_grid(rows.map(|site| {
            (
                &*site.name,
                site.observational,
                site.rows,
                site.targets.clone(),
            )
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
        None => text += &format!(" after {}", count(run.rounds().len(), "round")),
        Some(found) if run.is_federation() && found.shares.is_some() => text += " by vote",
        Some(_) if run.is_federation() => text += " by all sites together",
        Some(_) => {}
    }
    let _ = writeln!(text, " in {:.1} s ({})", finished.seconds, run.stop);
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

/// The first `most` edges, and how many there are besides.
fn edges_text(edges: &[NamedEdge<'_>], most: usize) -> String {
    if edges.is_empty() {
        return "  no edges\n".to_owned();
    }
    let shown = edges.iter().take(most);
    let cells = |edge: &NamedEdge<'_>| {
        let arrow = if edge.directed == Some(false) {
            "--"
        } else {
            "->"
        };
        let strength = match (edge.probability, edge.votes) {
            (Some(probability), _) => format!("{probability:.3}"),
            (None, Some(votes)) => format!("{:.0} %", 100.0 * votes),
            (None, None) => String::new(),
        };
        [
            edge.cause.to_owned(),
            arrow.to_owned(),
            edge.effect.to_owned(),
            strength,
        ]
    };
    let votes = edges.iter().any(|edge| edge.votes.is_some());
    let strength = if votes { "votes" } else { "probability" };
    let mut grid = Grid::new(["cause", "", "effect", strength]);
    shown.for_each(|edge| grid.row(cells(edge)));
    if edges
        .iter()
        .all(|e| e.probability.is_none() && e.votes.is_none())
    {
        grid.remove_column(3);
    }
    let mut text = grid.render();
    if let Some(more) = edges.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more: see --json, or the files of --out");
    }
    if edges.iter().any(|e| e.probability.is_some_and(|p| p < 0.5)) {
        text += DOUBTFUL;
    }
    text
}

fn targets_text(run: &RunResult) -> Option<String> {
    let targets = run.estimated_targets();
    let mut grid = Grid::new(["marked as", "intervened on"]);
    for EstimatedTargets { named, found } in &targets {
        let found = match found.join(", ") {
            nothing if nothing.is_empty() => "nothing that shows".to_owned(),
            names => names,
        };
        grid.row([named.join(", "), found]);
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
    const SHD: usize = 4;
    let mut grid = Grid::new(["round", "edges", "change", "disagreement", "SHD", "seconds"]);
    let rows = round_rows(finished);
    let n = rows.len();
    for (_, row) in rows.iter().enumerate().filter(|(at, _)| is_shown(*at, n)) {
        grid.row([
            row.round.to_string(),
            row.edges.to_string(),
            format!("{:.3}", row.belief_change),
            format!("{:.3}", row.entropy),
            row.shd.map_or("-".to_owned(), |shd| shd.to_string()),
            format!("{:.1}", row.seconds),
        ]);
    }
    if finished.run.scores.is_none() {
        grid.remove_column(SHD);
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
    let mut grid = Grid::new([
        "against the truth",
        "SHD",
        "missing",
        "extra",
        "reversed",
        "raw SHD",
        "class SHD",
        "SID",
        "precision",
        "recall",
    ]);
    let number = |n: Option<usize>| n.map_or("-".to_owned(), |n| n.to_string());
    let mut line = |name: String, scores: &Scores| {
        let graph = &scores.graph;
        grid.row([
            name,
            graph.shd.to_string(),
            graph.confusion.missing.to_string(),
            graph.confusion.extra.to_string(),
            graph.confusion.reversed.to_string(),
            number(scores.shd_raw),
            number(scores.shd_class),
            number(graph.sid),
            format!("{:.3}", graph.precision),
            format!("{:.3}", graph.recall),
        ]);
    };
    line(name, scores);
    for (name, row) in compare.iter().flat_map(CompareRows::named) {
        if let Some(scores) = row.scores {
            line(name, scores);
        }
    }
    for (column, absent) in [
        (6, scores.shd_class.is_none()),
        (5, scores.shd_raw.is_none()),
    ] {
        if absent {
            grid.remove_column(column);
        }
    }
    Some(grid.render())
}

/// Where no truth is known: how much of the federated graph is found without the federation.
fn common_text(name: &str, n_edges: usize, compare: &CompareRows<'_>) -> String {
    let mut grid = Grid::new(["without a known truth", "edges", "in common", "turned"]);
    let mut line = |name: String, counts: [usize; 3]| {
        let [edges, common, turned] = counts.map(|n| n.to_string());
        grid.row([name, edges, common, turned]);
    };
    line(name.to_owned(), [n_edges, n_edges, 0]);
    for (name, row) in compare.named() {
        line(name, [row.edges, row.common, row.turned]);
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
