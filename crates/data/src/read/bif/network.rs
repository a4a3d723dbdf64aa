//! From blocks to a network: names and labels are looked up, tables are filled.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use fedcdi_core::{Schema, VarId, Variable};

use super::laws::{Shape, laws};
use super::parser::{Blocks, ProbabilityBlock, parse};
use super::tokens::Problem;
use crate::file_error::{FileError, Place};
use crate::synth::mechanism::{Cpt, Mechanism};
use crate::synth::network::Network;

/// Reads a network.
///
/// # Errors
/// [`FileError`] naming the line of the first thing that is wrong.
pub fn read_bif(path: &Path) -> Result<Network, FileError> {
    let bytes = std::fs::read(path).map_err(|e| FileError::io(path, e))?;
    parse_bif(&bytes, path)
}

pub(crate) fn parse_bif(bytes: &[u8], path: &Path) -> Result<Network, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|b| *b == b'\n').count() as u64;
        let problem = "the text is not UTF-8";
        FileError::content(path, Place::Line(line), problem, "save the file as UTF-8")
    })?;
    let blocks = parse(text).map_err(|problem| at_line(path, problem))?;
    let schema = schema(path, &blocks)?;
    let laws = mechanisms(&blocks, &schema).map_err(|problem| at_line(path, problem))?;
    Network::new(schema, laws).map_err(|error| FileError::from_text(path, Place::Whole, &error))
}

fn at_line(path: &Path, problem: Problem) -> FileError {
    let place = Place::Line(problem.line);
    FileError::content(path, place, problem.what, problem.remedy)
}

fn schema(path: &Path, blocks: &Blocks) -> Result<Arc<Schema>, FileError> {
    let mut first: HashMap<&str, u64> = HashMap::new();
    let mut variables = Vec::new();
    for block in &blocks.variables {
        let variable = Variable::new(&block.name, block.labels.clone());
        let place = Place::Line(block.line);
        if let Err(error) = Schema::new(vec![variable.clone()]) {
            return Err(FileError::schema(path, place, &error));
        }
        if let Some(line) = first.insert(&block.name, block.line) {
            let name = &block.name;
            let problem = format!("variable {name:?} was declared at line {line} already");
            let remedy = "remove one of them";
            return Err(FileError::content(path, place, problem, remedy));
        }
        variables.push(variable);
    }
    let schema = Schema::new(variables).map_err(|_| {
        let remedy = "the file is empty or not a BIF network: fetch it again";
        FileError::whole(path, "the file declares no variables", remedy)
    })?;
    Ok(Arc::new(schema))
}

fn mechanisms(blocks: &Blocks, schema: &Schema) -> Result<Vec<Mechanism>, Problem> {
    let mut of_variable: Vec<Option<Mechanism>> = vec![None; schema.n_vars()];
    for block in &blocks.probabilities {
        let var = find(schema, &block.name, block)?;
        let mechanism = mechanism(schema, block)?;
        if of_variable[var.index()].replace(mechanism).is_some() {
            let problem = format!("{:?} has two probability blocks", block.name);
            return Err(Problem::new(block.line, problem, "remove one of them"));
        }
    }
    let with_line = of_variable.into_iter().zip(&blocks.variables);
    let present = with_line.map(|(mechanism, variable)| {
        mechanism.ok_or_else(|| {
            let problem = format!("{:?} has no probability block", variable.name);
            let remedy = "add one; if the file ends early, fetch it again";
            Problem::new(variable.line, problem, remedy)
        })
    });
    present.collect()
}

fn mechanism(schema: &Schema, block: &ProbabilityBlock) -> Result<Mechanism, Problem> {
    let var = find(schema, &block.name, block)?;
    let mut parents = Vec::with_capacity(block.parents.len());
    for name in &block.parents {
        let parent = find(schema, name, block)?;
        if parents.contains(&parent) || parent == var {
            let problem = format!("{name:?} occurs twice in the head of {:?}", block.name);
            return Err(Problem::new(block.line, problem, "name every parent once"));
        }
        parents.push(parent);
    }
    let labels = |id: &VarId| schema.variable(*id).categories();
    let shape = Shape {
        labels: labels(&var),
        parents: parents
            .iter()
            .map(|p| (schema.name(*p), labels(p)))
            .collect(),
    };
    let numbers = laws(block, &shape)?;
    let sizes = parents.iter().map(|p| (*p, labels(p).len())).collect();
    let table = Cpt::new(sizes, labels(&var).len(), numbers).map_err(|error| {
        let problem = format!("{:?}: {error}", block.name);
        Problem::new(block.line, problem, "correct the block")
    })?;
    Ok(Mechanism::Table(table))
}

fn find(schema: &Schema, name: &str, block: &ProbabilityBlock) -> Result<VarId, Problem> {
    schema.find(name).ok_or_else(|| {
        let own = name == block.name;
        let problem = format!(
            "unknown {} {name:?}",
            if own { "variable" } else { "parent" }
        );
        let remedy = "declare it in a variable block, or correct the name";
        Problem::new(block.line, problem, remedy)
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
