//! Small plans.

use fedcdi_core::choice::Params;
use fedcdi_core::{Choice, Grafting, KnowledgeFile, Pruning, Schema, Variable};
use fedcdi_protocol::rules::{Carrier, Evidence, MassFrom, Median, Naive, Proximity, Space};
use fedcdi_protocol::{
    Disclosure, Exchange, Moves, PlannedVariable, RoundParams, ScorePlan, Start, StudyPlan, VERSION,
};
use fedcdi_score::SearchParams;

/// Every rule, with every choice that changes what a site sends.
pub(crate) fn rules() -> Vec<Choice> {
    let mut rules = vec![
        Choice::of(&Evidence::default()),
        Choice::of(&Median::default()),
    ];
    for space in [Space::Psi, Space::Factors, Space::Logits] {
        rules.push(Choice::of(&Naive { space }));
    }
    for (carrier, mass, space) in [
        (Carrier::Aggregate, MassFrom::Interventional, Space::Psi),
        (Carrier::Own, MassFrom::Interventional, Space::Factors),
        (Carrier::Aggregate, MassFrom::All, Space::Logits),
        (Carrier::Own, MassFrom::All, Space::Psi),
    ] {
        rules.push(Choice::of(&Proximity {
            beta: 3.0,
            carrier,
            mass,
            space,
        }));
    }
    rules
}

/// Variables of two and three categories in turn.
pub(crate) fn schema(n_vars: usize) -> Schema {
    let variable = |v: usize| Variable::with_codes(format!("v{v}"), 2 + v % 2);
    Schema::new((0..n_vars).map(variable).collect()).unwrap()
}

/// Rounds that run to their limit, with no test.
fn untested(rounds: u32) -> RoundParams {
    RoundParams {
        rounds: Some(rounds),
        tolerance: 0.0,
        max_entropy: 1.0,
        patience: rounds + 1,
        graph_patience: rounds + 1,
        average: 3,
        pruning: Some(Pruning::Never),
        grafting: Some(Grafting::Never),
        ..RoundParams::default()
    }
}

/// A plan without tests; logits are exchanged.
pub(crate) fn plan(n_vars: usize, n_sites: usize, rule: Choice) -> StudyPlan {
    let (schema, name) = (schema(n_vars), "tiny".to_owned());
    let planned = |variable: &Variable| PlannedVariable {
        name: variable.name.clone(),
        n_categories: Some(variable.n_categories()),
    };
    StudyPlan {
        protocol: VERSION,
        sites: (1..=n_sites).map(|site| format!("site {site}")).collect(),
        variables: schema.variables().iter().map(planned).collect(),
        schema: schema.fingerprint(&name, b"secret"),
        name,
        seed: 1,
        local: Choice::named("toy"),
        rule,
        exchange: Exchange::Logits,
        rounds: untested(3),
        knowledge: KnowledgeFile::default(),
        disclosure: Disclosure::default(),
        score: None,
        moves: Moves::Ignore,
    }
}

/// The plan of a rule with its defaults.
pub(crate) fn plan_by<P: Params>(n_vars: usize, n_sites: usize) -> StudyPlan {
    plan(n_vars, n_sites, Choice::of(&P::default()))
}

/// The plan with tests of edges from the first round on, and of other pairs once the graph rests.
pub(crate) fn with_tests(plan: StudyPlan) -> StudyPlan {
    StudyPlan {
        rounds: RoundParams {
            pruning: Some(Pruning::USUAL),
            grafting: Some(Grafting::USUAL),
            ..plan.rounds
        },
        disclosure: Disclosure {
            first_tests: 1,
            ..plan.disclosure
        },
        ..plan
    }
}

/// The plan with a search over sums, after its rounds or in their place.
pub(crate) fn with_scores(plan: StudyPlan, start: Start) -> StudyPlan {
    let search = SearchParams {
        questions: 60,
        ..SearchParams::default()
    };
    StudyPlan {
        score: Some(ScorePlan { start, search }),
        ..plan
    }
}

/// The plan that asks what moves what.
pub(crate) fn with_moves(plan: StudyPlan) -> StudyPlan {
    StudyPlan {
        moves: Moves::Use,
        ..plan
    }
}

/// Questions between that to join and the first round.
pub(crate) fn before_rounds(plan: &StudyPlan) -> u32 {
    u32::from(plan.moves == Moves::Use)
}

/// The plan with so many rounds.
pub(crate) fn with_rounds(plan: StudyPlan, rounds: u32) -> StudyPlan {
    let RoundParams {
        pruning, grafting, ..
    } = plan.rounds;
    StudyPlan {
        rounds: RoundParams {
            pruning,
            grafting,
            ..untested(rounds)
        },
        ..plan
    }
}
