//! Bayesian networks in the Interchange Format.
//!
//! Numbers are printed with as many digits as it takes to read the same number back.

use std::path::Path;

use fedcdi_core::{Schema, VarId};

use super::atomic::{Overwrite, write_text};
use crate::file_error::FileError;
use crate::synth::mechanism::{Cpt, Mechanism};
use crate::synth::network::Network;

/// Writes a network of probability tables.
///
/// # Errors
/// [`FileError`] if a variable does not have a probability table, or the file cannot be written.
pub fn write_bif(path: &Path, network: &Network, overwrite: Overwrite) -> Result<(), FileError> {
    write_text(path, overwrite, &format_bif(path, network)?)
}

fn format_bif(path: &Path, network: &Network) -> Result<String, FileError> {
    let schema = network.schema();
    let mut lines = vec!["network unknown {\n}".to_owned()];
    for variable in schema.variables() {
        let labels: Vec<String> = variable.categories().iter().map(|l| word(l)).collect();
        lines.push(format!("variable {} {{", word(&variable.name)));
        let (n, labels) = (labels.len(), labels.join(", "));
        lines.push(format!("  type discrete [ {n} ] {{ {labels} }};\n}}"));
    }
    for (var, mechanism) in schema.ids().zip(network.mechanisms()) {
        let Mechanism::Table(table) = mechanism else {
            let problem = format!("the law of {:?} is not a table", schema.name(var));
            let remedy = "BIF holds tables only: write samples or the graph instead";
            return Err(FileError::whole(path, problem, remedy));
        };
        add_law(&mut lines, schema, var, table);
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn add_law(lines: &mut Vec<String>, schema: &Schema, var: VarId, table: &Cpt) {
    let names = table.parents().iter().map(|p| word(schema.name(*p)));
    let parents: Vec<String> = names.collect();
    let bar = if parents.is_empty() { "" } else { " | " };
    let (name, parents) = (word(schema.name(var)), parents.join(", "));
    lines.push(format!("probability ( {name}{bar}{parents} ) {{"));
    for (values, law) in table.rows() {
        let labels = table.parents().iter().zip(values).map(|(parent, value)| {
            word(&schema.variable(*parent).categories()[usize::from(value)])
        });
        let labels: Vec<String> = labels.collect();
        let law: Vec<String> = law.iter().map(|p| format!("{p:?}")).collect();
        let law = law.join(", ");
        lines.push(if labels.is_empty() {
            format!("  table {law};")
        } else {
            format!("  ({}) {law};", labels.join(", "))
        });
    }
    lines.push("}".to_owned());
}

/// A name as it stands in the file: in quotes unless it is a plain word.
fn word(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
