//! "Is it enough?": the sufficiency verdict of `fedcdi inspect`, as text.

use std::fmt::{Display, Write as _};

use fedcdi_learn::sufficiency::{
    Existence, Open, OpenPair, Orientation, Sufficiency, TargetSufficiency, Verdict,
};

use crate::output::{Grid, list, or_dash};

/// Targets shown; the worst ones.
const TARGETS: usize = 10;

const REMEDIES: usize = 3;

pub(super) fn table(verdict: &Sufficiency) -> String {
    let (existence, orientation) = (&verdict.existence, &verdict.orientation);
    let mut grid = Grid::new("is it enough?||");
    let needed = rows_needed(existence);
    grid.row(&[&"observational rows", &existence.verdict, &needed]);
    let decided = pairs_decided(orientation);
    grid.row(&[&"interventional rows", &orientation.verdict, &decided]);
    let mut text = format!("\n{}", grid.render());
    text += &targets(orientation);
    text + &remedies(&verdict.remedies)
}

pub(super) fn federation(clients: &[(&str, &Sufficiency)], together: &Orientation) -> String {
    let mut grid = Grid::new(
        "is it enough?|observational|interventional|close pairs decided|targets with enough rows",
    );
    let mut row = |name: &str, existence: &dyn Display, orientation: &Orientation| {
        let close = format!("{} of {}", orientation.n_close_decided, orientation.n_close);
        let n_targets = orientation.targets.len();
        let targets = format!("{} of {n_targets}", n_enough(orientation));
        grid.row(&[&name, existence, &orientation.verdict, &close, &targets]);
    };
    for (name, verdict) in clients {
        row(name, &verdict.existence.verdict, &verdict.orientation);
    }
    row("all together", &"", together);
    format!(
        "\n{}{}{}",
        grid.render(),
        one_value(together),
        open_pairs(&together.open)
    )
}

/// Targets that nobody sets to a second value.
fn one_value(together: &Orientation) -> String {
    let targets = together.targets.iter();
    let fixed = targets.filter(|target| target.only_value.is_some());
    let fixed: Vec<String> = fixed.map(|target| target.target.clone()).collect();
    match fixed.len() {
        0 => String::new(),
        _ => format!(
            "\nnot counted as enough, because every row sets the same value: {}\n",
            list(&fixed, TARGETS)
        ),
    }
}

fn n_enough(orientation: &Orientation) -> usize {
    let enough = |t: &&TargetSufficiency| {
        t.only_value.is_none() && matches!(t.verdict, Verdict::Enough | Verdict::NothingSeen)
    };
    orientation.targets.iter().filter(enough).count()
}

fn rows_needed(existence: &Existence) -> String {
    let mut text = existence.n_rows.to_string();
    if existence.rows_needed > 0 {
        let _ = write!(text, ", a typical pair needs {}", existence.rows_needed);
    }
    if !existence.too_few_for.is_empty() && existence.verdict != Verdict::TooFew {
        let _ = write!(text, "; too few for {}", list(&existence.too_few_for, 4));
    }
    text
}

fn pairs_decided(orientation: &Orientation) -> String {
    if orientation.targets.is_empty() {
        return "there are none".to_owned();
    }
    if orientation.n_associated == 0 {
        return "no association is seen in the observational rows".to_owned();
    }
    let mut text = format!(
        "directions decided: {} of {} close pairs, {} of all {} associated",
        orientation.n_close_decided,
        orientation.n_close,
        orientation.n_associated_decided,
        orientation.n_associated,
    );
    if orientation.n_close_by_one_value > 0 {
        let _ = write!(
            text,
            "; {} of the close only by targets always set to one value",
            orientation.n_close_by_one_value
        );
    }
    text
}

/// The targets with most open directions, where there are any.
fn targets(orientation: &Orientation) -> String {
    let open = orientation.targets.iter().filter(|t| t.n_open > 0);
    let mut open: Vec<&TargetSufficiency> = open.collect();
    if open.is_empty() {
        return String::new();
    }
    open.sort_by_key(|t| std::cmp::Reverse(t.n_open));
    let mut grid = Grid::new("target|rows|close|decided|open|rows to add");
    for target in open.iter().take(TARGETS) {
        let [rows, close] = [target.n_rows, target.n_close];
        let [decided, open] = [target.n_close_decided, target.n_open];
        let more = or_dash(target.advice.map(|advice| advice.more_rows));
        grid.row(&[&target.target, &rows, &close, &decided, &open, &more]);
    }
    let mut text = format!("\n{}", grid.render());
    if let Some(rest) = open.len().checked_sub(TARGETS).filter(|rest| *rest > 0) {
        let more = "more with open directions; --json shows all";
        let _ = writeln!(text, "  .. {rest} {more}");
    }
    text
}

fn remedies(remedies: &[String]) -> String {
    if remedies.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nwhat would help\n");
    for remedy in remedies.iter().take(REMEDIES) {
        let _ = writeln!(text, "  {remedy}");
    }
    text
}

/// Pairs that no site can orient.
fn open_pairs(open: &[OpenPair]) -> String {
    let names = |why: Open| -> Vec<String> {
        let pairs = open.iter().filter(|pair| pair.why == why);
        pairs.map(|pair| pair.variables.join(" - ")).collect()
    };
    let mut text = String::new();
    for (why, words) in [
        (Open::NoTarget, "nobody intervenes on either end of"),
        (
            Open::TooFewRows,
            "more rows under interventions are needed for",
        ),
    ] {
        let names = names(why);
        if !names.is_empty() {
            let _ = writeln!(text, "  {words} {}", list(&names, 6));
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("\ndirections that stay open\n{text}")
}
