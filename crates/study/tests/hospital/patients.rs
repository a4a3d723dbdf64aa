//! The table.

use std::sync::Arc;

use fedcdi_core::{Dataset, DatasetBuilder, Regime, Schema, Seed, Variable};
use rand::RngExt;

pub(crate) const DRUG: usize = 0;
pub(crate) const HIV: usize = 1;
pub(crate) const CLINIC: usize = 2;
pub(crate) const JOB: usize = 3;

/// Categories of each variable.
pub(crate) const SIZES: [usize; 4] = [2, 2, 3, 5];

/// The job that one patient has.
pub(crate) const UNIQUE: usize = 4;

/// Combinations of values.
pub(crate) const CELLS: usize = 2 * 2 * 3 * 5;

/// Patients by drug, result, clinic and job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patients(pub(crate) [u32; CELLS]);

/// Number of the combination of these values.
pub(crate) fn cell(values: [usize; 4]) -> usize {
    let digits = values.iter().zip(SIZES);
    digits.fold(0, |code, (value, size)| code * size + value)
}

/// Values of a combination.
pub(crate) fn values(cell: usize) -> [usize; 4] {
    let [_, hiv, clinic, job] = SIZES;
    [
        cell / (hiv * clinic * job),
        cell / (clinic * job) % hiv,
        cell / job % clinic,
        cell % job,
    ]
}

impl Patients {
    /// 461 patients, one of whom has a job that nobody else has. Which clinic they go to depends on
    /// whether they are infected.
    pub(crate) fn new(seed: Seed) -> Self {
        Self::with_clinics(seed, |_, hiv, at| match at / 10 {
            at if hiv == 1 => at / 4,
            0..5 => 0,
            5..8 => 1,
            _ => 2,
        })
    }

    /// The same, but drug and result nearly decide the clinic: what is told says more.
    pub(crate) fn that_depend_strongly(seed: Seed) -> Self {
        Self::with_clinics(seed, |drug, hiv, at| match at {
            0..50 => hiv,
            50..75 => 2,
            _ => drug,
        })
    }

    /// Clinics by drug, result and a number below 100.
    fn with_clinics(seed: Seed, clinic: impl Fn(usize, usize, usize) -> usize) -> Self {
        let mut rng = seed.rng();
        let mut counts = [0; CELLS];
        for patient in 0..461 {
            let drug = usize::from(rng.random_bool(0.25));
            let hiv = usize::from(rng.random_bool([0.12, 0.3][drug]));
            let clinic = clinic(drug, hiv, rng.random_range(0..100));
            let job = match patient {
                0 => UNIQUE,
                _ => (rng.random_range(0..4) + usize::from(rng.random_bool(0.3)) * drug) % 4,
            };
            counts[cell([drug, hiv, clinic, job])] += 1;
        }
        Self(counts)
    }

    pub(crate) fn n(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Without her whose job is unique.
    pub(crate) fn without_her(&self) -> Self {
        let mut counts = self.0;
        for (cell, count) in counts.iter_mut().enumerate() {
            if values(cell)[JOB] == UNIQUE {
                *count = 0;
            }
        }
        Self(counts)
    }

    /// The same without regard to jobs: all have the first.
    pub(crate) fn with_one_job(&self) -> Self {
        let mut counts = [0; CELLS];
        for (old, count) in self.0.iter().enumerate() {
            let [drug, hiv, clinic, _] = values(old);
            counts[cell([drug, hiv, clinic, 0])] += count;
        }
        Self(counts)
    }

    /// Patients by drug and result.
    pub(crate) fn drug_by_hiv(&self) -> [[u32; 2]; 2] {
        let mut table = [[0; 2]; 2];
        for (cell, count) in self.0.iter().enumerate() {
            let values = values(cell);
            table[values[DRUG]][values[HIV]] += count;
        }
        table
    }

    /// Whether at most half have the drug, and at most half are infected.
    pub(crate) fn rarer_are_rarer(&self) -> bool {
        let [[_, infected], [treated, both]] = self.drug_by_hiv();
        2 * (infected + both) <= self.n() && 2 * (treated + both) <= self.n()
    }

    /// As a table with a row per patient.
    pub(crate) fn dataset(&self) -> Dataset {
        let schema = Arc::new(schema());
        let mut builder = DatasetBuilder::with_capacity(schema, self.n() as usize);
        for (cell, count) in self.0.iter().enumerate() {
            let row = values(cell).map(|value| value as u16);
            for _ in 0..*count {
                builder.push(&row, &Regime::Observational).unwrap();
            }
        }
        builder.finish().unwrap()
    }
}

pub(crate) fn schema() -> Schema {
    let names = ["drug", "hiv", "clinic", "job"].into_iter().zip(SIZES);
    let variables = names.map(|(name, size)| Variable::with_codes(name, size));
    Schema::new(variables.collect()).unwrap()
}
