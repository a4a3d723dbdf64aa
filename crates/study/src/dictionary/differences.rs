//! In what the parts of a dictionary differ: all of it, in words.

use std::collections::BTreeMap;
use std::fmt;

use fedcdi_core::nearest::nearest;
use fedcdi_core::{Remedied, Remedy, first_few};
use fedcdi_data::inspect::looks;

use super::part::{Part, PartVariable};

const FEW: usize = 4;

/// In what parts differ; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences(pub(super) Vec<Remedy>);

impl Differences {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; never, where it is an error.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn listed(&self) -> Remedy {
        let heading = match self.len() {
            1 => "the parts differ in one thing".to_owned(),
            n => format!("the parts differ in {n} things"),
        };
        let line = |all: Remedy, each: &Remedy| all.text("\n- ").then(each.clone());
        self.0.iter().fold(Remedy::from(heading), line)
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.listed().fmt(f)
    }
}

impl std::error::Error for Differences {}

impl Remedied for Differences {
    fn remedy(&self) -> Option<Remedy> {
        Some(self.listed())
    }
}

/// Everything in which the parts, each with the name of its file, cannot be one dictionary.
pub(super) fn differences(parts: &[(String, Part)]) -> Vec<Remedy> {
    let mut found = repeated(parts);
    let missing = missing(parts);
    if missing.is_empty() && found.is_empty() {
        found.extend(reordered(parts));
    }
    found.extend(missing);
    for name in all_names(parts) {
        let own: Vec<(&str, &PartVariable)> = parts
            .iter()
            .filter_map(|(file, part)| Some((file.as_str(), find(part, name)?)))
            .collect();
        if let Some(difference) = kinds(name, &own) {
            found.push(difference);
        } else {
            found.extend(alike(name, &own));
            found.extend(nothing_in_common(name, &own));
        }
    }
    found
}

fn find<'a>(part: &'a Part, name: &str) -> Option<&'a PartVariable> {
    part.variables.iter().find(|variable| variable.name == name)
}

/// In order of first appearance.
pub(super) fn all_names(parts: &[(String, Part)]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for variable in parts.iter().flat_map(|(_, part)| &part.variables) {
        if !names.contains(&variable.name.as_str()) {
            names.push(&variable.name);
        }
    }
    names
}

fn repeated(parts: &[(String, Part)]) -> Vec<Remedy> {
    let mut found = Vec::new();
    for (file, part) in parts {
        for (at, variable) in part.variables.iter().enumerate() {
            let name = &variable.name;
            if part.variables[..at].iter().any(|v| v.name == *name) {
                found.push(format!("{file} lists {name:?} twice; remove one").into());
            }
        }
    }
    found
}

/// Variables that not all have. One that may have another name elsewhere is named once.
fn missing(parts: &[(String, Part)]) -> Vec<Remedy> {
    let mut found = Vec::new();
    let mut renamed: Vec<(&str, &str)> = Vec::new();
    let everywhere = |name: &str| parts.iter().all(|(_, part)| find(part, name).is_some());
    for name in all_names(parts) {
        for (file, _) in parts.iter().filter(|(_, part)| find(part, name).is_none()) {
            if renamed.contains(&(file, name)) {
                continue;
            }
            let part = parts.iter().find(|(known, _)| known == file);
            let others = part.into_iter().flat_map(|(_, part)| &part.variables);
            let others = others.map(|v| v.name.as_str());
            let others = others.filter(|other| !everywhere(other));
            let has: Vec<&str> = parts
                .iter()
                .filter(|(_, part)| find(part, name).is_some())
                .map(|(file, _)| file.as_str())
                .collect();
            let where_it_is = first_few(&has, FEW);
            if let Some(near) = nearest(name, others) {
                renamed.extend(has.iter().map(|file| (*file, near)));
                let text = format!(
                    "{file} has {near:?}, and {where_it_is} {name:?}; rename one if they are the same"
                );
                found.push(text.into());
            } else {
                let text = format!(
                    "{file} lacks {name:?}, which {where_it_is} has; add the column there, or remove it \
                     from all others"
                );
                found.push(text.into());
            }
        }
    }
    found
}

fn reordered(parts: &[(String, Part)]) -> Vec<Remedy> {
    let Some(((first, expected), rest)) = parts.split_first() else {
        return Vec::new();
    };
    let difference = |(file, part): &(String, Part)| {
        let pairs = expected.variables.iter().zip(&part.variables);
        let mut pairs = (1..).zip(pairs);
        let (at, (a, b)) = pairs.find(|(_, (a, b))| a.name != b.name)?;
        let (a, b) = (&a.name, &b.name);
        Some(Remedy::from(format!(
            "{file} has the variables of {first} in another order: number {at} is {b:?} there, and {a:?} in \
             {first}; put the entries of one file in the order of the other (columns of tables may stay)"
        )))
    };
    rest.iter().filter_map(difference).collect()
}

fn kinds(name: &str, own: &[(&str, &PartVariable)]) -> Option<Remedy> {
    let files = |is_real: bool| {
        let files = own.iter().filter(|(_, v)| v.is_real() == is_real);
        files.map(|(file, _)| *file).collect::<Vec<&str>>()
    };
    let (real, labelled) = (files(true), files(false));
    if real.is_empty() || labelled.is_empty() {
        return None;
    }
    let text = format!(
        "{name:?} is real in {}, and has categories in {}; make the part of one of them again, with or \
         without ",
        first_few(real, FEW),
        first_few(labelled, FEW)
    );
    Some(Remedy::from(text).set("real", name))
}

/// Labels that differ only in case or blanks.
fn alike(name: &str, own: &[(&str, &PartVariable)]) -> Vec<Remedy> {
    let mut groups: BTreeMap<String, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (file, variable) in own {
        for label in variable.labels() {
            let group = groups.entry(looks(label)).or_default();
            group.entry(label).or_default().push(file);
        }
    }
    let several = groups.into_values().filter(|group| group.len() > 1);
    let text = |group: BTreeMap<&str, Vec<&str>>| {
        let labels = group.iter().map(|(label, files)| {
            let files = first_few(files, FEW);
            format!("{label:?} in {files}")
        });
        let labels: Vec<String> = labels.collect();
        let labels = labels.join(", ");
        Remedy::from(format!(
            "labels of {name:?} differ only in case or blanks: {labels}; write the same label everywhere"
        ))
    };
    several.map(text).collect()
}

/// Labels such as yes and no here, Y and N there.
fn nothing_in_common(name: &str, own: &[(&str, &PartVariable)]) -> Option<Remedy> {
    let ((first, expected), rest) = own.split_first()?;
    let several = |variable: &PartVariable| variable.labels().len() > 1;
    let apart = |variable: &PartVariable| {
        let mut labels = variable.labels().iter();
        // Those that differ in case or blanks were named.
        let same = |a: &String| expected.labels().iter().any(|b| looks(a) == looks(b));
        several(expected) && several(variable) && !labels.any(same)
    };
    let (file, other) = rest.iter().find(|(_, variable)| apart(variable))?;
    let shown = |variable: &PartVariable| {
        first_few(variable.labels().iter().map(|l| format!("{l:?}")), FEW)
    };
    Some(Remedy::from(format!(
        "{name:?} has {} in {first}, and {} in {file}: no label in common; use the same labels everywhere, or, \
         if they are different things, add those of one file to the other",
        shown(expected),
        shown(other)
    )))
}
