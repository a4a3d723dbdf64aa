//! What each number of an answer about sums is.

use fedcdi_core::{Schema, VarId};
use fedcdi_score::{Ask, Cells, GRID, MAGNITUDES, Outline, Slope};

use super::numbers::Meaning;

/// A question about sums, for people.
pub(super) fn asked(ask: &Ask) -> String {
    match ask {
        Ask::Begin => {
            "how many rows leave each variable alone, and which variables some row sets while it leaves another alone".to_owned()
        }
        Ask::Moments(_) => "the sum and the sum of squares of every real variable".to_owned(),
        Ask::Sums(sums) => {
            let (tables, models) = (sums.counts.len(), sums.slopes.len());
            format!("{tables} tables of counts (Count), and slopes of {models} models (Slope)")
        }
    }
}

/// What stands where.
pub(super) fn meanings(ask: &Ask, schema: &Schema) -> Vec<Meaning> {
    let sizes = schema.variables().iter();
    let sizes = sizes.map(|variable| (!variable.is_real()).then(|| variable.n_categories()));
    let scales = match ask {
        Ask::Begin => &[][..],
        Ask::Moments(scales) => scales,
        Ask::Sums(sums) => &sums.scales,
    };
    let named = Named {
        schema,
        outline: Outline(sizes.collect()),
        scales,
    };
    match ask {
        Ask::Begin => named.beginning(),
        Ask::Moments(_) => {
            let moments = |var| {
                let name = named.scaled(var);
                [
                    in_steps(format!("sum of {name}")),
                    in_steps(format!("sum of squares of {name}")),
                ]
            };
            named.outline.reals().flat_map(moments).collect()
        }
        Ask::Sums(sums) => {
            let tables = sums.counts.iter().flat_map(|cells| named.table(cells));
            let models = sums.slopes.iter().flat_map(|slope| named.model(slope));
            tables.chain(models).collect()
        }
    }
}

/// Of what is not a count.
fn in_steps(what: String) -> Meaning {
    Meaning { what, step: GRID }
}

struct Named<'a> {
    schema: &'a Schema,
    outline: Outline,
    /// Of every real variable: what its values are centred by and divided by.
    scales: &'a [(f64, f64)],
}

impl Named<'_> {
    /// A real variable as it is summed.
    fn scaled(&self, var: VarId) -> String {
        let name = self.schema.name(var);
        let place = self.outline.reals().position(|real| real == var);
        match place.and_then(|place| self.scales.get(place)) {
            Some((centre, unit)) if (*centre, *unit) != (0.0, 1.0) => {
                format!("({name} - {centre}) / {unit}")
            }
            _ => name.to_owned(),
        }
    }

    fn beginning(&self) -> Vec<Meaning> {
        let mut all = Vec::new();
        for cause in self.schema.ids() {
            for effect in self.schema.ids() {
                let (set, free) = (self.schema.name(cause), self.schema.name(effect));
                all.push(Meaning::whole(if cause == effect {
                    format!("rows that leave {free} alone")
                } else {
                    format!("1 if some row sets {set} and leaves {free} alone")
                }));
            }
        }
        for var in self.outline.reals() {
            let name = self.schema.name(var);
            let bin = |bin| {
                Meaning::whole(format!(
                    "rows by size of {name}, class {bin} of {MAGNITUDES}"
                ))
            };
            all.extend((1..=MAGNITUDES).map(bin));
        }
        all
    }

    fn table(&self, cells: &Cells) -> Vec<Meaning> {
        let free = self.schema.name(cells.free_of);
        let (reals, labels): (Vec<VarId>, Vec<VarId>) =
            (cells.variables.iter()).partition(|var| self.outline.is_real(**var));
        let real_names: Vec<String> = reals.iter().map(|var| self.scaled(*var)).collect();
        let n_numbers = cells.n_numbers(&self.outline);
        let what = |at: usize| {
            let values = self.values(&labels, at);
            let which = match values.as_str() {
                "" => format!("rows that do not set {free}"),
                values => format!("rows with {values} that do not set {free}"),
            };
            match &real_names[..] {
                [] => Meaning::whole(format!("number of {which}")),
                [only] if n_numbers == 2 && labels.is_empty() => in_steps(format!(
                    "{} of {only}, {which}",
                    ["sum", "sum of squares"][at]
                )),
                names => in_steps(format!("sum of {}, {which}", names.join(" times "))),
            }
        };
        (0..n_numbers).map(what).collect()
    }

    /// `a = value 1, b = value 3`; the last variable changes first.
    fn values(&self, labels: &[VarId], at: usize) -> String {
        let mut rest = at;
        let mut values: Vec<String> = Vec::new();
        for var in labels.iter().rev() {
            let width = self.outline.width(*var);
            let name = self.schema.name(*var);
            values.push(format!("{name} = value {}", rest % width + 1));
            rest /= width;
        }
        values.reverse();
        values.join(", ")
    }

    fn model(&self, slope: &Slope) -> Vec<Meaning> {
        let effect = self.schema.name(slope.effect);
        let parents = slope.parents.iter().map(|var| self.schema.name(*var));
        let parents = parents.collect::<Vec<_>>().join(", ");
        let model = match parents.as_str() {
            "" => format!("model of {effect} alone"),
            parents => format!("model of {effect} by {parents}"),
        };
        let n_weights = slope.n_weights(&self.outline);
        let what = |at: usize| match at {
            0 => match slope.set {
                None => format!("negative log-likelihood of the {model}"),
                Some(set) => {
                    let set = self.schema.name(set);
                    format!("negative log-likelihood of the {model}, rows that set {set}")
                }
            },
            slope if slope <= n_weights => format!("slope {slope} of the {model}"),
            other => format!("outlook {} of the {model}", other - n_weights),
        };
        let numbers = 0..slope.n_numbers(&self.outline);
        numbers.map(|at| in_steps(what(at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Variable;
    use fedcdi_score::Sums;

    use super::*;

    #[test]
    fn every_number_has_a_meaning() {
        let variables = vec![
            Variable::with_codes("sex", 2),
            Variable::real("age"),
            Variable::with_codes("stage", 3),
        ];
        let schema = Schema::new(variables).unwrap();
        let cells = |free_of, variables: &[usize]| Cells {
            free_of: VarId(free_of),
            variables: variables.iter().copied().map(VarId).collect(),
        };
        let ask = Ask::Sums(Sums {
            scales: vec![(54.5, 8.0)],
            counts: vec![cells(2, &[0, 2]), cells(1, &[1]), cells(1, &[0, 1])],
            slopes: vec![Slope {
                effect: VarId(0),
                values: vec![0, 1],
                parents: vec![VarId(2)],
                weights: vec![0.0; 3],
                set: None,
                outlook: true,
            }],
        });
        let outline = Outline(vec![Some(2), None, Some(3)]);
        for ask in [&Ask::Begin, &Ask::Moments(vec![(0.0, 1.0)]), &ask] {
            assert_eq!(meanings(ask, &schema).len(), ask.n_numbers(&outline));
        }
        let told = meanings(&ask, &schema);
        for (at, what, step) in [
            (
                1,
                "number of rows with sex = value 1, stage = value 2 that do not set stage",
                1.0,
            ),
            (
                7,
                "sum of squares of (age - 54.5) / 8, rows that do not set age",
                GRID,
            ),
            (
                9,
                "sum of (age - 54.5) / 8, rows with sex = value 2 that do not set age",
                GRID,
            ),
            (
                10,
                "negative log-likelihood of the model of sex by stage",
                GRID,
            ),
        ] {
            assert_eq!((told[at].what.as_str(), told[at].step), (what, step));
        }
    }
}
