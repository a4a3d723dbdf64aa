//! An order of columns and rows that does not depend on how a table was written.
//!
//! Methods that draw random numbers by the place of a variable or of a row, or that break ties by
//! it, find other graphs when columns or rows change places. They look at the [`canonical`] table
//! instead and give their answers back by [`Relabelling`].

use std::cmp::Ordering;
use std::sync::Arc;

use ndarray::Array2;

use crate::belief::Belief;
use crate::dataset::{Column, Dataset};
use crate::graph::{Cpdag, Dag, Digraph, VarSet};
use crate::knowledge::Knowledge;
use crate::schema::Schema;
use crate::variable::VarId;

/// The same table with columns in the order of their names and rows in that of their regimes, then
/// values; and the new id of every variable.
///
/// Complexity: O(n N log n) for n rows of N variables at worst; most rows differ early.
pub fn canonical(data: &Dataset) -> (Dataset, Relabelling) {
    let schema = data.schema();
    let mut vars: Vec<VarId> = schema.ids().collect();
    vars.sort_by_key(|var| schema.name(*var));
    let mut ids = vec![VarId(0); vars.len()];
    for (place, var) in vars.iter().enumerate() {
        ids[var.index()] = VarId(place);
    }
    let relabelling = Relabelling { ids };
    let variables = vars.iter().map(|var| schema.variable(*var).clone());
    let schema = Schema::new(variables.collect()).expect("the same variables");
    let table = data.recode(&Arc::new(schema)).expect("the same labels");
    let rows = sorted_rows(&table);
    (table.select(&rows), relabelling)
}

fn sorted_rows(table: &Dataset) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..table.n_samples()).collect();
    rows.sort_by(|&a, &b| {
        let regimes = table.regime_of()[a].cmp(&table.regime_of()[b]);
        let values = || {
            let columns = table.schema().ids().map(|var| table.column(var));
            let mut each = columns.map(|column| by_value(column, a, b));
            each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        regimes.then_with(values)
    });
    rows
}

fn by_value(column: &Column, a: usize, b: usize) -> Ordering {
    match column {
        Column::U8(codes) => codes[a].cmp(&codes[b]),
        Column::U16(codes) => codes[a].cmp(&codes[b]),
        Column::Real(values) => values[a].total_cmp(&values[b]),
    }
}

/// New ids of all variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relabelling {
    ids: Vec<VarId>,
}

impl Relabelling {
    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut ids = vec![VarId(0); self.ids.len()];
        for (old, new) in self.ids.iter().enumerate() {
            ids[new.index()] = VarId(old);
        }
        Self { ids }
    }

    /// The new id of a variable.
    pub fn var(&self, var: VarId) -> VarId {
        self.ids[var.index()]
    }

    /// A set of variables by their new ids.
    #[must_use]
    pub fn set(&self, set: &VarSet) -> VarSet {
        VarSet::from_members(self.ids.len(), set.iter().map(|var| self.var(var)))
    }

    /// A graph over the new ids.
    #[must_use]
    pub fn dag(&self, dag: &Dag) -> Dag {
        let graph = Digraph::clone(dag).relabel(&self.ids);
        Dag::try_from(graph).expect("other names close no cycle")
    }

    /// A class over the new ids.
    #[must_use]
    pub fn class(&self, class: &Cpdag) -> Cpdag {
        class.relabel(&self.ids)
    }

    /// A matrix `[cause, effect]` over the new ids.
    #[must_use]
    pub fn matrix(&self, matrix: &Array2<f64>) -> Array2<f64> {
        let mut moved = matrix.clone();
        for ((cause, effect), value) in matrix.indexed_iter() {
            moved[(self.ids[cause].0, self.ids[effect].0)] = *value;
        }
        moved
    }

    /// A belief over the new ids.
    #[must_use]
    pub fn belief(&self, belief: &Belief) -> Belief {
        let matrices = [belief.existence(), belief.orientation()].map(|of| self.matrix(of));
        let [existence, orientation] = matrices;
        let moved = Belief::new(existence, orientation).expect("the same logits");
        moved.with_origin(belief.origin())
    }

    /// Knowledge over the new ids.
    #[must_use]
    pub fn knowledge(&self, knowledge: &Knowledge) -> Knowledge {
        let back = self.inverse();
        Knowledge::new(self.dag(knowledge.required()), |cause, effect| {
            knowledge.allows(back.var(cause), back.var(effect))
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::dataset::DatasetBuilder;
    use crate::knowledge::KnowledgeFile;
    use crate::regime::Regime;
    use crate::variable::Variable;

    fn table(names: [&str; 3], rows: &[([u16; 3], Option<usize>)]) -> Dataset {
        let variables = names.map(|name| Variable::with_codes(name, 3));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, rows.len());
        for (codes, target) in rows {
            let regime = Regime::intervened(target.map(VarId));
            builder.push(codes, &regime).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn columns_and_rows_have_one_order() {
        let rows = [([0, 1, 2], None), ([2, 2, 0], Some(0)), ([0, 0, 1], None)];
        let one = table(["c", "a", "b"], &rows);
        // The same with the columns as a, b, c and other rows first.
        let rows = [([2, 0, 2], Some(2)), ([0, 1, 0], None), ([1, 2, 0], None)];
        let other = table(["a", "b", "c"], &rows);
        let ((one, new), (other, same)) = (canonical(&one), canonical(&other));
        assert_eq!(one, other);
        assert_eq!(one.schema().names(), ["a", "b", "c"]);
        assert_eq!(one.column(VarId(0)).codes().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(new.ids, [2, 0, 1].map(VarId));
        assert_eq!(same.ids, [0, 1, 2].map(VarId));
    }

    #[test]
    fn there_and_back_is_where_it_was() {
        let forth = Relabelling {
            ids: [2, 0, 1].map(VarId).to_vec(),
        };
        let back = forth.inverse();
        let belief = Belief::new(
            array![[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]],
            array![[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]],
        );
        let belief = belief.unwrap();
        let moved = forth.belief(&belief);
        assert_eq!(moved.existence()[(2, 0)], 1.0);
        assert_eq!(back.belief(&moved), belief);
        let edges = [(VarId(0), VarId(1)), (VarId(1), VarId(2))];
        let dag = Dag::try_from(Digraph::from_edges(3, edges)).unwrap();
        assert!(forth.dag(&dag).has_edge(VarId(2), VarId(0)));
        assert_eq!(back.dag(&forth.dag(&dag)), dag);
        let class = Cpdag::of(&dag);
        assert_eq!(forth.class(&class), Cpdag::of(&forth.dag(&dag)));
        let set = VarSet::from_members(3, [VarId(0), VarId(1)]);
        assert_eq!(back.set(&forth.set(&set)), set);
    }

    #[test]
    fn knowledge_follows_its_variables() {
        let schema = |names: [&str; 3]| {
            Schema::new(names.map(|name| Variable::with_codes(name, 2)).to_vec()).unwrap()
        };
        let file = KnowledgeFile {
            required: vec![["c".to_owned(), "a".to_owned()]],
            forbidden: vec![["b".to_owned(), "a".to_owned()]],
            ..KnowledgeFile::default()
        };
        let written = file.check(&schema(["c", "a", "b"])).unwrap();
        let sorted = file.check(&schema(["a", "b", "c"])).unwrap();
        let forth = Relabelling {
            ids: [2, 0, 1].map(VarId).to_vec(),
        };
        assert_eq!(forth.knowledge(&written), sorted);
        assert_eq!(forth.inverse().knowledge(&sorted), written);
    }
}
