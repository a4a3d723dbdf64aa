//! A plan in words, for those who want to know what was agreed on.

use fedcdi_protocol::StudyPlan;
use fedcdi_study::report::{count, in_each_round};
use maud::{Markup, html};

pub(super) fn plan_in_words(plan: &StudyPlan, digest: &str) -> Markup {
    let names = |names: &mut dyn Iterator<Item = &String>| {
        let names: Vec<&str> = names.map(String::as_str).collect();
        names.join(", ")
    };
    let known = &plan.knowledge;
    let n_known = known.required.len() + known.forbidden.len() + known.tiers.len();
    html! {
        ul.plain {
            li { (count(plan.variables.len(), "variable")) ": " (names(&mut plan.variables.iter().map(|v| &v.name))) "." }
            li { (count(plan.sites.len(), "site")) ": " (names(&mut plan.sites.iter())) "." }
            li { "Each site learns from its own rows with " (plan.local.name) ". The coordinator adds up by the rule " (plan.rule.name) "." }
            li { "At most " (count(plan.most_rounds() as usize, "round")) "; a round needs " (format!("{:.0}", 100.0 * plan.rounds.quorum)) " % of the sites." }
            @if n_known > 0 {
                li { "Known beforehand: " (count(known.required.len(), "required edge")) ", " (count(known.forbidden.len(), "forbidden edge")) ", " (count(known.tiers.len(), "tier")) "." }
            }
            @if plan.disclosure.profile {
                li { "When it joins, a site describes its data: rows as multiples of " (plan.disclosure.row_band) ", the variables it intervened on, and in one word each whether its rows are enough." }
            }
        }
        details {
            summary { "What a site sends in each round" }
            (in_each_round(plan))
            p { "No row, no label of a category and no network leaves a site." }
        }
        dl.facts {
            div { dt { "plan" } dd { code.digest { (digest) } } }
            div { dt { "seed" } dd { (plan.seed) } }
        }
    }
}
