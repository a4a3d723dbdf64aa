//! Rows for tests.

use std::sync::Arc;

use fedcdi_core::{Dataset, DatasetBuilder, Regime, Schema, VarId, Variable};

/// Twenty rows over three variables of four categories; every fourth intervenes on the last.
pub(crate) fn twenty_rows() -> Dataset {
    let variables = (0..3).map(|v| Variable::with_codes(format!("x{v}"), 4));
    let schema = Arc::new(Schema::new(variables.collect()).unwrap());
    let mut builder = DatasetBuilder::with_capacity(schema, 20);
    for row in 0..20u16 {
        let regime = match row % 4 {
            0 => Regime::intervened([VarId(2)]),
            _ => Regime::Observational,
        };
        let values = [row % 4, row / 2 % 4, (row + row / 3) % 4];
        builder.push(&values, &regime).unwrap();
    }
    builder.finish().unwrap()
}
