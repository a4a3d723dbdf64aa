//! Studies between institutions: kits, sites and their coordinator, by files and bytes.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use fedcdi_core::{ClientId, Seed};
use fedcdi_data::read::TableOptions;
use fedcdi_data::study::TableFormat;
use fedcdi_data::write::Overwrite;
use fedcdi_protocol::Receipt;
use fedcdi_protocol::coordinator::Input;
use fedcdi_study::kit::{SiteFile, StudyFile, open_coordinator, result_so_far};
use fedcdi_study::run_folder::run_files;
use fedcdi_study::{DataSpec, GeneratedData, Spec, Watchers, run};
use tempfile::TempDir;

const SETTINGS: &str = "seed = 3\n[coordinator]\nrounds = 3\n[method]\nname = \"enco\"\n";

/// A folder with a study of three sites, their kits and what each site brings.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let data = DataSpec::Generated(GeneratedData {
            vars: 5,
            categories: 3,
            obs: 300,
            int: 300,
            ..GeneratedData::default()
        });
        let study = data.load(&TableOptions::default(), Seed::new(1)).unwrap();
        let spec = Spec {
            clients: Some(3),
            ..Spec::default()
        };
        let study = spec.sites_of(&study).unwrap();
        let folder = place.at("study");
        study
            .write(&folder, TableFormat::Csv, Overwrite::No)
            .unwrap();
        let sites = "[\"client-1\", \"client-2\", \"client-3\"]";
        let text = format!(
            "name = \"hearts\"\nsites = {sites}\nschema = \"study/schema.json\"\n{SETTINGS}"
        );
        fs::write(place.at("study.toml"), text).unwrap();
        fs::write(place.at("policy.toml"), "").unwrap();
        let study = StudyFile::read(&place.at("study.toml")).unwrap();
        study.provision(&place.at("kits")).unwrap();
        for name in Self::SITES {
            fs::write(place.site_toml(name), Place::describes(name)).unwrap();
        }
        place
    }

    const SITES: [&str; 3] = ["client-1", "client-2", "client-3"];

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn site_toml(&self, name: &str) -> PathBuf {
        self.at(&format!("{name}.toml"))
    }

    fn describes(name: &str) -> String {
        format!(
            "name = \"{name}\"\nkit = \"kits/{name}\"\ndata = \"study/{name}.csv\"\npolicy = \"policy.toml\"\nstate = \"{name}\"\n"
        )
    }

    fn refused(&self, site: &str) -> String {
        let file = SiteFile::read(&self.site_toml(site));
        match file {
            Err(error) => error.to_string(),
            Ok(file) => file.open(None).err().expect("it is refused").to_string(),
        }
    }
}

fn with_line(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn sites_that_are_restarted_at_every_step_come_to_what_a_simulation_does() {
    let place = Place::new();
    let (kit, state) = (place.at("kits/coordinator"), place.at("ledger"));
    let mut n_asked = 0;
    while open_coordinator(&kit, &state).unwrap().number().is_some() {
        let questions = open_coordinator(&kit, &state).unwrap().questions();
        for (site, question) in questions {
            let file = place.site_toml(Place::SITES[site.0 as usize - 1]);
            let mut party = SiteFile::read(&file).unwrap().open(None).unwrap();
            let answer = party.answer(&question).unwrap();
            assert!(answer.declined.is_none());
            let mut coordinator = open_coordinator(&kit, &state).unwrap();
            let receipt = coordinator.receive(site, &answer.bytes).unwrap();
            assert!(matches!(receipt, Receipt::Taken(_)), "{receipt:?}");
            n_asked += 1;
        }
    }
    let coordinator = open_coordinator(&kit, &state).unwrap();
    let (spec, found) = result_so_far(&coordinator).unwrap().expect("it is over");
    // To join, every round, and the result.
    assert_eq!(n_asked, 3 * (found.rounds().len() + 2));
    let data = DataSpec::File(place.at("study"));
    let study = data.load(&TableOptions::default(), Seed::new(0)).unwrap();
    let expected = run(&study, &spec, Watchers::default()).unwrap();
    let (found, expected) = (
        run_files(&spec, &found, None),
        run_files(&spec, &expected, None),
    );
    for file in ["belief.csv", "probabilities.csv", "graph.json"] {
        assert_eq!(found[file], expected[file], "{file}");
    }
    assert!(found["report.html"].contains("<h1>Study hearts</h1>"));
}

#[test]
fn a_site_that_does_not_tell_what_moves_what_takes_part_in_the_rest() {
    let place = Place::new();
    with_line(
        &place.at("study.toml"),
        "name = \"hearts\"",
        "moves = \"use\"\nname = \"hearts\"",
    );
    fs::remove_dir_all(place.at("kits")).unwrap();
    let study = StudyFile::read(&place.at("study.toml")).unwrap();
    study.provision(&place.at("kits")).unwrap();
    fs::write(place.at("quiet.toml"), "moves = false\n").unwrap();
    with_line(&place.site_toml("client-2"), "policy.toml", "quiet.toml");
    let files = Place::SITES.map(|name| SiteFile::read(&place.site_toml(name)).unwrap());
    let told = |file: &SiteFile| {
        let notes = file.prepare().unwrap().notes().join("; ");
        notes.contains("what moves what")
    };
    assert_eq!([0, 1, 2].map(|at| told(&files[at])), [false, true, false]);
    let mut sites = files.map(|file| file.open(None).unwrap());
    let mut coordinator =
        open_coordinator(&place.at("kits/coordinator"), &place.at("ledger")).unwrap();
    let mut declined = Vec::new();
    while let Some(number) = coordinator.number() {
        for (site, question) in coordinator.questions() {
            let answer = sites[site.0 as usize - 1].answer(&question).unwrap();
            declined.extend(answer.declined.map(|why| (number, site.0, why.to_string())));
            coordinator.receive(site, &answer.bytes).unwrap();
        }
    }
    let [(1, 2, why)] = &declined[..] else {
        panic!("{declined:?}");
    };
    assert!(why.contains("this site's policy does not allow"), "{why}");
    let (_, found) = result_so_far(&coordinator).unwrap().expect("it is over");
    assert_eq!(found.moved().map(|moved| moved.n_sites), Some(2));
    assert!(found.rounds().iter().all(|round| round.n_answers == 3));
}

#[test]
fn labels_and_the_secret_do_not_reach_the_coordinator() {
    let place = Place::new();
    let files: Vec<_> = fs::read_dir(place.at("kits/coordinator"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(files, ["plan.json"]);
    let dictionary = fs::read_to_string(place.at("kits/client-1/dictionary.json")).unwrap();
    let secret = serde_json::from_str::<serde_json::Value>(&dictionary).unwrap();
    let secret = secret["secret"].as_str().unwrap().to_owned();
    assert_eq!(secret.len(), 64);
    let plan = fs::read_to_string(place.at("kits/coordinator/plan.json")).unwrap();
    assert!(
        !plan.contains(&secret) && !plan.contains("categories\":["),
        "{plan}"
    );
}

#[test]
fn what_a_site_lacks_is_named() {
    let place = Place::new();
    let toml = place.site_toml("client-1");
    with_line(&toml, "policy = \"policy.toml\"\n", "");
    let text = place.refused("client-1");
    assert!(
        text.contains("client-1.toml: the key policy is missing; name a file"),
        "{text}"
    );
    fs::write(
        &toml,
        Place::describes("client-1").replace("data = ", "dta = "),
    )
    .unwrap();
    let text = place.refused("client-1");
    assert!(
        text.contains("line 3: unknown field `dta`; did you mean `data`?"),
        "{text}"
    );
    fs::write(
        &toml,
        Place::describes("client-1").replace("study/", "study/x/"),
    )
    .unwrap();
    let text = place.refused("client-1");
    assert!(
        text.contains("no such file or folder; check the path"),
        "{text}"
    );
    fs::write(
        &toml,
        Place::describes("client-1") + "[read]\nschema = \"other.json\"\n",
    )
    .unwrap();
    let text = place.refused("client-1");
    assert!(text.contains("schema does not apply"), "{text}");
}

#[test]
fn kits_of_others_and_plans_that_go_too_far_are_refused() {
    let place = Place::new();
    with_line(
        &place.site_toml("client-1"),
        "name = \"client-1\"",
        "name = \"chur\"",
    );
    let text = place.refused("client-1");
    assert!(
        text.starts_with("the plan has no site \"chur\", its sites are"),
        "{text}"
    );
    fs::write(place.at("policy.toml"), "rounds = 2\nmethods = [\"sdi\"]\n").unwrap();
    let text = place.refused("client-2");
    assert!(
        text.contains("method enco, allowed are sdi; 3 rounds, at most 2"),
        "{text}"
    );
    fs::write(place.at("policy.toml"), "round = 2\n").unwrap();
    let text = place.refused("client-2");
    assert!(
        text.contains("unknown field `round`; did you mean `rounds`?"),
        "{text}"
    );
}

#[test]
fn a_kit_that_was_changed_is_of_another_study() {
    let place = Place::new();
    with_line(
        &place.at("kits/client-1/plan.json"),
        "\"seed\":3",
        "\"seed\":4",
    );
    let coordinator = open_coordinator(&place.at("kits/coordinator"), &place.at("ledger"));
    let (_, question) = coordinator.unwrap().questions()[0].clone();
    let mut site = SiteFile::read(&place.site_toml("client-1"))
        .unwrap()
        .open(None)
        .unwrap();
    let why = site
        .answer(&question)
        .unwrap()
        .declined
        .expect("it declines");
    assert!(why.to_string().contains("of another study"), "{why}");
    with_line(
        &place.at("kits/client-2/dictionary.json"),
        "\"secret\": \"",
        "\"secret\": \"0",
    );
    let text = place.refused("client-2");
    assert!(
        text.contains("variables or categories are not those of the study"),
        "{text}"
    );
}

#[test]
fn a_study_goes_on_without_a_site_that_is_late_and_not_without_a_quorum() {
    let place = Place::new();
    let (kit, state) = (place.at("kits/coordinator"), place.at("ledger"));
    let mut coordinator = open_coordinator(&kit, &state).unwrap();
    assert!(!coordinator.has_quorum());
    for (site, question) in coordinator.questions().into_iter().take(2) {
        let file = place.site_toml(Place::SITES[site.0 as usize - 1]);
        let mut party = SiteFile::read(&file).unwrap().open(None).unwrap();
        coordinator
            .receive(site, &party.answer(&question).unwrap().bytes)
            .unwrap();
    }
    assert!(coordinator.has_quorum());
    assert_eq!(coordinator.answered(), [ClientId(1), ClientId(2)]);
    coordinator.apply(&Input::Close { number: 0 }).unwrap();
    assert_eq!(coordinator.number(), Some(1));
    // The one that is late may still join.
    assert_eq!(coordinator.questions().len(), 3);
}

#[test]
fn a_state_folder_has_one_process_at_a_time() {
    let place = Place::new();
    let file = SiteFile::read(&place.site_toml("client-1")).unwrap();
    let _open = file.open(None).unwrap();
    let text = place.refused("client-1");
    assert!(
        text.contains("another process uses this folder; stop that process"),
        "{text}"
    );
}

#[test]
fn studies_that_are_none_are_refused_with_what_to_do() {
    let place = Place::new();
    let refused = |from: &str, to: &str| {
        let text = fs::read_to_string(place.at("study.toml")).unwrap();
        assert!(text.contains(from), "{text}");
        let path = place.at("other.toml");
        fs::write(&path, text.replace(from, to)).unwrap();
        match StudyFile::read(&path) {
            Err(error) => error.to_string(),
            Ok(study) => study.provision(&place.at("k")).unwrap_err().to_string(),
        }
    };
    let all = "[\"client-1\", \"client-2\", \"client-3\"]";
    for (from, to, told) in [
        (
            "name = \"hearts\"\n",
            "",
            "needs the keys name, sites and schema",
        ),
        (all, "[\"a\"]", "the study has 1 sites; name at least two"),
        (
            all,
            "[\"a\", \"a\"]",
            "two parties of the study are called \"a\"",
        ),
        (
            all,
            "[\"a\", \"coordinator\"]",
            "two parties of the study are called \"coordinator\"",
        ),
        (
            all,
            "[\"a\", \"../b\"]",
            "\"../b\" cannot be the name of a site",
        ),
        (
            "seed = 3",
            "clients = 3",
            "clients does not apply: every site brings its own table",
        ),
        (
            "seed = 3",
            "sed = 3",
            "line 4: unknown field `sed`; did you mean `seed`?",
        ),
        ("seed = 3", "seed = ", "line 4"),
        (
            "[coordinator]\nrounds = 3\n[method]\nname = \"enco\"",
            "[method]\nname = \"gies\"",
            "method is gies, but must be a method of FedCDI: enco, sdi, dcdi or score",
        ),
        ("study/schema.json", "none.json", "no such file or folder"),
    ] {
        let text = refused(from, to);
        assert!(text.contains(told), "{text}");
        assert!(!place.at("k").exists());
    }
    let study = StudyFile::read(&place.at("study.toml")).unwrap();
    let again = study.provision(&place.at("kits")).unwrap_err().to_string();
    assert!(again.contains("already exists"), "{again}");
}
