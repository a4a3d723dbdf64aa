//! What deserves a second look before learning from tables.

use fedcdi_core::{Face, Remedied, first_few};
use fedcdi_data::inspect::{Warning, by_client};
use fedcdi_data::{Inspection, Study};

const SITES: usize = 3;

/// What an inspection warns of and other sites do not settle, in the words of a face.
pub fn second_look(study: &Study, face: &dyn Face) -> Vec<String> {
    let clients = study.clients();
    let inspected = clients.iter().map(|c| Inspection::of(&c.data));
    let inspected: Vec<Inspection> = inspected.collect();
    let all = clients.iter().zip(&inspected).flat_map(|(client, found)| {
        let warnings = found.warnings.iter();
        warnings.map(|warning| (client.name.as_str(), warning))
    });
    let grouped = by_client(all.filter(|(_, warning)| !is_settled(warning, &inspected)));
    let said = grouped.iter().map(|(warning, names)| {
        if names.len() < clients.len() {
            format!("{}: {}", first_few(names, SITES), warning.told_by(face))
        } else {
            warning.told_by(face)
        }
    });
    said.collect()
}

/// Whether what these sites have together makes up for it, or may do so.
fn is_settled(warning: &Warning, clients: &[Inspection]) -> bool {
    match warning {
        // One table has no others.
        Warning::TinyGroup { .. } => clients.len() > 1,
        Warning::FixedTarget {
            variable, value, ..
        } => clients
            .iter()
            .any(|client| sets_other_than(client, variable, value)),
        other => other.others_may_settle(),
    }
}

fn sets_other_than(client: &Inspection, target: &str, wanted: &str) -> bool {
    let mut variables = client.variables.iter();
    let is_target = variables.any(|v| v.name == target && v.n_intervened > 0);
    let is_same = |warning: &Warning| {
        matches!(warning, Warning::FixedTarget { variable, value, .. }
            if variable == target && value == wanted)
    };
    is_target && !client.warnings.iter().any(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};
    use std::sync::Arc;

    struct Plain;

    impl Face for Plain {
        fn setting(&self, name: &str, _: Option<&str>) -> String {
            name.to_owned()
        }
    }

    /// One client per value, which sets it in all rows under an intervention on `a`.
    fn setting(values: &[u16]) -> Vec<String> {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let client = |value: &u16| {
            let mut rows = DatasetBuilder::with_capacity(Arc::clone(&schema), 40);
            for at in 0..20 {
                let codes = [at % 2, at / 2 % 2];
                rows.push(&codes, &Regime::Observational).unwrap();
                let set = Regime::intervened([VarId(0)]);
                rows.push(&[*value, codes[1]], &set).unwrap();
            }
            rows.finish().unwrap()
        };
        let study = Study::divided(values.iter().map(client).collect(), None);
        second_look(&study, &Plain)
    }

    #[test]
    fn a_value_that_nobody_varies_is_said_once() {
        let said = setting(&[1, 1]);
        assert_eq!(said.len(), 1, "{said:?}");
        // Of both clients together.
        assert!(said[0].starts_with("all 40 rows under an intervention on a"));
        assert_eq!(setting(&[1]).len(), 1);
    }

    #[test]
    fn what_other_clients_make_up_for_is_not_said() {
        assert_eq!(setting(&[0, 1]), Vec::<String>::new());
    }
}
