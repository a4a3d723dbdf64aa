//! What a site can have sent.

use fedcdi_core::VarId;
use fedcdi_score::{Ask, Cells, Outline};

use crate::addends::Unsound;
use crate::fixed::Scale;

/// Whether a site that follows the question can have sent these.
pub(crate) fn check(
    ask: &Ask,
    outline: &Outline,
    n_sites: usize,
    numbers: &[i64],
) -> Result<(), Unsound> {
    let (found, expected) = (numbers.len(), ask.n_numbers(outline));
    if found != expected {
        return Err(Unsound::Number { found, expected });
    }
    let scale = Scale::new(0, n_sites);
    if let Some(at) = numbers.iter().position(|number| !scale.fits(*number)) {
        return Err(Unsound::Large(at));
    }
    let odd = match ask {
        Ask::Begin => odd_beginning(outline, numbers),
        Ask::Moments(_) => None,
        Ask::Sums(sums) => odd_count(&sums.counts, outline, numbers),
    };
    odd.map_or(Ok(()), |at| Err(Unsound::Place(at)))
}

/// The first number that is no count, or beside the diagonal no yes or no.
fn odd_beginning(outline: &Outline, numbers: &[i64]) -> Option<usize> {
    let n_vars = outline.n_vars();
    let is_pair = |at: usize| at < n_vars * n_vars && at / n_vars != at % n_vars;
    let is_odd = |(at, number): (usize, &i64)| *number < 0 || is_pair(at) && *number > 1;
    (numbers.iter().enumerate()).position(is_odd)
}

/// The first number of a table of categories that is no count.
fn odd_count(counts: &[Cells], outline: &Outline, numbers: &[i64]) -> Option<usize> {
    let mut begin = 0;
    for cells in counts {
        let end = begin + cells.n_numbers(outline);
        let is_real = |var: &VarId| outline.is_real(*var);
        if !cells.variables.iter().any(is_real) {
            let odd = numbers[begin..end].iter().position(|number| *number < 0);
            if let Some(at) = odd {
                return Some(begin + at);
            }
        }
        begin = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use fedcdi_score::{Slope, Sums};

    use super::*;

    /// Two categories, a real number, three categories.
    fn outline() -> Outline {
        Outline(vec![Some(2), None, Some(3)])
    }

    fn sums() -> Ask {
        let cells = |variables: &[usize]| Cells {
            free_of: VarId(2),
            variables: variables.iter().copied().map(VarId).collect(),
        };
        Ask::Sums(Sums {
            scales: vec![(0.0, 1.0)],
            counts: vec![cells(&[0, 1]), cells(&[0, 2])],
            slopes: vec![Slope {
                effect: VarId(0),
                values: vec![0, 1],
                parents: Vec::new(),
                weights: vec![0.0],
                set: None,
                outlook: false,
            }],
        })
    }

    #[test]
    fn only_counts_must_not_be_negative() {
        let ask = sums();
        // Two sums of a real variable, six cells, a log-likelihood and a slope.
        let good = [-3, 5, 0, 1, 2, 3, 4, 5, -700, 12];
        let refused = |at: usize, number: i64| {
            let mut numbers = good;
            numbers[at] = number;
            check(&ask, &outline(), 2, &numbers)
                .unwrap_err()
                .to_string()
        };
        assert!(check(&ask, &outline(), 2, &good).is_ok());
        for at in 2..8 {
            assert!(refused(at, -1).contains(&format!("addend {at} is none")));
        }
        for at in 0..good.len() {
            assert!(refused(at, (1 << 61) + 1).contains("larger than one site may add"));
        }
        let short = check(&ask, &outline(), 2, &good[1..]).unwrap_err();
        assert!(short.to_string().starts_with("9 addends"), "{short}");
    }

    #[test]
    fn a_beginning_has_counts_on_its_diagonal_and_bits_beside_it() {
        let mut numbers = vec![0; Ask::Begin.n_numbers(&outline())];
        for at in [0, 4, 8, 9] {
            numbers[at] = 1000;
        }
        let odd = |numbers: &[i64]| match check(&Ask::Begin, &outline(), 1, numbers) {
            Ok(()) => None,
            Err(Unsound::Place(at)) => Some(at),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(odd(&numbers), None);
        numbers[5] = 1;
        assert_eq!(odd(&numbers), None);
        numbers[5] = 2;
        assert_eq!(odd(&numbers), Some(5));
        numbers[4] = -1;
        assert_eq!(odd(&numbers), Some(4));
    }
}
