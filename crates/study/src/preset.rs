//! Many settings by one word: the paper's method as published.
//!
//! `--paper` on the command line, `preset = "paper"` in a spec. What else is asked for comes on top.

use fedcdi_core::graph::extract::{ExtractParams, OnRemoval, Raw};
use fedcdi_core::{Choice, Grafting, Pruning, choice};
use fedcdi_learn::enco::EncoParams;
use fedcdi_protocol::rules::{Carrier, MassFrom, Proximity, Space};
use fedcdi_protocol::{Disclosure, Exchange, Moves, RoundParams};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refine::Refine;
use crate::spec::Spec;

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
            aggregate: Choice::of(&Self::rule()),
            coordinator: Self::rounds(),
            // The server knows the numbers of samples as they are.
            disclosure: Disclosure {
                row_band: 1,
                ..Disclosure::default()
            },
            // Algorithm 1 ends with the belief.
            refine: Refine::Never,
            // Section 4: clients send beliefs, and nothing else.
            moves: Some(Moves::Ignore),
            method: Choice::of(&EncoParams::paper()),
            ..Spec::default()
        }
    }

    fn rounds() -> RoundParams {
        RoundParams {
            // Algorithm 1 leaves T open; ten in the authors' code.
            rounds: Some(10),
            // Algorithm 1: T iterations or convergence; all of them here.
            tolerance: 0.0,
            patience: RoundParams::NEVER,
            graph_patience: RoundParams::NEVER,
            // The last aggregate is the result.
            average: 1,
            // Section 6 leaves pruning to future work.
            pruning: Some(Pruning::Never),
            grafting: Some(Grafting::Never),
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
        let (paper, ours) = (
            choice::written(&self.spec()),
            choice::written(&Spec::default()),
        );
        let (paper, ours) = (Value::from(paper), Value::from(ours));
        let choice = |what, place, path: &str| PaperChoice {
            what,
            paper: shown(&paper, path),
            ours: shown(&ours, path),
            place,
        };
        let of_study = CHOICES.map(|(what, place, path)| choice(what, place, path));
        let of_method = LOCAL_CHOICES
            .map(|(what, place)| choice(what, place, &format!("/method/settings/{what}")));
        of_study.into_iter().chain(of_method).collect()
    }
}

/// Choices, where the paper makes them, and their paths in a spec.
const CHOICES: [(&str, &str, &str); 14] = [
    ("sent by a site", "4, Algorithm 1", "/exchange"),
    ("rule", "4.3", "/aggregate/kind"),
    ("rule: beta", "appendix B", "/aggregate/beta"),
    ("rule: carrier of the mass", "4.3", "/aggregate/carrier"),
    ("rule: mass from", "appendix B", "/aggregate/mass"),
    ("rule: mean of", "4.2, 4.3", "/aggregate/space"),
    ("rounds", "Algorithm 1; code", "/coordinator/rounds"),
    ("ends early", "Algorithm 1", "/coordinator/graph_patience"),
    ("rounds averaged", "Algorithm 1", "/coordinator/average"),
    ("graph", "Algorithm 1, last line", "/coordinator/extract"),
    ("edges taken back by tests", "6", "/coordinator/pruning"),
    ("edges brought in by tests", "-", "/coordinator/grafting"),
    ("refined by scores", "Algorithm 1", "/refine"),
    ("edges ruled out by what moves", "4", "/moves"),
];

/// Settings of the local method, and where the paper makes them.
const LOCAL_CHOICES: [(&str, &str); 21] = [
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

fn shown(spec: &Value, path: &str) -> String {
    let value = spec.pointer(path);
    match (path, value) {
        ("/coordinator/graph_patience", Some(rounds)) => {
            if *rounds == RoundParams::NEVER {
                "no".to_owned()
            } else {
                format!("after {rounds} rounds with the same graph")
            }
        }
        ("/coordinator/extract", extract) => {
            let raw = extract.and_then(|extract| extract.get("raw"));
            match raw.and_then(Value::as_str) {
                Some("psi") => "psi > 0.5".to_owned(),
                _ => "existence and orientation > 0".to_owned(),
            }
        }
        ("/refine", Some(Value::Object(_))) => "yes, of all rows".to_owned(),
        ("/coordinator/pruning" | "/coordinator/grafting", Some(Value::Null)) => {
            "only without scores".to_owned()
        }
        (_, Some(value)) => plain(value),
        ("/moves", None) => "use".to_owned(),
        (path, None) if path.starts_with("/method") => "as the rows are".to_owned(),
        (_, None) => "-".to_owned(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Bool(value) => if *value { "on" } else { "off" }.to_owned(),
        Value::Object(table) => {
            let parts = table.iter().map(|(key, v)| format!("{key} {}", plain(v)));
            parts.collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let rounded = (number * 1e4).round() / 1e4;
            if rounded == 0.0 { number } else { rounded }.to_string()
        }
        Value::String(text) => text.clone(),
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
            refine,
            moves,
            method,
        } = Preset::Paper.spec();
        assert_eq!(exchange, Exchange::Psi);
        assert_eq!(aggregate.name, "proximity");
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
        assert_eq!((rounds, average, tolerance), (Some(10), 1, 0.0));
        assert!(patience > 10 && graph_patience > 10);
        let never = (Some(Pruning::Never), Some(Grafting::Never));
        assert_eq!((pruning, grafting), never);
        let graph = extract.unwrap();
        assert_eq!((graph.raw, graph.on_removal), (Raw::Psi, OnRemoval::Drop));
        // Numbers of samples are sent as they are, and no test is made.
        assert_eq!(disclosure.row_band, 1);
        assert_eq!((refine, moves), (Refine::Never, Some(Moves::Ignore)));
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
