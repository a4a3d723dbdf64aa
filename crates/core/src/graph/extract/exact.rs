//! The best order of a small part, by dynamic programming over subsets.
//!
//! The cheapest order of a set ends in some member; what comes before is the cheapest order of the
//! rest, and the last member pays for its edges into the rest.

use super::part::Part;

/// Largest part that is ordered exactly: 2^15 subsets.
pub const MAX_EXACT: usize = 15;

/// A cheapest order of at most [`MAX_EXACT`] variables that keeps what must come first in front.
///
/// Complexity: O(2^n * n^2) time, O(2^n) memory.
pub(super) fn order(part: &Part) -> Vec<usize> {
    let n = part.n;
    let full = (1usize << n) - 1;
    let mut cheapest: Vec<Option<i64>> = vec![None; full + 1];
    let mut last = vec![0u8; full + 1];
    cheapest[0] = Some(0);
    let bits = |vars: &Vec<usize>| vars.iter().fold(0, |set, var| set | 1 << var);
    let needs: Vec<usize> = part.before.iter().map(bits).collect();
    for set in 1..=full {
        for var in members(set) {
            let rest = set & !(1 << var);
            // What must come before `var` is in the rest, or the order is not allowed.
            let Some(so_far) = cheapest[rest].filter(|_| needs[var] & !rest == 0) else {
                continue;
            };
            let cost = so_far + members(rest).map(|r| part.weight(var, r)).sum::<i64>();
            if cheapest[set].is_none_or(|known| cost < known) {
                cheapest[set] = Some(cost);
                last[set] = var as u8;
            }
        }
    }
    read_back(&last, full, n)
}

fn read_back(last: &[u8], full: usize, n: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(n);
    let mut set = full;
    while set != 0 {
        let var = usize::from(last[set]);
        order.push(var);
        set &= !(1 << var);
    }
    order.reverse();
    order
}

fn members(set: usize) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let var = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(var)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::VarId;

    fn part(n: usize, edges: &[(usize, usize, Option<f64>)]) -> Part {
        let members: Vec<VarId> = (0..n).map(VarId).collect();
        let edges = edges.iter().map(|&(c, e, w)| (VarId(c), VarId(e), w));
        Part::new(&members, &edges.collect::<Vec<_>>())
    }

    #[test]
    fn a_cycle_loses_its_lightest_edge() {
        let part = part(
            3,
            &[(0, 1, Some(3.0)), (1, 2, Some(1.0)), (2, 0, Some(2.0))],
        );
        assert_eq!(order(&part), [2, 0, 1]);
    }

    #[test]
    fn what_must_stay_stays_even_if_it_is_dear() {
        let part = part(3, &[(0, 1, Some(3.0)), (1, 2, None), (2, 0, Some(2.0))]);
        let order = order(&part);
        assert!(part.permits(&order));
        assert_eq!(part.cost(&order), part.weight(2, 0));
    }
}
