//! Settings of a run, and the coordinator they make.

use fedcdi_core::graph::extract::ExtractParams;
use fedcdi_core::{
    Aggregator, Belief, ClientId, Grafting, Knowledge, ParamsError, Pruning, SchemaHash,
};
use serde::{Deserialize, Serialize};

use super::state::State;
use crate::client::Tested;

/// Settings of a [`Coordinator`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoordinatorParams {
    /// Most rounds; > 0.
    pub rounds: u32,
    /// Share of the clients that a round needs, rounded up; > 0, at most 1.
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
    /// Edges that are taken back because the clients' rows do not show them; the clients then also
    /// send their independence tests.
    pub pruning: Pruning,
    /// Edges that come in, once the graph rests and the clients agree ([`Self::max_entropy`]),
    /// because the clients' rows show them; the clients then also send tests of the pairs without an
    /// edge.
    pub grafting: Grafting,
    /// How the graph is extracted. Without this, removed edges may come back reversed, unless a
    /// client sent psi alone or the aggregate was split from psi: existence then says nothing about
    /// the reverse direction.
    pub extract: Option<ExtractParams>,
}

impl Default for CoordinatorParams {
    fn default() -> Self {
        Self {
            rounds: 10,
            quorum: 0.5,
            tolerance: 0.01,
            max_entropy: 0.02,
            patience: 2,
            graph_patience: 3,
            average: 5,
            pruning: Pruning::USUAL,
            grafting: Grafting::USUAL,
            extract: None,
        }
    }
}

/// What the clients of a run agree on beforehand.
#[derive(Clone, Debug)]
pub struct Study {
    /// The clients, each once, at least one; a single client learns from its data alone.
    pub clients: Vec<ClientId>,
    /// Fingerprint of the variables and categories.
    pub schema: SchemaHash,
    /// Background knowledge over the variables; enforced in every extracted graph.
    pub knowledge: Knowledge,
}

impl CoordinatorParams {
    /// What the clients are asked to test.
    pub fn tested(&self) -> Tested {
        Tested {
            edges: self.pruning != Pruning::Never,
            absent: self.grafting != Grafting::Never,
        }
    }

    /// The coordinator of a study, if settings and list of clients are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(
        self,
        study: Study,
        aggregator: Box<dyn Aggregator>,
    ) -> Result<Coordinator, ParamsError> {
        self.check_settings()?;
        Ok(Coordinator {
            params: self,
            study: study.check()?,
            aggregator,
        })
    }

    /// Whether the settings are in range, whoever takes part.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first one that is not.
    pub fn check_settings(&self) -> Result<(), ParamsError> {
        let real = |field, value: f64, need: &str, holds: bool| {
            ParamsError::require(field, value, need, holds && value.is_finite())
        };
        let (quorum, entropy) = (self.quorum, self.max_entropy);
        let share = quorum > 0.0 && quorum <= 1.0;
        let bits = (0.0..=1.0).contains(&entropy);
        ParamsError::require("rounds", self.rounds, "> 0", self.rounds > 0)?;
        ParamsError::require("patience", self.patience, "> 0", self.patience > 0)?;
        let graph_patience = self.graph_patience;
        ParamsError::require("graph_patience", graph_patience, "> 0", graph_patience > 0)?;
        self.pruning.check("pruning")?;
        self.grafting.check("grafting")?;
        ParamsError::require("average", self.average, "> 0", self.average > 0)?;
        real("quorum", quorum, "> 0 and at most 1", share)?;
        real("tolerance", self.tolerance, ">= 0", self.tolerance >= 0.0)?;
        real("max_entropy", entropy, "between 0 and 1", bits)
    }
}

impl Study {
    fn check(mut self) -> Result<Self, ParamsError> {
        let n_clients = self.clients.len();
        ParamsError::require("clients", n_clients, "at least 1", n_clients > 0)?;
        self.clients.sort_unstable();
        let twice = self.clients.windows(2).find(|pair| pair[0] == pair[1]);
        let name = twice.map_or_else(String::new, |pair| format!("{} and again", pair[0]));
        ParamsError::require("clients", name, "all different", twice.is_none())?;
        Ok(self)
    }
}

/// The rules of one run. Everything that changes is in [`State`].
pub struct Coordinator {
    pub(super) params: CoordinatorParams,
    pub(super) study: Study,
    pub(super) aggregator: Box<dyn Aggregator>,
}

impl Coordinator {
    /// The state before the first round, with nothing known.
    pub fn ready(&self) -> State {
        State::Ready(Belief::uninformed(self.n_vars()))
    }

    /// The clients, sorted.
    pub fn clients(&self) -> &[ClientId] {
        &self.study.clients
    }

    /// Number of variables of the study.
    pub fn n_vars(&self) -> usize {
        self.study.knowledge.n_vars()
    }

    /// Reports that a round needs.
    pub fn quorum(&self) -> usize {
        let share = self.params.quorum * self.study.clients.len() as f64;
        // A third of 3 is 1, whatever the last bit says.
        ((share - 1e-9).ceil() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Schema, Variable};
    use fedcdi_learn::aggregate::AggregatorParams;

    fn check(params: CoordinatorParams, clients: &[u32]) -> Result<Coordinator, ParamsError> {
        let variables = vec![Variable::with_codes("a", 2), Variable::with_codes("b", 2)];
        let study = Study {
            clients: clients.iter().copied().map(ClientId).collect(),
            schema: Schema::new(variables).unwrap().hash(),
            knowledge: Knowledge::none(2),
        };
        params.check(study, AggregatorParams::default().check().unwrap())
    }

    #[test]
    fn each_rule_refuses_by_name() {
        let refused = |change: fn(&mut CoordinatorParams)| {
            let mut params = CoordinatorParams::default();
            change(&mut params);
            check(params, &[0, 1]).err().unwrap().field
        };
        assert_eq!(refused(|p| p.rounds = 0), "rounds");
        assert_eq!(refused(|p| p.patience = 0), "patience");
        assert_eq!(refused(|p| p.average = 0), "average");
        assert_eq!(refused(|p| p.quorum = 0.0), "quorum");
        assert_eq!(refused(|p| p.quorum = 1.1), "quorum");
        assert_eq!(refused(|p| p.tolerance = f64::NAN), "tolerance");
        assert_eq!(refused(|p| p.max_entropy = -0.1), "max_entropy");
        assert_eq!(refused(|p| p.graph_patience = 0), "graph_patience");
        let pruning = refused(|p| p.pruning = Pruning::Independence(-1.0));
        assert_eq!(pruning, "pruning");
        let grafting = refused(|p| p.grafting = Grafting::Dependence(1.5));
        assert_eq!(grafting, "grafting");
        let clients = |ids: &[u32]| {
            let error = check(CoordinatorParams::default(), ids).err().unwrap();
            error.to_string()
        };
        assert_eq!(clients(&[]), "clients is 0, but must be at least 1");
        let twice = clients(&[2, 1, 2]);
        assert_eq!(twice, "clients is 2 and again, but must be all different");
    }

    #[test]
    fn the_quorum_is_rounded_up() {
        let quorum = |share, clients: &[u32]| {
            let params = CoordinatorParams {
                quorum: share,
                ..CoordinatorParams::default()
            };
            check(params, clients).unwrap().quorum()
        };
        assert_eq!(quorum(0.5, &[0, 1]), 1);
        assert_eq!(quorum(0.5, &[0, 1, 2]), 2);
        assert_eq!(quorum(1.0 / 3.0, &[0, 1, 2]), 1);
        assert_eq!(quorum(1.0, &[0, 1, 2]), 3);
        assert_eq!(quorum(1e-12, &[0, 1, 2]), 1);
    }

    #[test]
    fn settings_are_read_and_unknown_ones_refused() {
        let read = |text: &str| toml::from_str::<CoordinatorParams>(text);
        assert_eq!(read("rounds = 3").unwrap().rounds, 3);
        let text = "extract = { on_removal = 'drop' }";
        assert!(read(text).unwrap().extract.is_some());
        assert!(read("round = 3").is_err());
    }
}
