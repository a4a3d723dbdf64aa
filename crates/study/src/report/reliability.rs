//! Which site the aggregate trusted for what.

use fedcdi_core::VarId;
use fedcdi_protocol::rules::Shares;
use maud::{Markup, html};
use ndarray::Array2;

use super::content::{Combined, Content};
use super::deciders::{Deciders, MARGIN, shares_at};
use super::heat_map::{HeatMap, Size, scale};
use super::text::{Heading, LONG, NUMBERS, WORDS, count, table};
use crate::profile::SiteProfile;
use crate::result::SiteResult;

const MAX_PICTURES: usize = 10;
const FOLD_ABOVE: usize = 6;

pub(super) fn reliability(content: &Content, order: &[VarId]) -> Markup {
    html! {
        p {
            @match content.combined {
                Combined::OneTable => {}
                Combined::Aggregate(shares) => {
                    "In the last round the aggregator (" code { (content.spec.aggregate.name) } ") weighed the sites against each other, "
                    "for every pair of variables, once for whether there is an edge and once for its direction."
                    @if shares.is_none() { " This rule has no weights to show." }
                }
                Combined::Vote => { "Every site drew a graph from its own rows. Two variables are joined if sites with more than half of all rows join them. The edge has the direction that most of these sites give it." }
                Combined::Together(_) => { "The sites fit one graph together; none has a graph of its own." }
            }
        }
        (site_table(content))
        @if let Some(shares) = content.shares() { (pictures(content, shares, order)) }
    }
}

fn site_table(content: &Content) -> Markup {
    let shares = content.shares();
    let own_shd = own_shd(content);
    let mut headings: Vec<Heading> = vec![
        (WORDS, "site"),
        (NUMBERS, "rows"),
        (NUMBERS, "observational"),
        (WORDS, "targets"),
    ];
    headings.extend(own_shd.map(|heading| (LONG, heading)));
    if shares.is_some() {
        headings.extend([
            (LONG, "share in existence"),
            (LONG, "share in direction"),
            (LONG, "decides existence of"),
            (LONG, "decides direction of"),
        ]);
    }
    let rows = html! { @for site in &content.run.sites { tr {
        th scope="row" { (site.name) }
        td.number { (reported(site, |profile| profile.n_samples)) }
        td.number { (reported(site, |profile| profile.n_observational)) }
        td.targets { (targets(site)) }
        @if own_shd.is_some() { td.number { (site.shd.map_or("-".to_owned(), |shd| shd.to_string())) } }
        @if let Some(shares) = shares {
            @for cell in share_cells(content, shares, site) { td.number { (cell) } }
        }
    } } };
    html! {
        @if let Some(shares) = shares { p.hint { (what_is_counted(shares)) } }
        (table("Sites", "Sites", &headings, &rows))
    }
}

fn what_is_counted(shares: &Shares) -> String {
    let means = "Shares are means over the edges of the graph.";
    match shares.existence.len() {
        0 | 1 => means.to_owned(),
        n_clients => format!(
            "{means} A site decides at the edges where its share is well above an equal one, here more than {:.0} %. Several sites can decide one edge together. No site decides where all shares are about equal.",
            100.0 * (1.0 + MARGIN) / n_clients as f64
        ),
    }
}

fn reported(site: &SiteResult, of: fn(&SiteProfile) -> u64) -> String {
    let profile = site.profile.as_ref();
    profile.map_or("not reported".to_owned(), |profile| of(profile).to_string())
}

/// What a site's own SHD is of, where there is one.
fn own_shd(content: &Content) -> Option<&'static str> {
    content.truth()?;
    match content.combined {
        Combined::Aggregate(_) => Some("SHD of its own graph, raw"),
        Combined::Vote => Some("SHD of its own graph"),
        Combined::OneTable | Combined::Together(_) => None,
    }
}

fn targets(site: &SiteResult) -> Markup {
    let targets = site.profile.as_ref().map(|profile| &profile.targets);
    html! {
        @match targets.map(|targets| (targets.len(), targets.join(", "))) {
            None => "not reported",
            Some((0, _)) => "none",
            Some((n, names)) if n <= 8 => (names),
            Some((n, names)) => details { summary { (count(n, "variable")) } (names) },
        }
    }
}

/// Mean share in existence and in direction, edges at which it decided either.
fn share_cells(content: &Content, shares: &Shares, site: &SiteResult) -> [String; 4] {
    let n_edges = content.run.dag.n_edges();
    let Some(place) = site.share.filter(|_| n_edges > 0) else {
        return ["-"; 4].map(str::to_owned);
    };
    let edges = || content.run.dag.edges().map(|(c, e)| (c.index(), e.index()));
    let mean = |of: &[Array2<f64>]| {
        let sum: f64 = edges().map(|at| of[place][at]).sum();
        format!("{:.0} %", 100.0 * sum / n_edges as f64)
    };
    let decided = |of: &[Array2<f64>]| {
        let decided = edges().filter(|at| Deciders::of(&shares_at(of, *at)).include(place));
        format!("{} of {n_edges}", decided.count())
    };
    [
        mean(&shares.existence),
        mean(&shares.orientation),
        decided(&shares.existence),
        decided(&shares.orientation),
    ]
}

fn pictures(content: &Content, shares: &Shares, order: &[VarId]) -> Markup {
    let n_pictures = shares.existence.len();
    let all = html! {
        (scale("0 %", "100 % share in the direction", Some("edge of the graph")))
        ul.multiples {
            @for site in &content.run.sites {
                @if let Some(place) = site.share { li { (picture(content, (&site.name, place), &shares.orientation[place], order)) } }
            }
        }
    };
    html! {
        @if n_pictures <= MAX_PICTURES {
            h3 { "Share in the direction, by site" }
            p { "Rows are causes, columns effects, in the order of the heat map above." }
            @if n_pictures > FOLD_ABOVE { details { summary { (count(n_pictures, "picture")) } (all) } }
            @else { (all) }
        }
    }
}

fn picture(
    content: &Content,
    (site, place): (&str, usize),
    share: &Array2<f64>,
    order: &[VarId],
) -> Markup {
    let map = HeatMap {
        schema: &content.run.schema,
        order,
        values: share,
        dots: Some(&content.run.dag),
        id: format!("share-{}", place + 1),
        title: format!("Share of {site} in the direction of every pair"),
        size: Size::Small,
    };
    html! { figure { (map.svg()) figcaption { (site) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_says_which_share_decides() {
        let among = |n_clients: usize| {
            what_is_counted(&Shares {
                existence: vec![Array2::zeros((2, 2)); n_clients],
                orientation: Vec::new(),
            })
        };
        // A quarter above 25 %, and above 20 %.
        assert!(among(4).contains("more than 31 %"), "{}", among(4));
        assert!(among(5).contains("more than 25 %"), "{}", among(5));
        assert!(!among(1).contains("decides"), "there is nobody else");
    }
}
