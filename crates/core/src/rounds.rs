//! Settings of the rounds of a study: how many, who must take part, when they end,
//! what tests may change.

use serde::{Deserialize, Serialize};

use crate::edge_test::Pruning;
use crate::grafting::Grafting;
use crate::graph::extract::ExtractParams;
use crate::params::ParamsError;

/// Settings of the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoundParams {
    /// Most rounds; > 0. Without this 10, and 3 where scores refine the graph.
    pub rounds: Option<u32>,
    /// Share of the sites that a round needs, rounded up; > 0, at most 1.
    pub quorum: f64,
    /// Largest change of an edge probability in a quiet round; 0 or more.
    pub tolerance: f64,
    /// Largest consensus entropy, in bits, of a quiet round; 0..=1.
    pub max_entropy: f64,
    /// Quiet rounds in a row that end the run; > 0. More than [`Self::rounds`] never does.
    pub patience: u32,
    /// Rounds in a row that leave the graph as it is, at most [`Self::max_entropy`] each, that end
    /// the run; > 0. More than [`Self::rounds`] never does.
    pub graph_patience: u32,
    /// Rounds whose aggregates are averaged into the result, at most half of those so far; > 0.
    pub average: u32,
    /// Edges that are taken back because the sites' rows do not show them; the sites then also
    /// tell the results of independence tests. Without this, as usual; but none where scores refine the
    /// graph.
    pub pruning: Option<Pruning>,
    /// Edges that come in, once the graph rests and the sites agree ([`Self::max_entropy`]),
    /// because the sites' rows show them; the sites then also tell the results of tests of the pairs
    /// without an edge. Without this, as usual; but none where scores refine the graph.
    pub grafting: Option<Grafting>,
    /// How the graph is extracted. Without this, removed edges may come back reversed where
    /// existence was learned for each direction.
    pub extract: Option<ExtractParams>,
}

impl Default for RoundParams {
    fn default() -> Self {
        Self {
            rounds: None,
            quorum: 0.5,
            tolerance: 0.01,
            max_entropy: 0.02,
            patience: 2,
            graph_patience: 3,
            average: 5,
            pruning: None,
            grafting: None,
            extract: None,
        }
    }
}

impl RoundParams {
    /// A patience that no study outlasts.
    pub const NEVER: u32 = 1_000_000_000;

    /// How many rounds there are at most in a study whose graph scores refine, or not: the search then
    /// needs a graph to start from, not the last word.
    pub fn most_rounds(&self, is_refined: bool) -> u32 {
        self.rounds.unwrap_or(if is_refined { 3 } else { 10 })
    }

    /// Which tests take edges back and bring edges in, in a study whose graph scores refine, or not.
    pub fn tests(&self, is_refined: bool) -> (Pruning, Grafting) {
        let usual = if is_refined {
            (Pruning::Never, Grafting::Never)
        } else {
            (Pruning::USUAL, Grafting::USUAL)
        };
        (
            self.pruning.unwrap_or(usual.0),
            self.grafting.unwrap_or(usual.1),
        )
    }

    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        for (field, value) in [
            ("rounds", self.most_rounds(false)),
            ("patience", self.patience),
            ("graph_patience", self.graph_patience),
            ("average", self.average),
        ] {
            ParamsError::some(field, value as usize)?;
        }
        self.pruning.unwrap_or(Pruning::Never).check("pruning")?;
        self.grafting.unwrap_or(Grafting::Never).check("grafting")?;
        let share = self.quorum > 0.0 && self.quorum <= 1.0;
        ParamsError::require("quorum", self.quorum, "> 0 and at most 1", share)?;
        ParamsError::not_negative("tolerance", self.tolerance)?;
        let bits = (0.0..=1.0).contains(&self.max_entropy);
        ParamsError::require("max_entropy", self.max_entropy, "between 0 and 1", bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_refuses_by_name() {
        let refused = |change: fn(&mut RoundParams)| {
            let mut params = RoundParams::default();
            assert!(params.check().is_ok());
            change(&mut params);
            params.check().unwrap_err().field
        };
        assert_eq!(refused(|p| p.rounds = Some(0)), "rounds");
        assert_eq!(refused(|p| p.patience = 0), "patience");
        assert_eq!(refused(|p| p.graph_patience = 0), "graph_patience");
        assert_eq!(refused(|p| p.average = 0), "average");
        assert_eq!(refused(|p| p.quorum = 0.0), "quorum");
        assert_eq!(refused(|p| p.quorum = 1.5), "quorum");
        assert_eq!(refused(|p| p.tolerance = f64::NAN), "tolerance");
        assert_eq!(refused(|p| p.max_entropy = -0.1), "max_entropy");
        let pruning = refused(|p| p.pruning = Some(Pruning::Independence(-1.0)));
        assert_eq!(pruning, "pruning");
        let grafting = refused(|p| p.grafting = Some(Grafting::Dependence(1.5)));
        assert_eq!(grafting, "grafting");
    }

    #[test]
    fn tests_are_off_where_scores_refine_unless_they_are_asked_for() {
        let mut params = RoundParams::default();
        assert_eq!(params.tests(false), (Pruning::USUAL, Grafting::USUAL));
        assert_eq!(params.tests(true), (Pruning::Never, Grafting::Never));
        params.pruning = Some(Pruning::USUAL);
        assert_eq!(params.tests(true), (Pruning::USUAL, Grafting::Never));
        params.grafting = Some(Grafting::Never);
        assert_eq!(
            (params.most_rounds(false), params.most_rounds(true)),
            (10, 3)
        );
        params.rounds = Some(5);
        assert_eq!(
            (params.most_rounds(false), params.most_rounds(true)),
            (5, 5)
        );
        assert_eq!(params.tests(false), (Pruning::USUAL, Grafting::Never));
    }

    #[test]
    fn settings_are_read_and_unknown_ones_refused() {
        let read = |text: &str| toml::from_str::<RoundParams>(text);
        assert_eq!(read("rounds = 3").unwrap().rounds, Some(3));
        let text = "extract = { on_removal = 'drop' }";
        assert!(read(text).unwrap().extract.is_some());
        assert!(read("round = 3").is_err());
    }
}
