//! Questions about sums as messages.

use fedcdi_core::VarId;
use fedcdi_score::{Ask, Cells, Slope, Sums};

use crate::codec::DecodeError;
use crate::codec::wire;
use crate::codec::wire::sum::Of;

impl From<&Ask> for wire::Sum {
    fn from(ask: &Ask) -> Self {
        let of = match ask {
            Ask::Begin => Of::Begin(wire::Begin {}),
            Ask::Moments(scales) => Of::Moments(wire::Moments {
                scales: flat(scales),
            }),
            Ask::Sums(sums) => Of::Sums(wire::Sums {
                scales: flat(&sums.scales),
                counts: sums.counts.iter().map(told_cells).collect(),
                slopes: sums.slopes.iter().map(told_slope).collect(),
            }),
        };
        Self { of: Some(of) }
    }
}

impl TryFrom<wire::Sum> for Ask {
    type Error = DecodeError;

    /// What is read is not yet known to be about the study's variables: see [`Ask::is_sound`].
    fn try_from(sent: wire::Sum) -> Result<Self, DecodeError> {
        Ok(match sent.of.ok_or(DecodeError::Field("kind of sum"))? {
            Of::Begin(_) => Self::Begin,
            Of::Moments(moments) => Self::Moments(pairs(&moments.scales)?),
            Of::Sums(sums) => {
                let slopes = sums.slopes.into_iter().map(heard_slope);
                Self::Sums(Sums {
                    scales: pairs(&sums.scales)?,
                    counts: sums.counts.iter().map(heard_cells).collect(),
                    slopes: slopes.collect::<Result<_, _>>()?,
                })
            }
        })
    }
}

fn flat(scales: &[(f64, f64)]) -> Vec<f64> {
    scales.iter().flat_map(|(c, unit)| [*c, *unit]).collect()
}

fn pairs(scales: &[f64]) -> Result<Vec<(f64, f64)>, DecodeError> {
    let (pairs, rest) = scales.as_chunks::<2>();
    let pairs = pairs.iter().map(|[centre, unit]| (*centre, *unit));
    rest.is_empty()
        .then(|| pairs.collect())
        .ok_or(DecodeError::Field("scales"))
}

fn told(vars: &[VarId]) -> Vec<u32> {
    vars.iter().map(|var| var.0 as u32).collect()
}

fn heard(vars: &[u32]) -> Vec<VarId> {
    vars.iter().map(|var| VarId(*var as usize)).collect()
}

fn told_cells(cells: &Cells) -> wire::Cells {
    wire::Cells {
        free_of: cells.free_of.0 as u32,
        variables: told(&cells.variables),
    }
}

fn heard_cells(sent: &wire::Cells) -> Cells {
    Cells {
        free_of: VarId(sent.free_of as usize),
        variables: heard(&sent.variables),
    }
}

fn told_slope(slope: &Slope) -> wire::Slope {
    wire::Slope {
        effect: slope.effect.0 as u32,
        values: slope.values.iter().copied().map(u32::from).collect(),
        parents: told(&slope.parents),
        weights: slope.weights.clone(),
        set: slope.set.map(|var| var.0 as u32),
        outlook: slope.outlook,
    }
}

fn heard_slope(sent: wire::Slope) -> Result<Slope, DecodeError> {
    let values = sent.values.into_iter().map(u16::try_from);
    Ok(Slope {
        effect: VarId(sent.effect as usize),
        values: values
            .collect::<Result<_, _>>()
            .map_err(|_| DecodeError::Field("values"))?,
        parents: heard(&sent.parents),
        weights: sent.weights,
        set: sent.set.map(|var| VarId(var as usize)),
        outlook: sent.outlook,
    })
}
