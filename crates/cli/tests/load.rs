//! Many sites at once, over real TLS: a coordinator as a process of its own, and sites whose method takes no
//! time, so that what is measured is the carrier, the ledger and the sums.
#![allow(clippy::unwrap_used)]

mod place;

use std::fs;
use std::io;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fedcdi_core::{Belief, ClientId, LocalMethod, LocalMethodError, Round, SampleCounts};
use fedcdi_network::page::Board;
use fedcdi_network::site::take_part;
use fedcdi_protocol::store::Store;
use fedcdi_protocol::{Site, SiteData, StudyPlan, rules};
use ndarray::Array2;
use place::Place;

/// Believes something else in every round, so that a study has all its rounds.
struct Restless(u32);

impl LocalMethod for Restless {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let mut random = u64::from(self.0) << 32 | u64::from(round.0);
        let mut draw = || {
            random = (random.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
            (random >> 40) as f64 / f64::from(1 << 22) - 2.0
        };
        let n = prior.n_vars();
        let existence = Array2::from_shape_simple_fn((n, n), &mut draw);
        let square = Array2::from_shape_simple_fn((n, n), &mut draw);
        Belief::new(existence, &square - &square.t()).map_err(LocalMethodError::new)
    }
}

/// A disk that keeps nothing: a thousand sites in one process have no room for their journals.
struct Forgetful;

impl Store for Forgetful {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn append(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
    fn settle(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// A study of so many sites, variables and rounds, provisioned.
fn provisioned(n_sites: usize, n_vars: usize, rounds: usize) -> Place {
    let place = Place::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = port.local_addr().unwrap().port();
    let names: Vec<String> = (1..=n_sites).map(|at| format!("{:?}", name(at))).collect();
    let variable = |at| format!("{{\"name\": \"X{at}\", \"categories\": [\"a\", \"b\"]}}");
    let variables: Vec<String> = (1..=n_vars).map(variable).collect();
    let schema = format!("{{\"variables\": [{}]}}", variables.join(", "));
    place.file("schema.json", &schema);
    // Rounds that nothing ends before their number is reached.
    let study = format!(
        "name = \"load\"\nsites = [{}]\nschema = \"schema.json\"\naddress = \"127.0.0.1:{port}\"\n[coordinator]\nrounds = {rounds}\ntolerance = 0.0\ngraph_patience = {}\n",
        names.join(", "),
        rounds + 1
    );
    place.file("study.toml", &study);
    place.succeed("provision study.toml --out kits");
    place
}

fn name(at: usize) -> String {
    format!("site-{at}")
}

/// A coordinator that ends with this value.
struct Coordinator(Child);

impl Coordinator {
    fn start(place: &Place) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_fedcdi"))
            .args(["coordinator", "kits/coordinator", "--state", "ledger"])
            .current_dir(place.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    /// The most memory that it ever had, in megabytes.
    fn peak_memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
        kilobytes.map_or(0.0, |text| text.trim().parse::<f64>().unwrap() / 1024.0)
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a study of so many sites, variables and questions; seconds from the first question to the end, and
/// megabytes.
fn run(n_sites: usize, n_vars: usize, n_questions: usize) -> (f64, f64) {
    // Joining and the result are questions too.
    let place = provisioned(n_sites, n_vars, n_questions - 2);
    let mut coordinator = Coordinator::start(&place);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plan = fs::read_to_string(place.path("kits/coordinator/plan.json")).unwrap();
    let plan = StudyPlan::from_text(plan.trim()).unwrap();
    let start = Instant::now();
    let mut memory = 0_f64;
    runtime.block_on(async {
        let mut sites = tokio::task::JoinSet::new();
        for at in 1..=n_sites {
            let data = SiteData {
                id: ClientId(at as u32),
                schema: plan.schema,
                counts: SampleCounts {
                    n_samples: 100,
                    n_observational: 100,
                    ..SampleCounts::none(n_vars)
                },
                profile: Vec::new(),
                method: Some(Box::new(Restless(at as u32))),
                rows: None,
                moves: None,
            };
            let site =
                Site::open(plan.clone(), &rules::standard(), data, Box::new(Forgetful)).unwrap();
            let state = place.path(&format!("state/{at}"));
            fs::create_dir_all(&state).unwrap();
            let kit = place.path(&format!("kits/{}", name(at)));
            sites.spawn(
                async move { take_part(&kit, &state, site, &Board::at(None), |_| {}).await },
            );
        }
        let mut tick = tokio::time::interval(Duration::from_millis(100));
        while !sites.is_empty() {
            tokio::select! {
                Some(ended) = sites.join_next() => {
                    let site = ended.unwrap().unwrap();
                    assert_eq!(site.outcome().unwrap().rounds.len(), n_questions - 2);
                }
                _ = tick.tick() => memory = memory.max(coordinator.peak_memory()),
            }
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    assert!(coordinator.0.wait().unwrap().success());
    let record = fs::read_to_string(place.path("ledger/result/run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    for round in record["rounds"].as_array().unwrap() {
        assert_eq!(round["n_answers"], n_sites);
    }
    assert_eq!(record["refusals"].as_object().unwrap().len(), 0);
    (seconds, memory)
}

#[expect(clippy::print_stderr, reason = "measurements are for people")]
fn measure(n_sites: usize, n_vars: usize, n_questions: usize) -> (f64, f64) {
    let (seconds, megabytes) = run(n_sites, n_vars, n_questions);
    let each = 1000.0 * seconds / n_questions as f64;
    eprintln!(
        "{n_sites} sites x {n_vars} variables x {n_questions} questions: {seconds:.1} s, {each:.1} ms per question, coordinator at most {megabytes:.0} MB"
    );
    (seconds, megabytes)
}

#[test]
fn ten_sites_are_served() {
    run(10, 20, 6);
}

#[test]
#[ignore = "a measurement: run with scripts/test-slow"]
fn a_question_costs_little_beyond_local_work() {
    let (seconds, _) = measure(4, 20, 102);
    assert!(1000.0 * seconds / 102.0 < 20.0);
}

#[test]
#[ignore = "slow: run with scripts/test-slow"]
fn two_hundred_sites_are_served() {
    let (_, megabytes) = measure(200, 100, 20);
    assert!(megabytes < 500.0);
}

#[test]
#[ignore = "needs 15 GB of memory and of disk: run by hand"]
fn a_thousand_sites_are_served() {
    let (_, megabytes) = measure(1000, 100, 20);
    assert!(megabytes < 500.0);
}
