//! Reads comma-separated numbers under a header. The last column holds the numbers of the
//! intervened columns, from 0 and joined by `;`; it is empty for observational rows.

use std::error::Error;

use fedcdi_core::{Dataset, VarId, VarSet};
use fedcdi_learn::independence::real_table;
use ndarray::Array2;

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
    let n_vars = names.len();
    let (mut values, mut sets, mut regime_of) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let (row, targets) = line.rsplit_once(',').ok_or("a short row")?;
        for value in row.split(',') {
            values.push(value.parse::<f64>()?);
        }
        let set = targets_of(targets, n_vars)?;
        let known = sets.iter().position(|s| *s == set);
        regime_of.push(known.unwrap_or(sets.len()) as u32);
        if known.is_none() {
            sets.push(set);
        }
    }
    let values = Array2::from_shape_vec((regime_of.len(), n_vars), values)?;
    Ok(real_table(&values, &names, &sets, regime_of)?)
}

fn targets_of(text: &str, n_vars: usize) -> Result<VarSet, Box<dyn Error>> {
    let mut set = VarSet::empty(n_vars);
    for target in text.split(';').filter(|t| !t.is_empty()) {
        let target = target.parse().ok().filter(|t| *t < n_vars);
        set.insert(VarId(target.ok_or("a target that is not a column")?));
    }
    Ok(set)
}
