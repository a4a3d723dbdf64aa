//! Reads comma-separated numbers under a header. The last column holds the numbers of the
//! intervened columns, from 0 and joined by `;`; it is empty for observational rows.

use std::error::Error;

use fedcdi_core::{Column, Dataset, Regime, Schema, VarId, Variable};

/// The table that the first argument of the program names.
pub(crate) fn read() -> Result<Dataset, Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which table?")?;
    parse(&std::fs::read_to_string(path)?)
}

fn parse(text: &str) -> Result<Dataset, Box<dyn Error>> {
    let mut lines = text.lines();
    let header = lines.next().and_then(|line| line.rsplit_once(','));
    let (header, _) = header.ok_or("no header")?;
    let names: Vec<String> = header.split(',').map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    let (mut regimes, mut regime_of) = (Vec::new(), Vec::new());
    for line in lines {
        let (row, targets) = line.rsplit_once(',').ok_or("a short row")?;
        if row.split(',').count() != names.len() {
            return Err("a row of another length than the header".into());
        }
        for (column, value) in columns.iter_mut().zip(row.split(',')) {
            column.push(value.parse::<f64>()?);
        }
        regime_of.push(regimes.len() as u32);
        regimes.push(Regime::intervened(targets_of(targets, names.len())?));
    }
    let schema = Schema::new(names.iter().map(Variable::real).collect())?;
    let columns = columns.into_iter().map(Column::Real).collect();
    Ok(Dataset::new(schema.into(), columns, regimes, regime_of)?)
}

fn targets_of(text: &str, n_vars: usize) -> Result<Vec<VarId>, Box<dyn Error>> {
    let target = |target: &str| {
        let target = target.parse().ok().filter(|t| *t < n_vars);
        Ok(VarId(target.ok_or("a target that is not a column")?))
    };
    text.split(';')
        .filter(|t| !t.is_empty())
        .map(target)
        .collect()
}
