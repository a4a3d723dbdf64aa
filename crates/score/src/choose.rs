//! Which move comes next, and what has to be asked before that is known.
//!
//! A step asks for as little as it needs: the families of the graph exactly, what their slopes promise for
//! all others, then fits of those moves that promise most. A move is made when no other promises more;
//! nothing gains when no move can, even if forecasts are far too low.

use std::collections::HashSet;

use crate::engine::{Agenda, Engine, Worth};
use crate::moves::{LEAST_GAIN, Operator};

/// Moves that are looked at together.
const TOGETHER: usize = 4;
/// Moves whose forecast is below this share of the best wait.
const WORTH_A_LOOK: f64 = 0.7;

/// What to do next.
pub(crate) enum Look {
    Ask(Agenda),
    /// This one.
    Move(usize),
    Nothing,
}

/// What is to be done about these moves.
pub(crate) fn look(engine: &mut Engine, moves: &[Operator]) -> Look {
    let mut agenda = Agenda::default();
    for family in moves.iter().flat_map(|operator| &operator.old) {
        if engine.exact(family).is_none() {
            agenda.fits.insert(family.clone(), f64::NEG_INFINITY);
        }
    }
    if !agenda.is_empty() {
        return Look::Ask(agenda);
    }
    for operator in moves {
        for new in &operator.new {
            if engine.exact(new).is_none() && engine.wants_table(new) {
                agenda.tables.insert(new.clone());
            }
        }
    }
    if !agenda.is_empty() {
        return Look::Ask(agenda);
    }
    for operator in moves {
        let (_, most, is_exact) = prospects(engine, operator);
        if is_exact || most <= LEAST_GAIN {
            continue;
        }
        for (new, old) in operator.new.iter().zip(&operator.old) {
            if engine.exact(new).is_none() && engine.wants_outlook(old) {
                agenda.outlooks.insert(old.clone());
            }
        }
    }
    if !agenda.is_empty() {
        return Look::Ask(agenda);
    }
    let looks: Vec<(f64, f64, bool)> = moves.iter().map(|o| prospects(engine, o)).collect();
    choose(engine, moves, &looks)
}

/// What a move gains: the best guess, what it hardly exceeds, and whether that is exact.
fn prospects(engine: &mut Engine, operator: &Operator) -> (f64, f64, bool) {
    let (mut guess, mut most, mut is_exact) = (0.0, 0.0, true);
    for (new, old) in operator.new.iter().zip(&operator.old) {
        let before = engine
            .exact(old)
            .expect("the families of the graph are known");
        let worth: Worth = engine.worth(new, old);
        guess += worth.guess - before;
        most += worth.most - before;
        is_exact &= worth.is_exact;
    }
    (guess, most, is_exact)
}

/// What all moves together may gain at most, by our best guess.
pub(crate) fn promise(engine: &mut Engine, moves: &[Operator]) -> f64 {
    let mut total = 0.0;
    for operator in moves {
        if operator.old.iter().any(|old| engine.exact(old).is_none()) {
            return f64::INFINITY;
        }
        total += prospects(engine, operator).0.max(0.0);
    }
    total
}

fn choose(engine: &mut Engine, moves: &[Operator], looks: &[(f64, f64, bool)]) -> Look {
    let exact = (0..moves.len()).filter(|at| looks[*at].2 && looks[*at].0 > LEAST_GAIN);
    let best = exact.reduce(|best, next| {
        if looks[next].0 > looks[best].0 {
            next
        } else {
            best
        }
    });
    let bar = best.map_or(LEAST_GAIN, |best| looks[best].0);
    let open = |at: &usize| !looks[*at].2;
    let mut promising: Vec<usize> = (0..moves.len())
        .filter(open)
        .filter(|at| looks[*at].0 > WORTH_A_LOOK * bar && looks[*at].1 > bar)
        .collect();
    promising.sort_by(|a, b| looks[*b].0.total_cmp(&looks[*a].0));
    if let Some(first) = promising.first() {
        let least = WORTH_A_LOOK * looks[*first].0;
        let mut seen = HashSet::new();
        promising.retain(|at| looks[*at].0 >= least && seen.insert(moves[*at].effect));
        promising.truncate(TOGETHER);
    } else if best.is_none() {
        // Nothing gains by our best guess. Is a guess too low?
        promising = (0..moves.len())
            .filter(open)
            .filter(|at| looks[*at].1 > bar)
            .collect();
    }
    match best {
        Some(best) if promising.is_empty() => Look::Move(best),
        None if promising.is_empty() => Look::Nothing,
        _ => {
            let mut agenda = Agenda::default();
            for at in promising {
                pursue(engine, &moves[at], bar, &mut agenda);
            }
            Look::Ask(agenda)
        }
    }
}

/// Asks for what a move is worth, as long as it may gain more than `bar`.
fn pursue(engine: &mut Engine, operator: &Operator, bar: f64, agenda: &mut Agenda) {
    let mut worths: Vec<(Worth, f64)> = Vec::new();
    for (new, old) in operator.new.iter().zip(&operator.old) {
        let before = engine
            .exact(old)
            .expect("the families of the graph are known");
        worths.push((engine.worth(new, old), before));
    }
    let total: f64 = worths
        .iter()
        .map(|(worth, before)| worth.most - before)
        .sum();
    for (new, (worth, _)) in operator.new.iter().zip(&worths) {
        if worth.is_exact {
            continue;
        }
        // The family must have at least this score if all else goes as well as it can.
        let needed = bar - (total - worth.most);
        let needed = if needed.is_nan() {
            f64::NEG_INFINITY
        } else {
            needed
        };
        let threshold = agenda.fits.entry(new.clone()).or_insert(needed);
        *threshold = threshold.min(needed);
    }
}
