//! Reading settings and knowledge from TOML files; a name that ends in `.json` is read as JSON.

use std::fs;
use std::path::Path;

use fedcdi_core::{Choice, KnowledgeFile, Settings};
use fedcdi_data::file_error::{FileError, Place};
use serde::de::DeserializeOwned;

use crate::catalogue::{Catalogue, Method};
use crate::refused::{in_words, json_message, refused, refused_choice, toml_place};
use crate::spec::Spec;

/// Reads background knowledge.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_knowledge(path: &Path) -> Result<KnowledgeFile, FileError> {
    read(path, "the keys are required, forbidden and tiers")
}

/// Reads settings of a method on top of `base`. What neither mentions keeps its default; of a rival it
/// stays open until the data is known.
///
/// # Errors
/// [`FileError`] naming the line that is not understood, or out of range.
pub fn read_method(path: &Path, name: &str, base: Settings) -> Result<Choice, FileError> {
    let said: Settings = read(path, SEE_METHODS)?;
    let (name, mut settings) = (name.to_owned(), base);
    settings.extend(said);
    let choice = Choice { name, settings };
    let methods = Catalogue::default().methods;
    let choice = match methods.build(&choice) {
        Ok(Method::Rival(_)) => Ok(choice),
        Ok(Method::Local(_) | Method::Score(_)) => methods.complete(&choice),
        Err(error) => Err(error),
    };
    choice.map_err(|error| refused_choice(path, &error))
}

/// Where all settings of methods are found.
pub(crate) const SEE_METHODS: &str = "see docs/enco.md and docs/baselines.md for all settings";

/// Where all settings of a run are found.
const SEE_SPEC: &str = "spec.toml in the folder of any run has all settings; see also docs/spec.md";

/// Reads the settings of a run; what is not mentioned keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_spec(path: &Path) -> Result<Spec, FileError> {
    let text = text_of(path)?;
    parse_spec(path, &text)
}

/// The settings of a run in `text`, which is what `path` holds of them.
pub(crate) fn parse_spec(path: &Path, text: &str) -> Result<Spec, FileError> {
    let spec: Spec = parse(path, text, SEE_SPEC)?;
    let spec = match spec.preset {
        None => spec,
        Some(preset) => on_top(path, text, &preset.spec())?,
    };
    let complete = spec.beside(path).complete(&Catalogue::default());
    complete.map_err(|error| refused_choice(path, &error))
}

/// The settings of a run as a JSON object, complete and in range; what is not mentioned keeps its
/// default. `see` says where names are looked up.
///
/// # Errors
/// What is not understood, or out of range, in words.
pub fn spec_of_json(
    said: serde_json::Value,
    catalogue: &Catalogue,
    see: &str,
) -> Result<Spec, String> {
    let spec: Spec = of_json(said.clone(), see)?;
    let spec = match spec.preset {
        None => spec,
        Some(preset) => {
            let mut base = serde_json::to_value(preset.spec()).expect("a spec is JSON");
            merge(&mut base, said);
            of_json(base, see)?
        }
    };
    let complete = spec.complete(catalogue);
    complete.map_err(|error| in_words(&error.to_string(), see))
}

/// Settings as a JSON value.
///
/// # Errors
/// Which of them is not understood, in words.
pub fn of_json<T: DeserializeOwned>(said: serde_json::Value, remedy: &str) -> Result<T, String> {
    serde_path_to_error::deserialize(said).map_err(|error| {
        let path = error.path().to_string();
        let message = in_words(&error.inner().to_string(), remedy);
        // A name that is unknown is told by the message.
        if path == "." || message.starts_with("unknown field") {
            message
        } else {
            format!("{path}: {message}")
        }
    })
}

/// What a file sets, on top of a preset.
fn on_top(path: &Path, text: &str, preset: &Spec) -> Result<Spec, FileError> {
    let mut said: serde_json::Value = parse(path, text, SEE_SPEC)?;
    let method = said.as_object_mut().and_then(|said| said.remove("local"));
    if let Some(method) = method {
        said["method"] = method;
    }
    let mut base = serde_json::to_value(preset).expect("a spec has nothing that JSON lacks");
    merge(&mut base, said);
    serde_json::from_value(base)
        .map_err(|error| FileError::content(path, Place::Whole, error.to_string(), SEE_SPEC))
}

/// Tables are merged key by key, but a table that names something else replaces the whole.
fn merge(base: &mut serde_json::Value, said: serde_json::Value) {
    use serde_json::Value;
    match (base, said) {
        (Value::Object(base), Value::Object(said)) => {
            let renamed = ["name", "kind"].into_iter().any(|key| {
                let new = said.get(key);
                new.is_some() && new != base.get(key)
            });
            // Of tables with one key each, the key says which of several kinds it is.
            let other_kind = base.len() == 1 && said.len() == 1 && base.keys().ne(said.keys());
            if renamed || other_kind {
                base.clear();
            }
            for (key, value) in said {
                merge(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, said) => *base = said,
    }
}

/// Reads a file of settings; `remedy` says where all of them are found.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, remedy: &str) -> Result<T, FileError> {
    parse(path, &text_of(path)?, remedy)
}

fn text_of(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(|error| FileError::text(path, error))
}

pub(crate) fn parse<T: DeserializeOwned>(
    path: &Path,
    text: &str,
    remedy: &str,
) -> Result<T, FileError> {
    let is_json = path.extension().is_some_and(|end| end == "json");
    let parsed = if is_json && !text.trim_start().starts_with('{') {
        // A list would be read as values in the order of the fields, an empty one as all defaults.
        Err((
            Place::Line(1),
            "settings in JSON are one object, in braces".to_owned(),
        ))
    } else if is_json {
        serde_json::from_str(text)
            .map_err(|error| (Place::Line(error.line() as u64), json_message(&error)))
    } else {
        toml::from_str(text).map_err(|error| {
            let message = error.message().trim().to_string();
            (toml_place(&error, text), message)
        })
    };
    parsed.map_err(|(place, message)| refused(path, text, (place, &message), remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.toml");
        fs::write(&path, "forbidden = []\nrequird = []\n").unwrap();
        let text = read_knowledge(&path).unwrap_err().to_string();
        let expected = "line 2: unknown field `requird`; did you mean `required`?";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn an_unknown_key_of_a_nested_table_has_its_own_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        let text =
            "clients = 4\n[local]\nname = \"enco\"\n[local.settings]\nbatch = 64\nepoch = 3\n";
        fs::write(&path, text).unwrap();
        let text = read_spec(&path).unwrap_err().to_string();
        let expected = "line 6: unknown field `epoch`; did you mean `epochs`?";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_setting_out_of_range_is_named_with_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("enco.toml");
        fs::write(&path, "epochs = 3\nmodel_rate = -1.0\n").unwrap();
        let text = read_method(&path, "enco", Settings::new())
            .unwrap_err()
            .to_string();
        let expected = "enco.toml, line 2: model_rate is -1; it must be > 0";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn types_of_the_program_are_not_the_users_concern() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            read_spec(&path).unwrap_err().to_string()
        };
        let text = refused("a.toml", "clients = \"two\"\n");
        assert!(
            text.contains("expected a whole number, 0 or more"),
            "{text}"
        );
        let text = refused("b.json", "[]");
        assert!(text.contains("one object, in braces"), "{text}");
        let text = refused("e.toml", "coordinator = { rounds = 5000000000 }\n");
        assert!(text.contains("expected a smaller number"), "{text}");
        let text = refused("f.toml", "coordinator = { rounds = -5 }\n");
        assert!(text.contains("0 or more"), "{text}");
        let text = refused("g.toml", "aggregate = 5\n");
        assert!(text.contains("a table") && !text.contains("enum"), "{text}");
        let text = refused("d.toml", "coordinator = 3\n");
        assert!(text.contains("expected settings by name"), "{text}");
        assert!(!text.contains("struct"), "{text}");
        let data = "[data]\nfile = \"t.csv\"\ngenerated = { vars = 3 }\n";
        let text = refused("c.toml", data);
        assert!(text.contains("only one can be meant"), "{text}");
    }

    #[test]
    fn a_name_close_to_none_is_shown_with_all_known_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.toml");
        fs::write(&path, "banana = []\n").unwrap();
        let text = read_knowledge(&path).unwrap_err().to_string();
        assert!(text.contains("expected one of `required`"), "{text}");
    }

    #[test]
    fn a_spec_may_be_json() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, r#"{ "clients": 4, "coordinator": { "rounds": 3 } }"#).unwrap();
        let spec = read_spec(&path).unwrap();
        assert_eq!((spec.clients, spec.coordinator.rounds), (Some(4), Some(3)));
        fs::write(&path, "{ \"clients\": 4,\n\"sed\": 3 }").unwrap();
        let text = read_spec(&path).unwrap_err().to_string();
        let expected = "line 2: unknown field `sed`; did you mean `seed`?";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn settings_that_are_not_mentioned_keep_their_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("enco.toml");
        fs::write(&path, "epochs = 3\n").unwrap();
        let method = read_method(&path, "enco", Settings::new()).unwrap();
        assert_eq!(method.settings["epochs"], 3);
        let default = Choice::of(&fedcdi_learn::enco::EncoParams::default());
        assert_eq!(method.settings["batch"], default.settings["batch"]);
    }

    #[test]
    fn a_preset_gives_way_to_what_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        let text = "preset = 'paper'\ndata = { file = 'a.csv' }\n[coordinator]\nrounds = 3\n[local]\nname = 'enco'\nsettings = { weight_decay = { per_row = 6.0 } }\n";
        fs::write(&path, text).unwrap();
        let spec = read_spec(&path).unwrap();
        let file = folder.path().join("a.csv");
        assert_eq!(spec.data, Some(crate::DataSpec::File(file)));
        assert_eq!(
            (spec.coordinator.rounds, spec.coordinator.average),
            (Some(3), 1)
        );
        assert_eq!(spec.method.settings["weight_decay"]["per_row"], 6.0);
        assert_eq!(spec.method.settings["start"], "bernoulli");
    }

    #[test]
    fn settings_of_rounds_are_sent_where_they_belong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("enco.toml");
        fs::write(&path, "epochs = 3\npruning = \"never\"\n").unwrap();
        let text = read_method(&path, "enco", Settings::new())
            .unwrap_err()
            .to_string();
        let expected =
            "line 2: pruning is no setting of enco; set it under [coordinator] of a spec";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_run_is_by_the_method_that_its_file_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.toml");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            read_spec(&path)
        };
        assert_eq!(read("").unwrap(), Spec::default());
        for kind in Catalogue::default().methods.kinds() {
            let spec = read(&format!("seed = 3\n[method]\nname = \"{}\"\n", kind.name));
            let spec = spec.unwrap();
            assert_eq!((spec.seed, &spec.method.name), (3, &kind.name));
            // What is written is read again.
            assert_eq!(read(&spec.to_toml()).unwrap(), spec);
        }
        // A method that FedCDI runs at its sites may also be called that.
        assert_eq!(read("local = { name = 'sdi' }").unwrap().method.name, "sdi");
        let refused = |text: &str| read(text).unwrap_err().to_string();
        let text = refused("[method]\nname = \"giess\"\n");
        assert!(text.contains("did you mean \"gies\"?"), "{text}");
        let text = refused("coordinator = { rounds = 3 }\n[method]\nname = \"gies\"\n");
        assert!(text.contains("it does not apply to gies"), "{text}");
        let text = refused("knowledge = { tiers = [['a'], ['b']] }\nmethod = { name = 'gies' }\n");
        assert!(text.contains("line 1: knowledge"), "{text}");
        let text = refused("[method]\nname = 'gies'\nsettings = { max_parent = 3 }\n");
        assert!(text.contains("did you mean `max_parents`?"), "{text}");
    }
}
