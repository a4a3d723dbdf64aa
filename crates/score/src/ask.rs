//! What sites are asked to sum over their rows, and how many numbers that makes.
//!
//! Every number is a whole one. Counts are counts; what is not a count is a multiple of
//! [`GRID`], rounded row by row. So sums over rows do not depend on how rows are divided, to the bit.

use fedcdi_core::VarId;

/// Steps in which what is not a count is summed: `2^-28`.
pub const GRID: f64 = 1.0 / (1 << 28) as f64;

/// Bins for the magnitude of a real number: its binary exponent in steps of 16, and one for 0.
pub const MAGNITUDES: usize = 133;

/// Most numbers that a question may ask for, and most that it may hold: 16 MiB of either.
pub const MOST_NUMBERS: usize = 1 << 21;

/// How many categories each variable has; none if it is a real number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline(pub Vec<Option<usize>>);

/// A question about sums.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Who was set apart from whom, how many rows there are, and how large real numbers are.
    Begin,
    /// Of every real variable in all rows, after centring and dividing like this: sum and sum of
    /// squares.
    Moments(Vec<(f64, f64)>),
    /// Counts, cross sums and slopes.
    Sums(Sums),
}

/// Sums over rows that leave an effect alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// For every real variable in order: what its values are centred by and divided by.
    pub scales: Vec<(f64, f64)>,
    /// Tables to count, or cross sums where a variable is real.
    pub counts: Vec<Cells>,
    /// Models at some weights.
    pub slopes: Vec<Slope>,
}

/// How often values occur together, in rows that leave a variable alone. With real variables, of at
/// most two: sums of their values, or of the products.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cells {
    /// Rows that set this variable do not count.
    pub free_of: VarId,
    /// One to many, increasing.
    pub variables: Vec<VarId>,
}

/// An additive logistic model of an effect at some weights: negative log-likelihood and slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    /// A categorical variable.
    pub effect: VarId,
    /// Its values that occur, increasing, at least two; the last is the reference.
    pub values: Vec<u16>,
    /// Parents, increasing.
    pub parents: Vec<VarId>,
    /// `[column, value but the last]`: the intercept, then per parent a column for every category
    /// but the last, or one of a real parent.
    pub weights: Vec<f64>,
    /// Only rows that set this variable count, if there is one; then no slopes are wanted.
    pub set: Option<VarId>,
    /// Whether slopes and variances are wanted for all other variables, too.
    pub outlook: bool,
}

impl Outline {
    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.0.len()
    }

    /// Categories of a variable; none if it is real.
    pub fn size(&self, var: VarId) -> Option<usize> {
        self.0[var.index()]
    }

    /// Whether a variable is a real number.
    pub fn is_real(&self, var: VarId) -> bool {
        self.size(var).is_none()
    }

    /// The real variables, in order.
    pub fn reals(&self) -> impl Iterator<Item = VarId> + '_ {
        (0..self.n_vars())
            .map(VarId)
            .filter(|var| self.is_real(*var))
    }

    /// Columns of a variable in a design, all categories counted.
    pub fn width(&self, var: VarId) -> usize {
        self.size(var).unwrap_or(1)
    }

    /// Free columns of a variable in a design that has an intercept.
    pub fn free_width(&self, var: VarId) -> usize {
        self.size(var).map_or(1, |size| size - 1)
    }
}

impl Cells {
    /// Numbers that it sums: cells of a table; of a real variable alone its sum and that of its squares;
    /// where one of two is real, its sum per category of the other; of two reals the sum of their
    /// products. Saturates.
    pub fn n_numbers(&self, outline: &Outline) -> usize {
        if let [only] = self.variables[..]
            && outline.is_real(only)
        {
            return 2;
        }
        let widths = self.variables.iter().map(|var| outline.width(*var));
        widths.fold(1, usize::saturating_mul)
    }
}

impl Slope {
    /// Weights that it has.
    pub fn n_weights(&self, outline: &Outline) -> usize {
        let widths = self
            .parents
            .iter()
            .map(|parent| outline.free_width(*parent));
        (1 + widths.sum::<usize>()) * self.values.len().saturating_sub(1)
    }

    /// Variables that the outlook is about: all but effect and parents.
    pub fn others(&self, outline: &Outline) -> impl Iterator<Item = VarId> + use<'_> {
        let vars = (0..outline.n_vars()).map(VarId);
        vars.filter(|var| *var != self.effect && self.parents.binary_search(var).is_err())
    }

    /// Numbers that it sums: the negative log-likelihood; in all rows also a slope per weight; and for the outlook, `[column,
    /// value]`, the variances of the model's own columns, slopes of the others' and their variances.
    pub fn n_numbers(&self, outline: &Outline) -> usize {
        if self.set.is_some() {
            return 1;
        }
        let width = |var: VarId| outline.width(var);
        let own = 1 + self.parents.iter().copied().map(width).sum::<usize>();
        let others: usize = self.others(outline).map(width).sum();
        let outlook = self.values.len() * (own + 2 * others);
        1 + self.n_weights(outline) + if self.outlook { outlook } else { 0 }
    }
}

impl Ask {
    /// Numbers that a site adds.
    pub fn n_numbers(&self, outline: &Outline) -> usize {
        match self {
            Self::Begin => {
                let n_vars = outline.n_vars();
                n_vars * n_vars + outline.reals().count() * MAGNITUDES
            }
            Self::Moments(_) => 2 * outline.reals().count(),
            Self::Sums(sums) => {
                let counts = sums.counts.iter().map(|cells| cells.n_numbers(outline));
                let slopes = sums.slopes.iter().map(|slope| slope.n_numbers(outline));
                counts.chain(slopes).fold(0, usize::saturating_add)
            }
        }
    }

    /// Numbers that the question itself holds, with room for what frames them: no more than 8 bytes each
    /// on their way.
    pub fn n_held(&self) -> usize {
        /// Of a table, and of a model.
        const FRAMES: [usize; 2] = [4, 7];
        match self {
            Self::Begin => 0,
            Self::Moments(scales) => 2 * scales.len(),
            Self::Sums(sums) => {
                let table = |cells: &Cells| FRAMES[0] + cells.variables.len();
                let model = |slope: &Slope| {
                    FRAMES[1] + slope.values.len() + slope.parents.len() + slope.weights.len()
                };
                let tables: usize = sums.counts.iter().map(table).sum();
                2 * sums.scales.len() + tables + sums.slopes.iter().map(model).sum::<usize>()
            }
        }
    }

    /// Cells of the largest table that it counts.
    pub fn largest_table(&self, outline: &Outline) -> usize {
        match self {
            Self::Begin | Self::Moments(_) => 0,
            Self::Sums(sums) => {
                let sizes = sums.counts.iter().map(|cells| cells.n_numbers(outline));
                sizes.max().unwrap_or(0)
            }
        }
    }

    /// Whether everything in it is about variables of this outline, and of the right size.
    pub fn is_sound(&self, outline: &Outline) -> bool {
        let are_scales = |scales: &[(f64, f64)]| {
            let scaled =
                |(centre, unit): &(f64, f64)| centre.is_finite() && unit.is_finite() && *unit > 0.0;
            scales.len() == outline.reals().count() && scales.iter().all(scaled)
        };
        match self {
            Self::Begin => true,
            Self::Moments(scales) => are_scales(scales),
            Self::Sums(sums) => {
                are_scales(&sums.scales)
                    && sums.counts.iter().all(|cells| cells.is_sound(outline))
                    && sums.slopes.iter().all(|slope| slope.is_sound(outline))
            }
        }
    }
}

/// Whether these are variables of the outline, increasing.
fn are_increasing(vars: &[VarId], outline: &Outline) -> bool {
    vars.is_sorted_by(|a, b| a < b)
        && vars
            .last()
            .is_none_or(|last| last.index() < outline.n_vars())
}

impl Cells {
    fn is_sound(&self, outline: &Outline) -> bool {
        let n = self.variables.len();
        let is_var = |var: VarId| var.index() < outline.n_vars();
        let are_labels = || !self.variables.iter().any(|var| outline.is_real(*var));
        is_var(self.free_of)
            && n > 0
            && are_increasing(&self.variables, outline)
            && (n <= 2 || are_labels())
    }
}

impl Slope {
    fn is_sound(&self, outline: &Outline) -> bool {
        let has_effect = self.effect.index() < outline.n_vars();
        let Some(size) = has_effect.then(|| outline.size(self.effect)).flatten() else {
            return false;
        };
        self.values.len() >= 2
            && self.values.is_sorted_by(|a, b| a < b)
            && self.values.iter().all(|value| usize::from(*value) < size)
            && are_increasing(&self.parents, outline)
            && !self.parents.contains(&self.effect)
            && (self.set).is_none_or(|var| var.index() < outline.n_vars() && !self.outlook)
            && self.weights.len() == self.n_weights(outline)
            && self.weights.iter().all(|weight| weight.is_finite())
    }
}
