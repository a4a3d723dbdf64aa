//! Background knowledge: edges that must be there, edges that must not, and an order of tiers.
//!
//! A file lists names ([`KnowledgeFile`]); checked against the variables of a study it becomes
//! [`Knowledge`], which answers by id and which every later step enforces strictly.
//!
//! ```toml
//! required = [["smoke", "lung"]]
//! forbidden = [["xray", "lung"]]
//! tiers = [["asia", "smoke"], ["tub", "lung"]]   # nothing points back to an earlier tier
//! cannot_set = ["age"]                           # never advised as the next experiment
//! ```

use serde::{Deserialize, Serialize};

use crate::graph::{Dag, Digraph};
use crate::nearest::{did_you_mean, nearest};
use crate::schema::Schema;
use crate::variable::VarId;

/// Background knowledge as it stands in a settings file, by variable name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeFile {
    /// Edges `[cause, effect]` that are in every graph.
    pub required: Vec<[String; 2]>,
    /// Edges `[cause, effect]` that are in no graph; the other direction stays possible.
    pub forbidden: Vec<[String; 2]>,
    /// Groups of variables, earliest first: no edge leads from a later tier to an earlier one. A
    /// variable in no tier is unconstrained.
    pub tiers: Vec<Vec<String>>,
    /// Variables that nobody can set; none of them is advised as the next experiment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cannot_set: Vec<String>,
}

/// Background knowledge over the variables of one study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    required: Dag,
    allowed: Digraph,
    /// Whether nothing was known beforehand.
    is_none: bool,
}

/// Why background knowledge cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnowledgeError {
    /// A list with a name that no variable has, and the variable that may be meant.
    #[error(
        "{0} names {1:?}, which is not a variable of the data; {remedy}",
        remedy = did_you_mean(.2.as_deref(), || "correct the name or remove it".into())
    )]
    UnknownVariable(&'static str, String, Option<String>),
    /// A list with an edge from a variable to itself.
    #[error("{0} has an edge from {1:?} to itself; remove it")]
    Loop(&'static str, String),
    /// A variable in two tiers; tiers count from 1.
    #[error("variable {0:?} is in tier {1} and again in tier {2}; keep one of the two")]
    TwoTiers(String, usize, usize),
    /// Cause and effect of an edge in both lists.
    #[error("edge {0} -> {1} is required and forbidden; remove it from one of the lists")]
    RequiredAndForbidden(String, String),
    /// Cause and effect of a required edge to an earlier tier, and both tiers.
    #[error(
        "edge {0} -> {1} is required, but leads from tier {2} back to tier {3}; remove the edge or move a variable"
    )]
    AgainstTiers(String, String, usize, usize),
    /// Required edges that form this cycle.
    #[error("the required edges form a cycle, {0}; remove one of them")]
    Cycle(String),
}

impl KnowledgeFile {
    /// The same knowledge by id, if it is about these variables and does not contradict itself.
    ///
    /// # Errors
    /// [`KnowledgeError`] naming the first variable or edge that cannot be.
    ///
    /// Complexity: O(N * (N + required edges)) after the names are looked up.
    pub fn check(&self, schema: &Schema) -> Result<Knowledge, KnowledgeError> {
        let required = edges("required", &self.required, schema)?;
        let forbidden = edges("forbidden", &self.forbidden, schema)?;
        let tiers = self.tier_of(schema)?;
        for name in &self.cannot_set {
            find("cannot_set", name, schema)?;
        }
        for (cause, effect) in required.edges() {
            let names = [cause, effect].map(|var| schema.name(var).to_owned());
            let (tiers, [from, to]) = (tiers[cause.index()].zip(tiers[effect.index()]), names);
            if forbidden.has_edge(cause, effect) {
                return Err(KnowledgeError::RequiredAndForbidden(from, to));
            }
            if let Some((late, early)) = tiers.filter(|(from, to)| from > to) {
                return Err(KnowledgeError::AgainstTiers(from, to, late, early));
            }
        }
        let required = Dag::try_from(required)
            .map_err(|error| KnowledgeError::Cycle(error.describe(&schema.names())))?;
        Ok(Knowledge::new(required, |cause, effect| {
            let tiers = tiers[cause.index()].zip(tiers[effect.index()]);
            !forbidden.has_edge(cause, effect) && tiers.is_none_or(|(from, to)| from <= to)
        }))
    }

    fn tier_of(&self, schema: &Schema) -> Result<Vec<Option<usize>>, KnowledgeError> {
        let mut tiers = vec![None; schema.n_vars()];
        for (tier, names) in (1..).zip(&self.tiers) {
            for name in names {
                let var = find("tiers", name, schema)?;
                if let Some(first) = tiers[var.index()].replace(tier) {
                    return Err(KnowledgeError::TwoTiers(name.clone(), first, tier));
                }
            }
        }
        Ok(tiers)
    }
}

fn find(list: &'static str, name: &str, schema: &Schema) -> Result<VarId, KnowledgeError> {
    schema.find(name).ok_or_else(|| {
        let known = schema.variables().iter().map(|v| v.name.as_str());
        let meant = nearest(name, known).map(str::to_owned);
        KnowledgeError::UnknownVariable(list, name.to_owned(), meant)
    })
}

fn edges(
    list: &'static str,
    pairs: &[[String; 2]],
    schema: &Schema,
) -> Result<Digraph, KnowledgeError> {
    let mut graph = Digraph::empty(schema.n_vars());
    for [cause, effect] in pairs {
        let ends = (find(list, cause, schema)?, find(list, effect, schema)?);
        if ends.0 == ends.1 {
            return Err(KnowledgeError::Loop(list, cause.clone()));
        }
        graph.add_edge(ends.0, ends.1);
    }
    Ok(graph)
}

impl Knowledge {
    /// Nothing is known: every edge is possible, none is required.
    pub fn none(n_vars: usize) -> Self {
        Self::new(Dag::empty(n_vars), |_, _| true)
    }

    /// `may_be` holds for every required edge.
    pub(crate) fn new(required: Dag, may_be: impl Fn(VarId, VarId) -> bool) -> Self {
        let mut allowed = Digraph::empty(required.n_vars());
        for effect in required.vars() {
            // An edge from anything that follows from `effect` would close a cycle.
            let later = required.reachable_from(effect);
            for cause in required.vars().filter(|cause| !later.contains(*cause)) {
                if may_be(cause, effect) {
                    allowed.add_edge(cause, effect);
                }
            }
        }
        let n = allowed.n_vars();
        Self {
            is_none: allowed.n_edges() == n * n.saturating_sub(1),
            required,
            allowed,
        }
    }

    /// The same without these edges, which data rule out: what is required stays.
    #[must_use]
    pub fn without(&self, edges: impl IntoIterator<Item = (VarId, VarId)>) -> Self {
        let mut narrower = self.clone();
        for (cause, effect) in edges {
            if !self.is_required(cause, effect) {
                narrower.allowed.remove_edge(cause, effect);
            }
        }
        narrower
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.allowed.n_vars()
    }

    /// Whether nothing is known beforehand. What data rule out is not known beforehand.
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    /// Whether the edge is in every graph.
    pub fn is_required(&self, cause: VarId, effect: VarId) -> bool {
        self.required.has_edge(cause, effect)
    }

    /// Whether the edge can be in a graph: not forbidden, not against the tiers, and not closing a
    /// cycle with required edges (the reverse of a required edge is the shortest such case).
    pub fn allows(&self, cause: VarId, effect: VarId) -> bool {
        self.allowed.has_edge(cause, effect)
    }

    /// The required edges.
    pub fn required(&self) -> &Dag {
        &self.required
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::Variable;

    fn schema() -> Schema {
        let names = ["asia", "smoke", "lung", "xray"];
        let variables = names.map(|name| Variable::with_codes(name, 2));
        Schema::new(variables.to_vec()).unwrap()
    }

    fn check(text: &str) -> Result<Knowledge, KnowledgeError> {
        toml::from_str::<KnowledgeFile>(text)
            .unwrap()
            .check(&schema())
    }

    const ASIA: VarId = VarId(0);
    const SMOKE: VarId = VarId(1);
    const LUNG: VarId = VarId(2);
    const XRAY: VarId = VarId(3);

    #[test]
    fn forbidden_means_one_direction() {
        let knowledge = check(r#"forbidden = [["lung", "smoke"]]"#).unwrap();
        assert!(!knowledge.allows(LUNG, SMOKE) && knowledge.allows(SMOKE, LUNG));
        assert!(!knowledge.is_none() && Knowledge::none(4).is_none());
    }

    #[test]
    fn tiers_forbid_pointing_back_and_leave_others_alone() {
        let knowledge = check(r#"tiers = [["asia", "smoke"], ["lung"]]"#).unwrap();
        assert!(!knowledge.allows(LUNG, ASIA) && knowledge.allows(ASIA, LUNG));
        assert!(knowledge.allows(ASIA, SMOKE) && knowledge.allows(SMOKE, ASIA));
        assert!(knowledge.allows(XRAY, ASIA) && knowledge.allows(LUNG, XRAY));
    }

    #[test]
    fn an_edge_that_closes_a_cycle_of_required_ones_is_not_allowed() {
        let knowledge = check(r#"required = [["smoke", "lung"], ["lung", "xray"]]"#).unwrap();
        assert!(knowledge.is_required(SMOKE, LUNG) && knowledge.allows(SMOKE, LUNG));
        assert!(!knowledge.allows(LUNG, SMOKE) && !knowledge.allows(XRAY, SMOKE));
        assert!(knowledge.allows(SMOKE, XRAY) && !knowledge.is_required(SMOKE, XRAY));
        assert!(!knowledge.allows(ASIA, ASIA));
    }

    #[test]
    fn what_data_rule_out_is_not_known_beforehand_and_gives_way_to_what_is_required() {
        let nothing = Knowledge::none(4).without([(LUNG, SMOKE)]);
        assert!(nothing.is_none() && !nothing.allows(LUNG, SMOKE) && nothing.allows(SMOKE, LUNG));
        let required = check(r#"required = [["smoke", "lung"]]"#).unwrap();
        assert_eq!(required.without([(SMOKE, LUNG)]), required);
    }

    #[test]
    fn contradictions_are_named_and_say_what_to_do() {
        let cases = [
            (
                r#"required = [["smok", "lung"]]"#,
                r#"required names "smok", which is not a variable of the data; did you mean "smoke"?"#,
            ),
            (
                r#"tiers = [["bronchitis"]]"#,
                r#"tiers names "bronchitis", which is not a variable of the data; correct the name or remove it"#,
            ),
            (
                r#"forbidden = [["lung", "lung"]]"#,
                r#"forbidden has an edge from "lung" to itself; remove it"#,
            ),
            (
                r#"tiers = [["asia"], ["lung", "asia"]]"#,
                r#"variable "asia" is in tier 1 and again in tier 2; keep one of the two"#,
            ),
            (
                "required = [['asia', 'lung']]\nforbidden = [['asia', 'lung']]",
                "edge asia -> lung is required and forbidden; remove it from one of the lists",
            ),
            (
                "required = [['lung', 'asia']]\ntiers = [['asia'], ['lung']]",
                "edge lung -> asia is required, but leads from tier 2 back to tier 1; remove the edge or move a variable",
            ),
            (
                "required = [['asia', 'lung'], ['lung', 'asia']]",
                "the required edges form a cycle, lung -> asia -> lung; remove one of them",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(check(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(toml::from_str::<KnowledgeFile>("needed = []").is_err());
        assert_eq!(check("").unwrap(), Knowledge::none(4));
    }
}
