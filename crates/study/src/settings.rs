//! Reading settings and knowledge from TOML files; a name that ends in `.json` is read as JSON.

use std::fs;
use std::path::Path;

use fedcdi_core::nearest::nearest;
use fedcdi_core::{Choice, KnowledgeFile, Settings};
use fedcdi_data::file_error::{FileError, Place};
use fedcdi_learn::registry;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::baseline::BaselineSpec;
use crate::paths::RunSpec as _;
use crate::refused::{json_message, refused, refused_choice, toml_place};
use crate::registry::METHODS;
use crate::rival::RivalSpec;
use crate::spec::{DiscoverSpec, SimulateSpec};

/// Reads background knowledge.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_knowledge(path: &Path) -> Result<KnowledgeFile, FileError> {
    read(path, "the keys are required, forbidden and tiers")
}

/// Reads settings of a local method on top of `base`; what neither mentions keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood, or out of range.
pub fn read_method(path: &Path, name: &str, base: Settings) -> Result<Choice, FileError> {
    let said: Settings = read(path, SEE_METHODS)?;
    let (name, mut settings) = (name.to_owned(), base);
    settings.extend(said);
    let complete = registry::standard().complete(&Choice { name, settings });
    complete.map_err(|error| refused_choice(path, &error))
}

/// Where all settings of local methods are found.
pub(crate) const SEE_METHODS: &str = "see docs/enco.md and docs/baselines.md for all settings";

/// Reads settings of a baseline; what is not mentioned keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_baseline<T: DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    read(path, "see docs/baselines.md for all settings")
}

/// Whether a file of settings says something about one of these names.
///
/// # Errors
/// [`FileError`] if it cannot be read.
pub fn mentions(path: &Path, names: &[&str]) -> Result<bool, FileError> {
    let said: toml::Table = read(path, "write name = value")?;
    Ok(names.iter().any(|name| said.contains_key(*name)))
}

/// Whether a spec has settings of this method, and they say something about one of these names.
///
/// # Errors
/// [`FileError`] if it cannot be read.
pub fn spec_mentions(path: &Path, method: &str, names: &[&str]) -> Result<bool, FileError> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Peek {
        method: Method,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Method {
        name: String,
        settings: toml::Table,
    }
    let Peek { method: said } = read(path, "write name = value")?;
    let mentioned = names.iter().any(|name| said.settings.contains_key(*name));
    Ok(said.name == method && mentioned)
}

/// Where all settings of a simulation are found.
const SEE_SPEC: &str =
    "spec.toml in the folder of any run has all settings, see also docs/simulate.md";

/// Reads the settings of a simulation; what is not mentioned keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_spec(path: &Path) -> Result<SimulateSpec, FileError> {
    let spec: SimulateSpec = read(path, SEE_SPEC)?;
    let mut spec = match spec.preset {
        None => spec,
        Some(preset) => on_top(path, &preset.simulate())?,
    };
    spec = spec.beside(path);
    let complete = spec.complete();
    complete.map_err(|error| refused_choice(path, &error))
}

/// What a file says, on top of the settings of a preset.
fn on_top<S: Serialize + DeserializeOwned>(path: &Path, preset: &S) -> Result<S, FileError> {
    let said: serde_json::Value = read(path, SEE_SPEC)?;
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

/// Reads the settings of a baseline among clients; `None` if the file names no `method` and so is
/// one for [`read_spec`].
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_rival_spec(path: &Path) -> Result<Option<RivalSpec>, FileError> {
    /// Anything may stand beside the method.
    #[derive(Deserialize)]
    struct Named {
        method: Option<IgnoredAny>,
    }
    let Named { method } = read(path, SEE_SPEC)?;
    if method.is_none() {
        return Ok(None);
    }
    let see = "see docs/baselines.md for all settings; a spec with method enco, sdi or dcdi is for discover";
    let spec: RivalSpec = read(path, see)?;
    Ok(Some(spec.beside(path)))
}

/// A discovery as a file asks for it.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyDiscovery {
    /// By a method that keeps a belief.
    Local(DiscoverSpec),
    /// By a baseline.
    Baseline(BaselineSpec),
}

/// Reads the settings of a discovery; what is not mentioned keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_discover_spec(path: &Path) -> Result<AnyDiscovery, FileError> {
    /// Anything may stand beside the method and its name.
    #[derive(Deserialize)]
    struct Peek {
        method: Option<Named>,
        knowledge: Option<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    const SEE: &str =
        "see docs/files.md for what a spec of discover may hold; one with clients is for simulate";
    let Peek { method, knowledge } = read(path, SEE)?;
    let is_local = method.as_ref().is_none_or(|method| {
        let methods = registry::standard();
        methods.kinds().iter().any(|kind| kind.name == method.name)
    });
    if is_local {
        let spec: DiscoverSpec = read(path, SEE)?;
        let mut spec = match spec.preset {
            None => spec,
            Some(preset) => on_top(path, &preset.discover())?,
        };
        spec = spec.beside(path);
        let complete = spec.complete();
        let complete = complete.map_err(|error| refused_choice(path, &error))?;
        return Ok(AnyDiscovery::Local(complete));
    }
    if let Some(name) = method.map(|method| method.name) {
        let known = METHODS.iter().map(|method| method.name);
        if !known.clone().any(|known| known == name) {
            let remedy = match nearest(&name, known.clone()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("choose one of {}", known.collect::<Vec<_>>().join(", ")),
            };
            let problem = format!("there is no method {name:?}");
            return Err(FileError::content(path, Place::Whole, problem, remedy));
        }
    }
    if knowledge.is_some() {
        return Err(FileError::content(
            path,
            Place::Whole,
            "its method has no use for knowledge",
            "leave it out, or use enco, sdi or dcdi",
        ));
    }
    let spec: BaselineSpec = read(path, SEE)?;
    Ok(AnyDiscovery::Baseline(spec.beside(path)))
}

fn read<T: DeserializeOwned>(path: &Path, remedy: &str) -> Result<T, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::text(path, error))?;
    let is_json = path.extension().is_some_and(|end| end == "json");
    let parsed = if is_json && !text.trim_start().starts_with('{') {
        // A list would be read as values in the order of the fields, an empty one as all defaults.
        Err((
            Place::Line(1),
            "settings in JSON are one object, in braces".to_owned(),
        ))
    } else if is_json {
        serde_json::from_str(&text)
            .map_err(|error| (Place::Line(error.line() as u64), json_message(&error)))
    } else {
        toml::from_str(&text).map_err(|error| {
            let message = error.message().trim().to_string();
            (toml_place(&error, &text), message)
        })
    };
    let (place, message) = match parsed {
        Ok(value) => return Ok(value),
        Err(refused) => refused,
    };
    Err(refused(path, &text, (place, &message), remedy))
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
        assert_eq!((spec.clients, spec.coordinator.rounds), (Some(4), 3));
        fs::write(&path, "{ \"clients\": 4,\n\"sed\": 3 }").unwrap();
        let text = read_spec(&path).unwrap_err().to_string();
        let expected = "line 2: unknown field `sed`; did you mean `seed`?";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_spec_with_a_method_is_one_of_a_baseline() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        fs::write(&path, "clients = 4\n").unwrap();
        assert_eq!(read_rival_spec(&path).unwrap(), None);
        let method = "[method]\nname = \"gies\"\n[method.settings]\nmax_parents = 3\n";
        fs::write(&path, format!("clients = 4\n{method}")).unwrap();
        let spec = read_rival_spec(&path).unwrap().unwrap();
        assert_eq!((spec.clients, spec.method.name()), (Some(4), "gies"));
        fs::write(&path, format!("clients = 4\nrounds = 3\n{method}")).unwrap();
        let text = read_rival_spec(&path).unwrap_err().to_string();
        assert!(text.contains("line 2: unknown field `rounds`"), "{text}");
    }

    #[test]
    fn a_discovery_is_by_the_method_that_its_file_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.toml");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            read_discover_spec(&path)
        };
        let nothing_said = AnyDiscovery::Local(DiscoverSpec::default());
        assert_eq!(read("").unwrap(), nothing_said);
        let sdi = read("seed = 3\n[method]\nname = \"sdi\"\n").unwrap();
        assert!(
            matches!(sdi, AnyDiscovery::Local(spec) if spec.seed == 3 && spec.method.name == "sdi")
        );
        let gies = read("[data]\nfile = \"a.csv\"\n[method]\nname = \"ut-igsp\"\n").unwrap();
        assert!(
            matches!(gies, AnyDiscovery::Baseline(spec) if spec.data.is_some() && spec.method.name() == "ut-igsp")
        );
        let text = read("[method]\nname = \"giess\"\n")
            .unwrap_err()
            .to_string();
        assert!(text.contains("did you mean `gies`?"), "{text}");
        let text = read("clients = 4\n").unwrap_err().to_string();
        assert!(text.contains("line 1: unknown field `clients`"), "{text}");
        let told = "knowledge = {}\n[method]\nname = \"gies\"\n";
        let text = read(told).unwrap_err().to_string();
        assert!(
            text.contains("no use for knowledge; leave it out"),
            "{text}"
        );
        for method in METHODS {
            let name = match read(&format!("[method]\nname = \"{}\"\n", method.name)) {
                Ok(AnyDiscovery::Local(spec)) => spec.method.name,
                Ok(AnyDiscovery::Baseline(spec)) => spec.method.name().to_owned(),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(name, method.name);
        }
    }

    #[test]
    fn a_spec_mentions_settings_of_its_own_method_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.toml");
        fs::write(
            &path,
            "[method]\nname = \"igsp\"\nsettings = { test = \"g\" }\n",
        )
        .unwrap();
        let mentions = |method, name| spec_mentions(&path, method, &[name]).unwrap();
        assert!(mentions("igsp", "test"));
        assert!(!mentions("igsp", "alpha") && !mentions("ut-igsp", "test"));
        fs::write(&path, "clients = 4\n").unwrap();
        assert!(!spec_mentions(&path, "igsp", &["test"]).unwrap());
    }

    #[test]
    fn settings_that_are_not_mentioned_keep_their_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("enco.toml");
        fs::write(&path, "epochs = 3\n").unwrap();
        let method = read_method(&path, "enco", Settings::new()).unwrap();
        assert_eq!(method.settings["epochs"], 3);
        let default = crate::spec::default_method();
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
        assert_eq!(spec.data, crate::DataSpec::File(file));
        assert_eq!((spec.coordinator.rounds, spec.coordinator.average), (3, 1));
        assert_eq!(spec.local.settings["weight_decay"]["per_row"], 6.0);
        assert_eq!(spec.local.settings["start"], "bernoulli");
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
}
