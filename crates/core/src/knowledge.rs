//! Background knowledge: edges that must be there, edges that must not, and an order of tiers.
//!
//! A file lists names ([`KnowledgeFile`]); checked against the variables of a study it becomes
//! [`Knowledge`], which answers by id and which every later step enforces strictly.
//!
//! ```toml
//! required = [["smoke", "lung"]]
//! forbidden = [["xray", "lung"]]
//! tiers = [["asia", "smoke"], ["tub", "lung"]]   # nothing points back to an earlier tier
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
}

/// Background knowledge over the variables of one study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    required: Dag,
    allowed: Digraph,
}

/// Why background knowledge cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnowledgeError {
    /// A name that no variable has.
    #[error("{list} names {name:?}, which is not a variable of the data; {}", did_you_mean(.nearest.as_deref(), || "correct the name or remove it".into()))]
    UnknownVariable {
        /// `required`, `forbidden` or `tiers`.
        list: &'static str,
        /// The name.
        name: String,
        /// A variable that may be meant.
        nearest: Option<String>,
    },
    /// An edge from a variable to itself.
    #[error("{list} has an edge from {name:?} to itself; remove it")]
    Loop {
        /// `required` or `forbidden`.
        list: &'static str,
        /// The variable.
        name: String,
    },
    /// A variable listed twice in the tiers; tiers count from 1.
    #[error("variable {name:?} is in tier {first} and again in tier {second}; keep one of the two")]
    TwoTiers {
        /// The variable.
        name: String,
        /// Where it is first.
        first: usize,
        /// Where it is next.
        second: usize,
    },
    /// An edge in both lists.
    #[error("edge {cause} -> {effect} is required and forbidden; remove it from one of the lists")]
    RequiredAndForbidden {
        /// Cause.
        cause: String,
        /// Effect.
        effect: String,
    },
    /// A required edge that points back to an earlier tier; tiers count from 1.
    #[error(
        "edge {cause} -> {effect} is required, but leads from tier {from} back to tier {to}; remove the edge or move a variable"
    )]
    AgainstTiers {
        /// Cause.
        cause: String,
        /// Effect.
        effect: String,
        /// Tier of the cause.
        from: usize,
        /// Tier of the effect.
        to: usize,
    },
    /// The required edges cannot all be in one acyclic graph.
    #[error("the required edges form a cycle, {cycle}; remove one of them")]
    Cycle {
        /// The cycle in words.
        cycle: String,
    },
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
        let name = |var: VarId| schema.name(var).to_owned();
        for (cause, effect) in required.edges() {
            let (from, to) = (tiers[cause.index()], tiers[effect.index()]);
            let (cause_name, effect_name) = (name(cause), name(effect));
            if forbidden.has_edge(cause, effect) {
                return Err(KnowledgeError::RequiredAndForbidden {
                    cause: cause_name,
                    effect: effect_name,
                });
            }
            if let Some((from, to)) = from.zip(to).filter(|(from, to)| from > to) {
                return Err(KnowledgeError::AgainstTiers {
                    cause: cause_name,
                    effect: effect_name,
                    from,
                    to,
                });
            }
        }
        let required = Dag::try_from(required).map_err(|error| KnowledgeError::Cycle {
            cycle: error.describe(&schema.names()),
        })?;
        Ok(Knowledge::new(required, |cause, effect| {
            let tiers = tiers[cause.index()].zip(tiers[effect.index()]);
            !forbidden.has_edge(cause, effect) && tiers.is_none_or(|(from, to)| from <= to)
        }))
    }

    /// Tier of every variable, counted from 1.
    fn tier_of(&self, schema: &Schema) -> Result<Vec<Option<usize>>, KnowledgeError> {
        let mut tiers = vec![None; schema.n_vars()];
        for (tier, names) in (1..).zip(&self.tiers) {
            for name in names {
                let var = find("tiers", name, schema)?;
                if let Some(first) = tiers[var.index()].replace(tier) {
                    return Err(KnowledgeError::TwoTiers {
                        name: name.clone(),
                        first,
                        second: tier,
                    });
                }
            }
        }
        Ok(tiers)
    }
}

fn find(list: &'static str, name: &str, schema: &Schema) -> Result<VarId, KnowledgeError> {
    let known = schema.variables().iter().map(|v| v.name.as_str());
    let unknown = || KnowledgeError::UnknownVariable {
        list,
        name: name.to_owned(),
        nearest: nearest(name, known).map(str::to_owned),
    };
    schema.find(name).ok_or_else(unknown)
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
            let name = cause.clone();
            return Err(KnowledgeError::Loop { list, name });
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
        Self { required, allowed }
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.allowed.n_vars()
    }

    /// Whether nothing is known.
    pub fn is_none(&self) -> bool {
        let n = self.n_vars();
        self.allowed.n_edges() == n * n.saturating_sub(1)
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

    /// The possible edges, required ones included.
    pub fn allowed(&self) -> &Digraph {
        &self.allowed
    }

    /// Whether a graph has all required edges and only possible ones.
    pub fn admits(&self, graph: &Digraph) -> bool {
        self.required.edges().all(|(c, e)| graph.has_edge(c, e))
            && graph.edges().all(|(c, e)| self.allows(c, e))
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
    fn a_graph_is_admitted_with_all_required_edges_and_no_other_breach() {
        let knowledge = check("required = [['smoke', 'lung']]\nforbidden = [['asia', 'xray']]");
        let graph = |edges: &[(VarId, VarId)]| Digraph::from_edges(4, edges.iter().copied());
        let knowledge = knowledge.unwrap();
        assert!(knowledge.admits(&graph(&[(SMOKE, LUNG), (ASIA, LUNG)])));
        assert!(!knowledge.admits(&graph(&[(ASIA, LUNG)])));
        assert!(!knowledge.admits(&graph(&[(SMOKE, LUNG), (ASIA, XRAY)])));
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
