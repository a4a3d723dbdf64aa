//! Many settings by one word: the paper's method as published.
//!
//! `--paper` on the command line, `preset = "paper"` in a spec. What else is asked for comes on top.

use fedcdi_core::graph::extract::{ExtractParams, OnRemoval, Raw};
use fedcdi_core::{Choice, Grafting, Pruning};
use fedcdi_learn::enco::EncoParams;
use fedcdi_protocol::rules::{Carrier, MassFrom, Proximity, Space};
use fedcdi_protocol::{Disclosure, Exchange, RoundParams};
use serde::{Deserialize, Serialize};

use crate::spec::{RuleSpec, Spec};

/// Settings by one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// FedCDI as published.
    Paper,
}

/// A choice of the paper beside ours.
pub struct PaperChoice {
    /// What is chosen.
    pub what: &'static str,
    /// As published.
    pub paper: String,
    /// Our default.
    pub ours: String,
    /// Where the paper says so.
    pub place: &'static str,
}

impl Preset {
    /// All settings.
    pub fn spec(self) -> Spec {
        let Self::Paper = self;
        Spec {
            // Algorithm 1: clients send psi, and nothing else.
            exchange: Exchange::Psi,
            aggregate: RuleSpec::of(&Self::rule()),
            coordinator: Self::rounds(),
            // The server knows the numbers of samples as they are.
            disclosure: Disclosure {
                row_band: 1,
                ..Disclosure::default()
            },
            method: Choice::of(&EncoParams::paper()),
            ..Spec::default()
        }
    }

    fn rounds() -> RoundParams {
        RoundParams {
            // Algorithm 1 leaves T open; ten in the authors' code.
            rounds: 10,
            // Algorithm 1: T iterations or convergence; all of them here.
            tolerance: 0.0,
            patience: RoundParams::NEVER,
            graph_patience: RoundParams::NEVER,
            // The last aggregate is the result.
            average: 1,
            // Section 6 leaves pruning to future work.
            pruning: Pruning::Never,
            grafting: Grafting::Never,
            // Last line of Algorithm 1: psi > 0.5.
            extract: Some(ExtractParams {
                raw: Raw::Psi,
                on_removal: OnRemoval::Drop,
            }),
            ..RoundParams::default()
        }
    }

    /// Section 4.3 and appendix B.
    fn rule() -> Proximity {
        Proximity {
            beta: 0.15,
            carrier: Carrier::Aggregate,
            mass: MassFrom::Interventional,
            space: Space::Psi,
        }
    }

    /// Every choice of the paper beside ours.
    pub fn choices(self) -> Vec<PaperChoice> {
        let (paper, ours) = (self.spec(), Spec::default());
        let choice = |what, place, of: &dyn Fn(&Spec) -> String| PaperChoice {
            what,
            paper: of(&paper),
            ours: of(&ours),
            place,
        };
        let rule = |name: &'static str| {
            move |spec: &Spec| {
                let set = spec.aggregate.settings.get(name);
                set.map_or_else(|| "-".to_owned(), plain)
            }
        };
        let local = |name: &'static str| {
            move |spec: &Spec| {
                let set = spec.method.settings.get(name);
                set.map_or_else(|| "as the rows are".to_owned(), plain)
            }
        };
        let round = |name: &'static str| {
            move |spec: &Spec| {
                let rounds = serde_json::to_value(spec.coordinator);
                let rounds = rounds.expect("settings have nothing that JSON lacks");
                plain(&rounds[name])
            }
        };
        let exchange = |spec: &Spec| match spec.exchange {
            Exchange::Psi => "psi".to_owned(),
            Exchange::Logits => "logits".to_owned(),
        };
        let mut all = vec![
            choice("sent by a site", "4, Algorithm 1", &exchange),
            choice("rule", "4.3", &|spec| spec.aggregate.kind.clone()),
            choice("rule: beta", "appendix B", &rule("beta")),
            choice("rule: carrier of the mass", "4.3", &rule("carrier")),
            choice("rule: mass from", "appendix B", &rule("mass")),
            choice("rule: mean of", "4.2, 4.3", &rule("space")),
            choice("rounds", "Algorithm 1; code", &round("rounds")),
            choice(
                "ends early",
                "Algorithm 1",
                &|spec| match spec.coordinator.graph_patience {
                    RoundParams::NEVER => "no".to_owned(),
                    rounds => format!("after {rounds} rounds with the same graph"),
                },
            ),
            choice("rounds averaged", "Algorithm 1", &round("average")),
            choice(
                "graph",
                "Algorithm 1, last line",
                &|spec| match spec.coordinator.extract {
                    Some(ExtractParams { raw: Raw::Psi, .. }) => "psi > 0.5".to_owned(),
                    _ => "existence and orientation > 0".to_owned(),
                },
            ),
            choice("edges taken back by tests", "6", &round("pruning")),
            choice("edges brought in by tests", "-", &round("grafting")),
        ];
        let places = [
            ("start", "4.1"),
            ("prior_loss", "4.1, B.5"),
            ("epochs", "code"),
            ("batch", "code"),
            ("hidden", "ENCO C.1"),
            ("model_steps", "ENCO C.1"),
            ("later_model_steps", "ENCO C.1"),
            ("model_rate", "ENCO C.1"),
            ("weight_decay", "code"),
            ("graph_steps", "ENCO C.1"),
            ("graph_steps_per_target", "ENCO C.1"),
            ("graphs", "ENCO C.1"),
            ("estimator", "ENCO 3.3"),
            ("adapt", "-"),
            ("existence_rate", "ENCO C.1"),
            ("orientation_rate", "ENCO C.1"),
            ("full_rate_rounds", "ENCO C.1"),
            ("orientation_epsilon", "ENCO C.1"),
            ("sparsity", "ENCO C.1"),
            ("holdout", "ENCO 3.3"),
            ("observational_weight", "ENCO 3.3"),
        ];
        all.extend(places.map(|(what, place)| choice(what, place, &local(what))));
        all
    }
}

/// A setting on one line.
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Bool(value) => if *value { "on" } else { "off" }.to_owned(),
        serde_json::Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let rounded = (number * 1e4).round() / 1e4;
            if rounded == 0.0 { number } else { rounded }.to_string()
        }
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Object(table) => {
            let parts = table
                .iter()
                .map(|(key, value)| format!("{key} {}", plain(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    /// Every number is written out as the paper has it, or the authors' code where the paper is
    /// silent; those of the local method are checked where it is.
    #[test]
    fn every_choice_is_that_of_the_paper() {
        let Spec {
            preset: _,
            seed: _,
            clients: _,
            compare: _,
            split: _,
            data: _,
            read: _,
            rows: _,
            knowledge: _,
            exchange,
            aggregate,
            coordinator,
            disclosure,
            method,
        } = Preset::Paper.spec();
        assert_eq!(exchange, Exchange::Psi);
        assert_eq!(aggregate.kind, "proximity");
        let rule = serde_json::json!({
            "beta": 0.15, "carrier": "aggregate", "mass": "interventional", "space": "psi",
        });
        assert_eq!(serde_json::Value::from(aggregate.settings), rule);
        let RoundParams {
            rounds,
            quorum: _,
            tolerance,
            max_entropy: _,
            patience,
            graph_patience,
            average,
            pruning,
            grafting,
            extract,
        } = coordinator;
        assert_eq!((rounds, average, tolerance), (10, 1, 0.0));
        assert!(patience > rounds && graph_patience > rounds);
        assert_eq!((pruning, grafting), (Pruning::Never, Grafting::Never));
        let graph = extract.unwrap();
        assert_eq!((graph.raw, graph.on_removal), (Raw::Psi, OnRemoval::Drop));
        // Numbers of samples are told as they are, and no test is made.
        assert_eq!(disclosure.row_band, 1);
        assert_eq!(method, Choice::of(&EncoParams::paper()));
        assert!(Preset::Paper.spec().complete(&Catalogue::default()).is_ok());
    }

    #[test]
    fn the_list_has_every_setting_that_differs() {
        let (paper, ours) = (EncoParams::paper(), EncoParams::default());
        let (paper, ours) = (Choice::of(&paper).settings, Choice::of(&ours).settings);
        let listed = Preset::Paper.choices();
        for (name, value) in &paper {
            let differs = ours.get(name) != Some(value);
            let is_listed = listed.iter().any(|choice| choice.what == name);
            assert!(!differs || is_listed, "{name} is not listed");
        }
    }
}
