//! Moves between equivalence classes: an edge is inserted, deleted or turned.
//!
//! Hauser and Bühlmann (2012), "Characterization and greedy learning of interventional Markov
//! equivalence classes of directed acyclic graphs", JMLR 13.
//!
//! | paper | code |
//! |---|---|
//! | I-essential graph | [`fedcdi_core::Cpdag::separated`] |
//! | `ne(v)`, `N = ne(v) n ad(u)`, cliques, separation | `state` |
//! | `Insert(u, v, C)` | `forward` |
//! | `Delete(u, v, C)` | `backward` |
//! | `Turn(u, v, C)` | `turning` |
//! | a member with the edges that a move needs | [`fedcdi_core::Cpdag::member`] |
//!
//! In the code u is the cause and v the effect of the edge that a move adds, removes or turns to.
//! Complexity: O(N^2 2^c) for the largest clique of c undirected neighbours.
//!
//! Deviations: condition (iii) of proposition 31 is that of the paper's algorithm 5; a move is applied
//! to a whole member of the class, of which the class is then computed anew; where a score differs
//! within a class (the additive one) both directions of an undirected edge are tried for deletion.

mod backward;
mod forward;
mod operator;
mod state;
mod turning;

use fedcdi_core::{Cpdag, VarId};
pub use operator::{Operator, Phase};
use rayon::prelude::*;
use state::State;

/// Smaller gains are rounding, and could send a search in circles.
pub const LEAST_GAIN: f64 = 1e-3;

/// All valid moves of a phase, by cause, then effect; none gives a variable more than `max_parents`.
pub fn moves(class: &Cpdag, max_parents: usize, phase: Phase) -> Vec<Operator> {
    let state = State::new(class, max_parents);
    let n_vars = class.n_vars();
    let pairs = (0..n_vars * n_vars).filter(|pair| pair / n_vars != pair % n_vars);
    let pairs: Vec<usize> = pairs.collect();
    let of_pair = |pair: &usize| of(&state, phase, VarId(pair / n_vars), VarId(pair % n_vars));
    let all = pairs.par_iter().with_min_len(64).flat_map_iter(of_pair);
    all.collect()
}

/// The valid moves of a phase for one pair.
pub fn moves_of_pair(
    class: &Cpdag,
    max_parents: usize,
    phase: Phase,
    (cause, effect): (VarId, VarId),
) -> Vec<Operator> {
    of(&State::new(class, max_parents), phase, cause, effect)
}

fn of(state: &State<'_>, phase: Phase, cause: VarId, effect: VarId) -> Vec<Operator> {
    match phase {
        Phase::Forward => forward::operators(state, cause, effect),
        Phase::Backward => backward::operators(state, cause, effect),
        Phase::Turning => turning::operators(state, cause, effect),
    }
}
