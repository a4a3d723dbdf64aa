//! Tables that are not as the study's dictionary says: each difference is named, all of them at once, before
//! anything is written or sent.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use fedcdi_data::read::Missing;
use fedcdi_study::Reading;
use fedcdi_study::kit::{SiteFile, StudyFile};
use tempfile::TempDir;

const SCHEMA: &str = r#"{"variables": [
    {"name": "smoke", "categories": ["no", "yes"]},
    {"name": "dose", "categories": ["1", "2", "3"]},
    {"name": "sex", "categories": ["f", "m"]},
    {"name": "age", "kind": "real"}
]}"#;

/// The kit of a site, and its table.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self::with_schema(SCHEMA)
    }

    fn with_schema(schema: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.at("schema.json"), schema).unwrap();
        let text = "name = \"s\"\nsites = [\"basel\", \"bern\"]\nschema = \"schema.json\"\n";
        fs::write(place.at("study.toml"), text).unwrap();
        let study = StudyFile::read(&place.at("study.toml")).unwrap();
        study.provision(&place.at("kits")).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What the site says of a table.
    fn told(&self, name: &str, table: &[u8], read: Reading) -> Result<Vec<String>, String> {
        fs::write(self.at(name), table).unwrap();
        let file = SiteFile {
            name: "basel".to_owned(),
            kit: self.at("kits/basel"),
            data: self.at(name),
            policy: None,
            state: self.at("state"),
            read,
        };
        let prepared = file.prepare();
        let told = match prepared {
            Ok(prepared) => Ok(prepared.notes().to_vec()),
            Err(error) => Err(error.to_string()),
        };
        if told.is_err() {
            assert!(file.open(None).is_err());
        }
        assert!(!self.at("state").exists(), "the state was touched");
        told
    }

    fn refused(&self, table: impl AsRef<[u8]>) -> String {
        self.told("t.csv", table.as_ref(), Reading::default())
            .unwrap_err()
    }
}

/// 12 observational rows and 12 under an intervention on dose: row 1 is no,1,f,40.5 and row 2 yes,2,f,41.5.
fn table() -> String {
    let row = |at: usize| {
        format!(
            "{},{},{},{}.5,{}\n",
            ["no", "yes"][at % 2],
            at % 3 + 1,
            ["f", "m"][at / 2 % 2],
            40 + at,
            ["", "dose"][at / 12]
        )
    };
    let rows: String = (0..24).map(row).collect();
    format!("smoke,dose,sex,age,intervention\n{rows}")
}

fn header(to: &str) -> String {
    table().replacen("smoke,dose,sex,age,intervention", to, 1)
}

/// The table with other columns: `f` makes a line of the fields of one.
fn lines(f: impl Fn(usize, &[&str]) -> String) -> String {
    let table = table();
    let line = |(at, line): (usize, &str)| f(at, &line.split(',').collect::<Vec<_>>()) + "\n";
    table.lines().enumerate().map(line).collect()
}

/// One column of all rows with other values, which come from the number of the row.
fn column(column: usize, value: impl Fn(usize) -> String) -> String {
    lines(|at, fields| {
        let mut fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        if at > 0 {
            fields[column] = value(at);
        }
        fields.join(",")
    })
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn every_mismatch_has_its_own_message() {
    let place = Place::new();
    let no_sex = lines(|_, f| [f[0], f[1], f[3], f[4]].join(","));
    let extra =
        lines(|at, f| f.join(",") + ["", ",ward"][usize::from(at == 0)] + ["", ",7"][at.min(1)]);
    let latin1 = {
        let mut bytes = table().replacen("\nno,", "\nna?ve,", 1).into_bytes();
        let at = bytes.iter().position(|b| *b == b'?').unwrap();
        bytes[at] = 0xef;
        bytes
    };
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        (
            "a column is missing",
            no_sex.into(),
            &["column \"sex\": the schema lists it, the table lacks it; add it"],
        ),
        (
            "a column too many",
            extra.into(),
            &[
                "column \"ward\": the schema does not list it; remove it, or add it to the schema of all sites",
            ],
        ),
        (
            "a column is renamed",
            header("smoker,dose,sex,age,intervention").into(),
            &[
                "column \"smoke\"",
                "rename the column \"smoker\" to it if they are the same",
            ],
        ),
        (
            "a column in other case",
            header("smoke,Dose,sex,age,intervention").into(),
            &["column \"dose\"", "rename the column \"Dose\" to it"],
        ),
        (
            "blanks in a name",
            header("smoke,dose, sex,age,intervention").into(),
            &["column \"sex\"", "rename the column \" sex\" to it"],
        ),
        (
            "blanks in all names",
            header("smoke, dose, sex, age, intervention").into(),
            &[
                "the header has blanks around its names",
                "rename the column \" dose\"",
                "rename the column \" age\"",
            ],
        ),
        (
            "a column twice",
            header("smoke,dose,sex,sex,intervention").into(),
            &[
                "column \"sex\": the name occurs twice",
                "column \"age\": the schema lists it",
            ],
        ),
        (
            "a column without a name",
            header("smoke,dose,,age,intervention").into(),
            &[
                "column number 3 has no name",
                "column \"sex\": the schema lists it",
            ],
        ),
        (
            "a label in other case",
            table().replace("yes", "Yes").into(),
            &[
                "row 2 (line 3), column \"smoke\": the schema has no category \"Yes\" (12 rows); write \"yes\" in place of \"Yes\"",
            ],
        ),
        (
            "a label with a blank",
            table().replacen("no,1", "no ,1", 1).into(),
            &[
                "row 1 (line 2), column \"smoke\": the schema has no category \"no \" (1 row); write \"no\" in place of \"no \"",
            ],
        ),
        (
            "a number written otherwise",
            column(1, |at| format!("{}.0", at % 3 + 1)).into(),
            &[
                "column \"dose\": the schema has no categories \"2.0\" (8 rows)",
                "write \"2\" in place of \"2.0\"",
            ],
        ),
        (
            "a new category",
            table().replacen("\nyes,2", "\nnever,2", 1).into(),
            &[
                "row 2 (line 3), column \"smoke\": the schema has no category \"never\" (1 row); correct the values, agree on a schema that has them",
            ],
        ),
        (
            "new categories and a slip",
            column(2, |at| ["F", "d", "x"][at % 3].to_owned()).into(),
            &[
                "the schema has no categories \"d\" (8 rows), \"x\" (8 rows), \"F\" (8 rows); write \"f\" in place of \"F\"; correct the other values",
            ],
        ),
        (
            "numbers for categories",
            column(1, |at| format!("{at}.25")).into(),
            &[
                "column \"dose\": it holds many different numbers, and the schema lists categories: \"1.25\" (1 row)",
                ".. 19 more; bin the numbers",
            ],
        ),
        (
            "an identifier for categories",
            column(0, |at| format!("patient {at}")).into(),
            &[
                "column \"smoke\": the schema has no categories \"patient 1\" (1 row)",
                ".. 19 more",
            ],
        ),
        (
            "text for numbers",
            column(3, |_| "old".to_owned()).into(),
            &[
                "column \"age\": the schema says real numbers, and no row has one: \"old\" (24 rows)",
            ],
        ),
        (
            "one text among numbers",
            table().replacen("40.5", "forty", 1).into(),
            &[
                "row 1 (line 2), column \"age\": the schema says real numbers, and these are none: \"forty\" (1 row); write a number",
            ],
        ),
        (
            "a decimal comma",
            table().replacen("40.5", "\"40,5\"", 1).into(),
            &["these are none: \"40,5\" (1 row); write a number with a decimal point"],
        ),
        (
            "an endless number",
            table().replacen("40.5", "inf", 1).into(),
            &["these are none: \"inf\" (1 row); correct the value, or remove the row"],
        ),
        (
            "a missing label",
            table().replacen("\nno,1", "\n,1", 1).into(),
            &["row 1 (line 2), column \"smoke\": the value is missing (1 row); fill it in"],
        ),
        (
            "missing numbers",
            table().replace("40.5", "NA").replace("41.5", "").into(),
            &["column \"age\": the value is missing (2 rows); fill in a number"],
        ),
        ("no text", latin1, &["has no category", "(1 row)"]),
        (
            "nothing at all",
            Vec::new(),
            &["the table is empty; it needs a line of column names"],
        ),
        (
            "a header alone",
            "smoke,dose,sex,age,intervention\n".into(),
            &["the table has no rows; add one row per sample"],
        ),
        (
            "a header alone, and a wrong one",
            "smoke,dose,sex,intervention\n".into(),
            &[
                "2 things are wrong",
                "column \"age\"",
                "the table has no rows",
            ],
        ),
        (
            "semicolons",
            table().replace(',', ";").into(),
            &["the table has one column, and its name holds ';'; separate the fields with commas"],
        ),
        (
            "tabs",
            table().replace(',', "\t").into(),
            &["the table has one column, and its name holds '\\t'"],
        ),
        (
            "the intervention column in other case",
            header("smoke,dose,sex,age,Intervention").into(),
            &[
                "column \"Intervention\": it looks like the intervention column, which is \"intervention\" here; rename it, or pass intervention_column = \"Intervention\"",
            ],
        ),
        (
            "the intervention column by another name",
            header("smoke,dose,sex,age,therapy").into(),
            &[
                "column \"therapy\": the schema does not list it",
                "if it says what was intervened on, pass intervention_column = \"therapy\"",
            ],
        ),
        (
            "a target that is no variable",
            table().replace(",dose\n", ",ward\n").into(),
            &[
                "row 13 (line 14), column \"intervention\": unknown variable \"ward\" (12 rows); name columns of this table",
            ],
        ),
        (
            "a target with a slip",
            table().replace(",dose\n", ",Dose\n").into(),
            &["unknown variable \"Dose\" (12 rows); write \"dose\" if that is meant"],
        ),
        (
            "a target of nothing",
            table().replacen(",dose\n", ",;\n", 1).into(),
            &["column \"intervention\": \";\" names no variable"],
        ),
        (
            "a row too short",
            table().replacen("no,1,f,40.5,", "no,1,f", 1).into(),
            &["row 1 (line 2): the row has too few fields: 3, the header has 5"],
        ),
        (
            "a row too long",
            table().replacen("no,1,f,40.5,", "no,1,f,40.5,,", 1).into(),
            &["row 1 (line 2): the row has too many fields: 6"],
        ),
    ];
    assert!(cases.len() >= 30);
    for (name, table, expected) in cases {
        let text = place.refused(table);
        for part in expected {
            assert!(text.contains(part), "{name}: {part:?} is not in\n{text}");
        }
    }
}

#[test]
fn mismatches_of_how_a_table_is_read_have_their_own_message() {
    let place = Place::new();
    let told = |name: &str, table: &[u8], read: Reading| place.told(name, table, read).unwrap_err();
    let read = Reading {
        intervention_column: "do".to_owned(),
        ..Reading::default()
    };
    let text = told("t.csv", table().as_bytes(), read);
    assert!(
        text.contains("there is no intervention column \"do\""),
        "{text}"
    );
    assert!(
        text.contains("column \"intervention\": the schema does not list it"),
        "{text}"
    );
    let read = Reading {
        missing: Missing::Category,
        ..Reading::default()
    };
    let gap = table().replacen("\nno,1", "\n,1", 1);
    let text = told("t.csv", gap.as_bytes(), read.clone());
    assert!(
        text.contains("add the category \"NA\" to the schema"),
        "{text}"
    );
    let gap = table().replacen("40.5", "", 1);
    let text = told("t.csv", gap.as_bytes(), read);
    assert!(
        text.contains("a real column has no category for that"),
        "{text}"
    );
    let text = told("t.xlsx", b"", Reading::default());
    assert!(
        text.contains("unknown extension .xlsx; known for a table are .csv"),
        "{text}"
    );
    let text = told("t.parquet", b"PAR1", Reading::default());
    assert!(text.contains("t.parquet"), "{text}");
}

#[test]
fn everything_that_is_wrong_is_named_at_once() {
    let place = Place::new();
    let wrong = header("smoke,dose,Sex,weight,intervention")
        .replace("yes", "Yes")
        .replace(",dose\n", ",ward\n")
        .replacen("no,2", "no,4", 1);
    let text = place.refused(wrong);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("t.csv: 6 things are wrong"), "{text}");
    let starts = [
        "- column \"sex\": the schema lists it",
        "- column \"age\": the schema lists it",
        "- column \"weight\": the schema does not",
        "- row 2 (line 3), column \"smoke\"",
        "- row 5 (line 6), column \"dose\": the schema has no category \"4\"",
        "- row 13 (line 14), column \"intervention\"",
    ];
    assert_eq!(lines.len(), 7, "{text}");
    for (line, start) in lines[1..].iter().zip(starts) {
        assert!(
            line.starts_with(start),
            "{start:?} is not the start of {line:?}"
        );
    }
}

#[test]
fn what_makes_no_difference_is_taken() {
    let place = Place::new();
    let notes = |table: String| {
        place
            .told("t.csv", table.as_bytes(), Reading::default())
            .unwrap()
    };
    let defaults = "no policy was named, so this site's limits are the defaults: any method in at most 100 rounds; \
                    groups of fewer than 10 rows";
    let usual = notes(table());
    assert_eq!(usual.len(), 1);
    assert!(usual[0].starts_with(defaults), "{usual:?}");
    // Columns in another order, line ends of another system, and a mark at the start.
    let reordered = lines(|_, f| [f[4], f[3], f[1], f[2], f[0]].join(","));
    assert_eq!(notes(reordered), usual);
    assert_eq!(
        notes(format!("\u{feff}{}", table().replace('\n', "\r\n"))),
        usual
    );
    // A category that this site does not have.
    assert_eq!(notes(table().replace(",3,", ",2,")), usual);
    // No intervention here.
    assert_eq!(notes(lines(|_, f| f[..4].join(","))), usual);
}

#[test]
fn labels_that_are_not_listed_count_as_the_category_for_them_where_there_is_one() {
    let schema = SCHEMA
        .replace("\"no\", \"yes\"", "\"no\", \"yes\", \"other\"")
        .replace("\n]}", "\n], \"other\": \"other\"}");
    let place = Place::with_schema(&schema);
    let table = |label: &str| table().replacen("\nno,1", &format!("\n{label},1"), 1);
    let notes = place.told("t.csv", table("moon dust").as_bytes(), Reading::default());
    let notes = notes.unwrap();
    let note = "column \"smoke\": 1 label is not in the dictionary, read as \"other\"";
    assert!(notes.iter().any(|n| n == note), "{notes:?}");
    // A slip of a known one is still a slip, and the other variables have no such category.
    let text = place.refused(table("No"));
    assert!(text.contains("write \"no\" in place of \"No\""), "{text}");
    let text = place.refused(table("no").replacen(",f,", ",d,", 1));
    assert!(
        text.contains("column \"sex\": the schema has no category \"d\""),
        "{text}"
    );
    // A category that no variable has is no category for others.
    fs::write(
        place.at("schema.json"),
        schema.replace("\"other\": \"other\"", "\"other\": \"rest\""),
    )
    .unwrap();
    let study = StudyFile::read(&place.at("study.toml")).unwrap();
    let text = study.provision(&place.at("k")).unwrap_err().to_string();
    assert!(
        text.contains("other is \"rest\", and no variable has that category"),
        "{text}"
    );
}

#[test]
fn a_plan_of_another_version_of_the_protocol_is_refused_by_name() {
    let place = Place::new();
    let plan = place.at("kits/basel/plan.json");
    let text = fs::read_to_string(&plan).unwrap();
    let now = format!("\"protocol\":{}", fedcdi_protocol::VERSION);
    assert!(text.contains(&now), "{text}");
    let later = text.replace(&now, "\"protocol\":999,\"something\":\"new\"");
    fs::write(&plan, later).unwrap();
    let told = place.refused(table());
    let expected = "the plan is for version 999 of the protocol, this program speaks version";
    assert!(told.contains(expected), "{told}");
    assert!(told.contains("update the older side"), "{told}");
}
