//! The column names of a table.

use std::collections::HashSet;
use std::path::Path;

use fedcdi_core::nearest::nearest;
use fedcdi_core::{Remedy, Schema};

use super::options::{RealColumns, TableOptions};
use crate::file_error::FileError;

/// Refuses names that are empty or repeated, and a table without variables.
pub(crate) fn check_header(
    path: &Path,
    header: &[String],
    options: &TableOptions,
) -> Result<(), FileError> {
    let first = name_problems(path, header).into_iter().next();
    match first.or_else(|| regime_problem(path, header, options)) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Everything in which a header is not as it must be, and not as the schema says, if there is one.
pub(super) fn problems(path: &Path, header: &[String], options: &TableOptions) -> Vec<FileError> {
    let mut found = name_problems(path, header);
    found.extend(regime_problem(path, header, options));
    found.extend(real_problem(path, header, options));
    if let Some(schema) = &options.schema {
        found.extend(schema_problems(path, header, schema, options));
    }
    found
}

fn regime_problem(path: &Path, header: &[String], options: &TableOptions) -> Option<FileError> {
    let wanted = &options.intervention_column;
    let has_regimes = header.contains(wanted);
    let alike = header.iter().find(|name| seems_regimes(name, options));
    Some(match alike.filter(|_| !has_regimes) {
        Some(name) if name.trim() == wanted => {
            let problem = format!("the header has blanks around its names, such as {name:?}");
            FileError::whole(path, problem, "remove the blanks beside the commas")
        }
        Some(name) => {
            let problem =
                format!("it looks like the intervention column, which is {wanted:?} here");
            let remedy = Remedy::from("rename it, or pass ").set("intervention_column", name);
            FileError::column(path, name, problem, remedy)
        }
        None if !has_regimes && wanted != TableOptions::INTERVENTION => {
            let problem = format!("there is no intervention column {wanted:?}");
            let remedy = Remedy::from("correct ").setting("intervention_column");
            FileError::whole(path, problem, remedy)
        }
        None if header.len() == usize::from(has_regimes) => {
            let remedy = "add one named column per variable";
            FileError::whole(path, "the table has no variables", remedy)
        }
        None => return None,
    })
}

fn name_problems(path: &Path, header: &[String]) -> Vec<FileError> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for (at, name) in (1..).zip(header) {
        if name.is_empty() {
            let problem = format!("column number {at} has no name");
            let remedy = "name it, or remove it if it is a row number";
            found.push(FileError::whole(path, problem, remedy));
        } else if !seen.insert(name) {
            let problem = "the name occurs twice in the header";
            let remedy = "rename one of the columns";
            found.push(FileError::column(path, name, problem, remedy));
        }
    }
    found
}

/// Whether a column that is not the intervention column seems to be meant as one. Read as a variable
/// it would make all rows observational; a schema that has it says that it is one.
fn seems_regimes(name: &str, options: &TableOptions) -> bool {
    let (name, wanted) = (name.trim().to_lowercase(), &options.intervention_column);
    let is_variable = |schema: &Schema| {
        let mut variables = schema.variables().iter();
        variables.any(|v| v.name.to_lowercase() == name)
    };
    let close = "interventions intervened intervened_on intervention_target";
    let is_close = close.split(' ').any(|close| close == name);
    let usual = wanted == TableOptions::INTERVENTION && is_close;
    (usual || name == wanted.to_lowercase()) && !options.schema.as_deref().is_some_and(is_variable)
}

/// Columns declared real that are not there, or that the schema has categories for.
pub(super) fn real_problem(
    path: &Path,
    header: &[String],
    options: &TableOptions,
) -> Option<FileError> {
    if let RealColumns::Named(names) = &options.real {
        let variable =
            |name: &&String| !header.contains(name) || **name == options.intervention_column;
        if let Some(name) = names.iter().find(variable) {
            let problem = format!("there is no column {name:?}, which was declared real");
            let remedy = Remedy::from("correct the names in ").setting("real");
            return Some(FileError::whole(path, problem, remedy));
        }
    }
    let mut variables = options.schema.as_ref()?.variables().iter();
    let variable = variables.find(|v| options.real.contains(&v.name) && !v.is_real())?;
    let problem = "it is declared real, and the schema lists categories";
    let remedy = Remedy::from("leave out ").setting("real");
    let remedy = remedy.text(", or write \"kind\": \"real\" instead of the categories");
    Some(FileError::column(path, &variable.name, problem, remedy))
}

/// Columns that the schema lacks, and the other way round; one that may be meant by another name is named
/// once.
pub(super) fn schema_problems(
    path: &Path,
    header: &[String],
    schema: &Schema,
    options: &TableOptions,
) -> Vec<FileError> {
    let regimes = &options.intervention_column;
    if schema.find(regimes).is_some() {
        let problem = "the schema has a variable with the name of the intervention column";
        let remedy = Remedy::from("choose another ").setting("intervention_column");
        return vec![FileError::column(path, regimes, problem, remedy)];
    }
    let unexpected = |name: &&String| *name != regimes && schema.find(name).is_none();
    let mut others: Vec<&String> = header.iter().filter(unexpected).collect();
    // Those without a name, and those that are twice, were named already.
    others.retain(|name| !name.is_empty());
    let mut seen = HashSet::new();
    others.retain(|name| seen.insert(*name));
    let mut found = Vec::new();
    let variables = schema.variables().iter();
    for variable in variables.filter(|v| !header.contains(&v.name)) {
        let near = nearest(&variable.name, others.iter().map(|name| name.as_str()));
        let remedy = match near {
            Some(other) => format!("rename the column {other:?} to it if they are the same"),
            None => "add it, or leave it out of the schema".to_owned(),
        };
        if let Some(at) = near.and_then(|near| others.iter().position(|name| *name == near)) {
            others.remove(at);
        }
        let problem = "the schema lists it, the table lacks it";
        found.push(FileError::column(path, &variable.name, problem, remedy));
    }
    let may_be_regimes = !header.contains(regimes);
    found.extend(others.into_iter().map(|name| {
        let mut remedy = Remedy::from("remove it, or add it to the schema of all sites");
        if may_be_regimes {
            let text = "; if it says what was intervened on, pass ";
            remedy = remedy.text(text).set("intervention_column", name);
        }
        FileError::column(path, name, "the schema does not list it", remedy)
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::Variable;
    use std::sync::Arc;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(String::from).collect()
    }

    #[test]
    fn blanks_around_names_are_pointed_out() {
        let header = names("a, b, intervention");
        let refused = check_header(Path::new("t.csv"), &header, &TableOptions::default());
        assert_eq!(
            refused.unwrap_err().to_string(),
            "t.csv: the header has blanks around its names, such as \" intervention\"; remove the \
             blanks beside the commas"
        );
    }

    #[test]
    fn a_column_that_differs_in_case_is_recommended() {
        let options = TableOptions {
            intervention_column: "treated by".into(),
            ..TableOptions::default()
        };
        let header = names("a,Treated By");
        let refused = check_header(Path::new("t.csv"), &header, &options);
        let text = refused.unwrap_err().to_string();
        assert!(
            text.ends_with("pass intervention_column = \"Treated By\""),
            "{text}"
        );
    }

    #[test]
    fn a_column_that_the_schema_has_by_a_similar_name_is_named() {
        let variables = ["smoke", "lung"].map(|name| Variable::with_codes(name, 2));
        let schema = Schema::new(variables.to_vec()).unwrap();
        let options = TableOptions::with_schema(Arc::new(schema.clone()));
        let header = names("lung,Smoke");
        let refused = schema_problems(Path::new("t.csv"), &header, &schema, &options);
        assert_eq!(refused.len(), 1);
        assert_eq!(
            refused[0].to_string(),
            "t.csv, column \"smoke\": the schema lists it, the table lacks it; rename the column \
             \"Smoke\" to it if they are the same"
        );
    }
}
