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
        let place = Place::Line(line);
        FileError::content(
            path,
            place,
            "the text is not UTF-8",
            "save the file as UTF-8",
        )
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
    for block in &blocks.variables {
        let single = Schema::new(vec![Variable::new(&block.name, block.labels.clone())]);
        if let Err(error) = single {
            return Err(FileError::schema(path, Place::Line(block.line), &error));
        }
        if let Some(line) = first.insert(&block.name, block.line) {
            let problem = format!(
                "variable {:?} was declared at line {line} already",
                block.name
            );
            let place = Place::Line(block.line);
            return Err(FileError::content(
                path,
                place,
                problem,
                "remove one of them",
            ));
        }
    }
    let variables = blocks.variables.iter();
    let variables: Vec<Variable> = variables
        .map(|block| Variable::new(&block.name, block.labels.clone()))
        .collect();
    let schema = Schema::new(variables).map_err(|_| {
        let problem = "the file declares no variables";
        let remedy = "the file is empty or not a BIF network: fetch it again";
        FileError::whole(path, problem, remedy)
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
        let role = if name == block.name {
            "variable"
        } else {
            "parent"
        };
        let problem = format!("unknown {role} {name:?}");
        Problem::new(
            block.line,
            problem,
            "declare it in a variable block, or correct the name",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAIN: &str = "network \"wet grass\" { property author = someone; }
variable rain { type discrete [ 2 ] { yes, no }; property \"a; b\"; }
variable \"wet grass\" { type discrete[3] { \"a lot\" some none }; }
probability ( rain ) { table 0.25, 0.75; }
probability ( \"wet grass\" | rain ) {
  (yes) 0.5 0.5 0.0;
  (no) 0.1, 0.2, 0.7;
}";

    fn parse(text: &str) -> Result<Network, String> {
        parse_bif(text.as_bytes(), Path::new("n.bif")).map_err(|e| e.to_string())
    }

    fn changed(from: &str, to: &str) -> String {
        assert!(RAIN.contains(from), "{from}");
        parse(&RAIN.replace(from, to)).unwrap_err()
    }

    fn law(network: &Network, var: usize) -> &Cpt {
        let Mechanism::Table(table) = &network.mechanisms()[var] else {
            panic!("variable {var} has no table");
        };
        table
    }

    #[test]
    fn a_network_is_read() {
        let network = parse(RAIN).unwrap();
        assert_eq!(network.schema().names(), ["rain", "wet grass"]);
        assert!(network.dag().has_edge(VarId(0), VarId(1)));
        assert_eq!(law(&network, 0).row(0), [0.25, 0.75]);
        assert_eq!(law(&network, 1).row(1), [0.1, 0.2, 0.7]);
    }

    #[test]
    fn a_whole_table_varies_the_variable_slowest() {
        let whole = RAIN
            .replace("(yes) 0.5 0.5 0.0;", "table 0.5 0.1 0.5 0.2 0.0 0.7;")
            .replace("(no) 0.1, 0.2, 0.7;", "");
        assert_eq!(parse(&whole).unwrap(), parse(RAIN).unwrap());
        let default = RAIN.replace("(yes) 0.5 0.5 0.0;", "default 0.5 0.5 0.0;");
        assert_eq!(parse(&default).unwrap(), parse(RAIN).unwrap());
    }

    #[test]
    fn coarse_rounding_is_normalised_and_more_is_refused() {
        let thirds = RAIN.replace("0.1, 0.2, 0.7", "0.33333, 0.33333, 0.33333");
        let network = parse(&thirds).unwrap();
        assert!((law(&network, 1).row(1)[0] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(
            changed("0.1, 0.2, 0.7", "0.1, 0.2, 0.6"),
            "n.bif, line 7: the probabilities of \"wet grass\" sum to 0.9, not to 1; correct the row"
        );
    }

    #[test]
    fn bad_networks_are_refused_by_line() {
        for (from, to, expected) in [
            ("0.25, 0.75", "-1, 2", "line 4: -1 in the law of \"rain\""),
            ("| rain )", "| snow )", "line 5: unknown parent \"snow\""),
            ("( rain )", "( snow )", "line 4: unknown variable \"snow\""),
            (
                "(no)",
                "(maybe)",
                "line 7: \"rain\" has no category \"maybe\"",
            ),
            (
                "(no)",
                "(yes)",
                "line 7: \"wet grass\" has two rows for rain = yes",
            ),
            (
                "(no) 0.1, 0.2, 0.7;",
                "",
                "line 5: \"wet grass\" has no row for rain = no",
            ),
            (
                "0.1, 0.2, 0.7",
                "0.3, 0.7",
                "line 7: 2 probabilities for the 3",
            ),
            (
                "0.1, 0.2, 0.7",
                "0.1, x, 0.7",
                "line 7: \"x\" is not a number",
            ),
            (
                "[ 2 ]",
                "[ 3 ]",
                "line 2: variable \"rain\" announces 3 categories, but lists 2",
            ),
            (
                "yes, no",
                "yes, yes",
                "line 2: variable \"rain\" lists category \"yes\" twice",
            ),
            (
                "probability ( rain ) { table 0.25, 0.75; }",
                "",
                "line 2: \"rain\" has no prob",
            ),
            (
                "type discrete [ 2 ]",
                "type continuous",
                "line 2: variable \"rain\" is \"cont",
            ),
            (
                "variable rain",
                "variabel rain",
                "line 2: expected network, variable or",
            ),
            (
                "\"wet grass\" {",
                "rain {",
                "line 3: variable \"rain\" was declared at line 2",
            ),
        ] {
            let error = changed(from, to);
            assert!(error.starts_with(&format!("n.bif, {expected}")), "{error}");
        }
        assert!(parse("").unwrap_err().contains("declares no variables"));
    }

    #[test]
    fn a_cut_off_file_is_called_that() {
        for length in [60, 100, 200, RAIN.len() - 1] {
            let error = parse(&RAIN[..length]).unwrap_err();
            assert!(error.contains("cut off"), "{error}");
        }
    }

    #[test]
    fn a_cycle_is_named() {
        let cyclic = "variable a { type discrete [ 1 ] { x }; }
            variable b { type discrete [ 1 ] { x }; }
            probability ( a | b ) { (x) 1; }
            probability ( b | a ) { (x) 1; }";
        let error = parse(cyclic).unwrap_err();
        assert!(error.contains("cycle: a -> b -> a") || error.contains("cycle: b -> a -> b"));
    }

    #[test]
    fn a_short_file_cannot_ask_for_a_huge_table() {
        let names: Vec<String> = (0..64).map(|v| format!("v{v}")).collect();
        let declared = names.iter();
        let declared =
            declared.map(|v| format!("variable {v} {{ type discrete [ 2 ] {{ a b }}; }}\n"));
        let declared = declared.collect::<Vec<_>>().concat();
        let parents = names[1..].join(" ");
        let text = format!("{declared}probability ( v0 | {parents} ) {{ default 1 0; }}");
        assert!(parse(&text).unwrap_err().contains("too large"));
    }
}
