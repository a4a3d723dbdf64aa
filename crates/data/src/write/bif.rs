//! Bayesian networks in the Interchange Format.
//!
//! Numbers are printed with as many digits as it takes to read the same number back.

use std::fmt::Write;
use std::path::Path;

use fedcdi_core::{Schema, VarId};

use super::atomic::{Overwrite, write_bytes};
use crate::file_error::{FileError, Place};
use crate::mechanism::{Cpt, Mechanism};
use crate::network::Network;

/// Writes a network of probability tables.
///
/// # Errors
/// [`FileError`] if a variable does not have a probability table, or the file cannot be written.
pub fn write_bif(path: &Path, network: &Network, overwrite: Overwrite) -> Result<(), FileError> {
    let text = format_bif(path, network)?;
    write_bytes(path, overwrite, text.as_bytes())
}

pub(crate) fn format_bif(path: &Path, network: &Network) -> Result<String, FileError> {
    let schema = network.schema();
    let mut text = String::from("network unknown {\n}\n");
    for variable in schema.variables() {
        let labels: Vec<String> = variable.categories.iter().map(|l| word(l)).collect();
        let name = word(&variable.name);
        let (n, labels) = (labels.len(), labels.join(", "));
        text += &format!("variable {name} {{\n  type discrete [ {n} ] {{ {labels} }};\n}}\n");
    }
    for (var, mechanism) in schema.ids().zip(network.mechanisms()) {
        let Mechanism::Table(table) = mechanism else {
            return Err(FileError::content(
                path,
                Place::Whole,
                format!("the law of {:?} is not a table", schema.name(var)),
                "BIF holds tables only: write samples or the graph instead",
            ));
        };
        add_law(&mut text, schema, var, table);
    }
    Ok(text)
}

fn add_law(text: &mut String, schema: &Schema, var: VarId, table: &Cpt) {
    let parents: Vec<String> = table
        .parents()
        .iter()
        .map(|p| word(schema.name(*p)))
        .collect();
    let bar = if parents.is_empty() { "" } else { " | " };
    let (name, parents) = (word(schema.name(var)), parents.join(", "));
    *text += &format!("probability ( {name}{bar}{parents} ) {{\n");
    for (values, law) in table.rows() {
        let labels =
            table.parents().iter().zip(values).map(|(parent, value)| {
                word(&schema.variable(*parent).categories[usize::from(value)])
            });
        let labels: Vec<String> = labels.collect();
        if labels.is_empty() {
            *text += "  table ";
        } else {
            write!(text, "  ({}) ", labels.join(", ")).expect("writing to a string does not fail");
        }
        let law: Vec<String> = law.iter().map(|p| format!("{p:?}")).collect();
        *text += &law.join(", ");
        *text += ";\n";
    }
    *text += "}\n";
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
