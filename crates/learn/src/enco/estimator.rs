//! ENCO's low-variance estimator: what an edge is worth, from likelihoods under sampled parent sets.
//!
//! Paper: ENCO section 3.3 and appendix A.
//!
//! | paper | code | shape |
//! |---|---|---|
//! | `L[s, j]`, mean NLL of variable j in sampled graph s | `nll` of a parent set | one per distinct set |
//! | `D_ij` = mean of L over graphs with i -> j minus without | [`Means::differences`] | `[cause]` of one effect |
//! | n1 > 0 and n0 > 0 | `Some` | else `None` |
//!
//! A negative `D` means that the edge makes the variable easier to predict. Where the likelihoods
//! come from does not matter: networks in training, exact conditionals in tests.

use crate::fit::parent_sets::ParentSets;

/// Sums over the sampled graphs of one effect, by cause; buffers are kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Means {
    /// Graphs with the cause, and the sum of NLL over them.
    pub(super) with: Vec<(f64, f64)>,
}

impl Means {
    /// D of every cause, given the mean NLL of the effect under each distinct parent set; `None`
    /// where all sampled graphs agree on the edge.
    pub(crate) fn differences(
        &mut self,
        sets: &ParentSets,
        nll: &[f64],
        differences: &mut [Option<f64>],
    ) {
        let mut n_graphs = 0.0;
        let mut total = 0.0;
        self.with.clear();
        self.with.resize(differences.len(), (0.0, 0.0));
        for (set, &nll) in nll.iter().enumerate() {
            let count = f64::from(sets.count(set));
            n_graphs += count;
            total += count * nll;
            for member in sets.members(set) {
                let (n, sum) = &mut self.with[member as usize];
                *n += count;
                *sum += count * nll;
            }
        }
        for (difference, &(n, sum)) in differences.iter_mut().zip(&self.with) {
            let without = n_graphs - n;
            let valid = n > 0.0 && without > 0.0;
            *difference = valid.then(|| sum / n - (total - sum) / without);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_weighted_by_the_number_of_graphs() {
        let mut sets = ParentSets::new(3);
        sets.clear(4);
        for members in [&[0, 1][..], &[0, 1], &[1], &[1, 0]] {
            sets.push(members.iter().copied());
        }
        let mut found = [None; 3];
        Means::default().differences(&sets, &[1.0, 4.0], &mut found);
        assert_eq!(found, [Some(1.0 - 4.0), None, None]);
    }
}
