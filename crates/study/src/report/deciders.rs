//! Which sites decided at a pair of variables, from their shares.
//!
//! Shares are never quite equal: one row more is a larger share. So a site decides only with a share
//! well above an equal one. Several sites can decide together, for example with half each.

use ndarray::Array2;

/// How far above an equal share, as a part of it, a share decides; so far below, it is left out.
pub(super) const MARGIN: f64 = 0.25;
/// How far from an equal share, as a part of it, a share is still nearly equal.
const ALIKE: f64 = 0.1;
/// Rounding must not put two pairs with the same shares on two sides of a margin.
const ROUNDING: f64 = 1e-9;
/// More deciders than this are counted, not named.
const MAX_NAMED: usize = 3;

/// Places of sites among the shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deciders {
    /// These have well more than an equal share.
    These(Vec<usize>),
    /// Nobody has, but these have well less.
    ButLess(Vec<usize>),
    /// Shares differ, but none by much.
    Nobody,
    /// All shares are nearly equal.
    AllAlike,
}

/// The share of every site at the pair `at`; `shares` are `[site][cause, effect]`.
pub(super) fn shares_at(shares: &[Array2<f64>], at: (usize, usize)) -> Vec<f64> {
    shares.iter().map(|share| share[at]).collect()
}

impl Deciders {
    pub(super) fn of(shares: &[f64]) -> Self {
        if shares.len() == 1 {
            return Self::These(vec![0]);
        }
        let equal = shares.iter().sum::<f64>() / shares.len() as f64;
        let beyond = |sign: f64, margin: f64| -> Vec<usize> {
            let is_beyond =
                |place: &usize| sign * (shares[*place] - equal) > margin * equal + ROUNDING;
            (0..shares.len()).filter(is_beyond).collect()
        };
        let (above, below) = (beyond(1.0, MARGIN), beyond(-1.0, MARGIN));
        if !above.is_empty() {
            Self::These(above)
        } else if !below.is_empty() {
            Self::ButLess(below)
        } else if beyond(1.0, ALIKE).is_empty() && beyond(-1.0, ALIKE).is_empty() {
            Self::AllAlike
        } else {
            Self::Nobody
        }
    }

    /// Whether the site at `place` is one with well more than an equal share.
    pub(super) fn include(&self, place: usize) -> bool {
        matches!(self, Self::These(places) if places.contains(&place))
    }

    /// `client-1, client-2 (50 % each)`.
    pub(super) fn in_words<'a>(
        &self,
        shares: &[f64],
        name_of: impl Fn(usize) -> &'a str,
    ) -> String {
        match self {
            Self::These(places) => named(places, shares, name_of),
            Self::ButLess(places) => {
                format!(
                    "no site clearly; less by {}",
                    named(places, shares, name_of)
                )
            }
            Self::Nobody => format!("no site clearly ({})", range(shares.iter())),
            Self::AllAlike => "all about equally".to_owned(),
        }
    }
}

fn percent(share: f64) -> f64 {
    (100.0 * share).round()
}

/// `40 % each`, or from the least of these shares to the most.
fn range<'a>(shares: impl Iterator<Item = &'a f64>) -> String {
    let wider = |(least, most), percent| (f64::min(least, percent), f64::max(most, percent));
    let percents = shares.map(|share| percent(*share));
    let (least, most) = percents.fold((100.0, 0.0), wider);
    if least < most {
        format!("{least} to {most} % each")
    } else {
        format!("{most} % each")
    }
}

/// The sites at these places with their shares, the largest first.
fn named<'a>(places: &[usize], shares: &[f64], name_of: impl Fn(usize) -> &'a str) -> String {
    let percent = |place: &usize| percent(shares[*place]);
    let mut places = places.to_vec();
    places.sort_by(|a, b| percent(b).total_cmp(&percent(a)));
    let range = range(places.iter().map(|place| &shares[*place]));
    let alike = percent(&places[0]) == percent(&places[places.len() - 1]);
    if places.len() > MAX_NAMED {
        return format!("{} sites ({range})", places.len());
    }
    if places.len() > 1 && alike {
        let names: Vec<&str> = places.iter().map(|place| name_of(*place)).collect();
        return format!("{} ({range})", names.join(", "));
    }
    let each = |place: &usize| format!("{} ({} %)", name_of(*place), percent(place));
    places.iter().map(each).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The deciders among clients with these shares, and the same in words.
    fn decided(shares: &[f64]) -> (Deciders, String) {
        let deciders = Deciders::of(shares);
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let words = deciders.in_words(shares, |place| names[place]);
        (deciders, words)
    }

    #[test]
    fn two_halves_decide_together() {
        let (deciders, words) = decided(&[0.0, 0.501, 0.499, 0.0]);
        assert_eq!(deciders, Deciders::These(vec![1, 2]));
        assert!(deciders.include(1) && deciders.include(2) && !deciders.include(0));
        assert_eq!(words, "b, c (50 % each)");
    }

    #[test]
    fn one_row_more_decides_nothing() {
        let rows = [333.0, 334.0, 333.0].map(|rows| rows / 1000.0);
        let (deciders, words) = decided(&rows);
        assert_eq!(deciders, Deciders::AllAlike);
        assert!(!deciders.include(1));
        assert_eq!(words, "all about equally");
    }

    #[test]
    fn the_largest_share_comes_first() {
        assert_eq!(decided(&[0.3, 0.1, 0.55, 0.05]).1, "c (55 %)");
        assert_eq!(decided(&[0.32, 0.06, 0.57, 0.05]).1, "c (57 %), a (32 %)");
        assert_eq!(decided(&[0.8, 0.2]).1, "a (80 %)");
    }

    #[test]
    fn alike_means_nearly_equal() {
        assert_eq!(decided(&[0.54, 0.46]).1, "all about equally");
        let (deciders, words) = decided(&[0.4, 0.3, 0.3]);
        assert_eq!(deciders, Deciders::Nobody);
        assert_eq!(words, "no site clearly (30 to 40 % each)");
    }

    #[test]
    fn a_client_left_out_is_named() {
        let (deciders, words) = decided(&[0.29, 0.29, 0.29, 0.13]);
        assert_eq!(deciders, Deciders::ButLess(vec![3]));
        assert!(!deciders.include(0) && !deciders.include(3));
        assert_eq!(words, "no site clearly; less by d (13 %)");
    }

    #[test]
    fn many_are_counted() {
        let mut shares = [0.0; 10];
        shares[2..7].fill(0.2);
        assert_eq!(decided(&shares).1, "5 sites (20 % each)");
        (shares[2], shares[3]) = (0.23, 0.17);
        assert_eq!(decided(&shares).1, "5 sites (17 to 23 % each)");
    }

    #[test]
    fn the_only_client_decides() {
        assert_eq!(decided(&[1.0]).1, "a (100 %)");
        assert_eq!(Deciders::of(&[]), Deciders::AllAlike);
    }
}
