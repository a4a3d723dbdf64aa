//! From the parts of all sites to the dictionary of the study.

use fedcdi_core::{Remedy, Schema, Variable};
use fedcdi_data::study::SchemaFile;

use super::differences::{Differences, all_names, differences};
use super::part::{Part, PartVariable};

/// The dictionary of a study, and what to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The dictionary.
    pub file: SchemaFile,
    /// What may need a decision.
    pub warnings: Vec<Remedy>,
}

/// One dictionary from parts, each with the name of its file: the variables of all, and all labels that any
/// part shows, in an order that does not depend on that of the parts. Labels that all parts list alike keep
/// their order, others are sorted ([`Variable::sort_labels`]). With `other`, a variable of which a part hides
/// labels gets that category, as its last one: it stands for all labels that are not listed.
///
/// # Errors
/// [`Differences`] if they cannot be one dictionary.
pub fn merge(parts: &[(String, Part)], other: Option<&str>) -> Result<Merged, Differences> {
    let mut found = differences(parts);
    let mut merged = Vec::new();
    let (mut is_used, mut warnings) = (false, Vec::new());
    for name in all_names(parts) {
        let own: Vec<&PartVariable> = parts
            .iter()
            .filter_map(|(_, part)| part.variables.iter().find(|v| v.name == name))
            .collect();
        let n_hidden = own.iter().map(|variable| variable.hidden).sum();
        let other = other.filter(|_| n_hidden > 0);
        is_used |= other.is_some();
        if n_hidden > 0 && other.is_none() {
            warnings.push(hidden(name, n_hidden));
        }
        merged.push(united(name, &own, other));
    }
    if other.is_some_and(|other| other.trim() != other || other.is_empty()) {
        found.push("the category for all others needs a name without blanks around it".into());
    }
    let schema = Schema::new(merged);
    if found.is_empty()
        && let Err(error) = &schema
    {
        found.push(error.to_string().into());
    }
    match schema {
        Ok(schema) if found.is_empty() => {
            if let Some(other) = other.filter(|_| !is_used) {
                let text =
                    format!("no part hides a label, so no variable has the category {other:?}");
                warnings.push(text.into());
            }
            let other = other.filter(|_| is_used).map(str::to_owned);
            let file = SchemaFile { schema, other };
            Ok(Merged { file, warnings })
        }
        _ => Err(Differences(found)),
    }
}

fn united(name: &str, own: &[&PartVariable], other: Option<&str>) -> Variable {
    if own.iter().all(|variable| variable.is_real()) {
        return Variable::real(name);
    }
    let mut labels = own[0].labels().to_vec();
    if own.iter().any(|variable| variable.labels() != labels) {
        let all = own.iter().flat_map(|variable| variable.labels()).cloned();
        labels = all.collect();
        Variable::sort_labels(&mut labels);
        labels.dedup();
    }
    if let Some(other) = other {
        labels.retain(|label| label != other);
        labels.push(other.to_owned());
    }
    Variable::new(name, labels)
}

fn hidden(name: &str, n_hidden: usize) -> Remedy {
    let labels = match n_hidden {
        1 => "1 label".to_owned(),
        n => format!("{n} labels"),
    };
    let text = format!(
        "parts hide {labels} of {name:?}: sites that have them must correct these rows before they can take \
         part; to give such labels a category of their own, pass "
    );
    Remedy::from(text).set("other", "other")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part {
        serde_json::from_str(text).unwrap()
    }

    /// Variables as `name:label,label+hidden name:real`.
    fn parts(all: &[(&str, &str)]) -> Vec<(String, Part)> {
        let variable = |text: &str| {
            let (name, rest) = text.split_once(':').unwrap();
            let name = name.replace('_', " ");
            if rest == "real" {
                return format!("{{\"name\":{name:?},\"kind\":\"real\"}}");
            }
            let (labels, hidden) = rest.split_once('+').unwrap_or((rest, "0"));
            let labels: Vec<String> = labels.split(',').map(|l| l.replace('_', " ")).collect();
            format!("{{\"name\":{name:?},\"categories\":{labels:?},\"hidden\":{hidden}}}")
        };
        let one = |(file, text): &(&str, &str)| {
            let variables: Vec<String> = text.split(' ').map(variable).collect();
            let text = format!("{{\"variables\":[{}]}}", variables.join(","));
            ((*file).to_owned(), part(&text))
        };
        all.iter().map(one).collect()
    }

    fn refused(all: &[(&str, &str)]) -> Vec<String> {
        let differences = merge(&parts(all), None).unwrap_err();
        let text = differences.to_string();
        text.lines()
            .skip(1)
            .map(|line| line[2..].to_owned())
            .collect()
    }

    #[test]
    fn labels_are_united_whatever_the_order_of_the_files() {
        let mut all = parts(&[
            ("a", "dose:10,2 sex:f,m age:real level:LOW,HIGH"),
            ("b", "dose:1,2 sex:f,m,x age:real level:LOW,HIGH"),
            ("c", "dose:2 sex:m age:real level:LOW,HIGH"),
        ]);
        let merged = merge(&all, None).unwrap();
        let labels = |at: usize| merged.file.schema.variables()[at].categories().join(" ");
        assert_eq!([labels(0), labels(1)], ["1 2 10", "f m x"]);
        assert_eq!([labels(2), labels(3)], ["", "LOW HIGH"]);
        all.reverse();
        assert_eq!(merge(&all, None).unwrap(), merged);
        assert!(merged.warnings.is_empty());
    }

    #[test]
    fn hidden_labels_get_a_category_of_their_own() {
        let all = parts(&[
            ("a", "job:nurse,smith+2 sex:f,m"),
            ("b", "job:nurse sex:f,m"),
        ]);
        let without = merge(&all, None).unwrap();
        let warning = without.warnings[0].to_string();
        assert!(
            warning.starts_with("parts hide 2 labels of \"job\""),
            "{warning}"
        );
        let with = merge(&all, Some("other")).unwrap();
        assert_eq!(with.file.other.as_deref(), Some("other"));
        let variables = with.file.schema.variables();
        assert_eq!(variables[0].categories(), ["nurse", "smith", "other"]);
        assert_eq!(variables[1].categories(), ["f", "m"]);
        let text = serde_json::to_string(&with.file).unwrap();
        assert!(text.ends_with("],\"other\":\"other\"}"), "{text}");
        assert_eq!(
            serde_json::from_str::<SchemaFile>(&text).unwrap(),
            with.file
        );
        let useless = merge(&parts(&[("a", "sex:f,m")]), Some("other")).unwrap();
        assert_eq!(useless.file.other, None);
        assert_eq!(useless.warnings.len(), 1);
    }

    #[test]
    fn every_difference_is_named_at_once() {
        let found = refused(&[
            ("basel", "smoke:no,yes lung:0,1 age:real sex:f,m bmi:1,2"),
            ("bern", "Smoke:no,yes lung:0,1,_1 age:1,2 sex:F,m ward:a,b"),
        ]);
        let expected = [
            "bern has \"Smoke\", and basel \"smoke\"; rename one if they are the same",
            "bern lacks \"bmi\", which basel has; add the column there, or remove it from all others",
            "basel lacks \"ward\", which bern has; add the column there, or remove it from all others",
            "labels of \"lung\" differ only in case or blanks: \" 1\" in bern, \"1\" in basel, bern; write the same label everywhere",
            "\"age\" is real in basel, and has categories in bern; make the part of one of them again, with or without real = \"age\"",
            "labels of \"sex\" differ only in case or blanks: \"F\" in bern, \"f\" in basel; write the same label everywhere",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn other_orders_labels_without_a_match_and_repeated_names_are_named() {
        let found = refused(&[("a", "x:0,1 y:0,1 z:0,1"), ("b", "x:0,1 z:0,1 y:0,1")]);
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .starts_with("b has the variables of a in another order: number 2 is \"z\" there"),
            "{found:?}"
        );
        let found = refused(&[("a", "x:yes,no"), ("b", "x:Y,N")]);
        assert!(
            found[0].contains("\"yes\", \"no\" in a, and \"Y\", \"N\" in b: no label in common")
        );
        let found = refused(&[("a", "x:0,1 x:0,1"), ("b", "x:0,1")]);
        assert_eq!(found[0], "a lists \"x\" twice; remove one");
    }
}
