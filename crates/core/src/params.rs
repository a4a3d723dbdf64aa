//! The one way a setting is refused.

/// A setting is out of range: which one, its value, and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, but must be {need}")]
pub struct ParamsError {
    /// Name of the field as it stands in the settings file.
    pub field: &'static str,
    /// The refused value, printed.
    pub value: String,
    /// What would have been accepted, for example `> 0`.
    pub need: String,
}

impl ParamsError {
    /// Refuses `value` for `field` unless `holds`.
    ///
    /// # Errors
    /// [`ParamsError`] carrying the three arguments, when `holds` is false.
    pub fn require(
        field: &'static str,
        value: impl ToString,
        need: impl Into<String>,
        holds: bool,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self {
                field,
                value: value.to_string(),
                need: need.into(),
            })
        }
    }

    /// A count of at least one.
    ///
    /// # Errors
    /// [`ParamsError`] if it is 0.
    pub fn some(field: &'static str, value: usize) -> Result<(), Self> {
        Self::require(field, value, "> 0", value > 0)
    }

    /// A list of layer widths; wider ones than 4096 would need gigabytes and serve nobody.
    ///
    /// # Errors
    /// [`ParamsError`] if it is empty or has a width out of range.
    pub fn widths(field: &'static str, value: &[usize]) -> Result<(), Self> {
        let fine = !value.is_empty() && value.iter().all(|width| (1..=4096).contains(width));
        let need = "a list of widths from 1 to 4096";
        Self::require(field, format!("{value:?}"), need, fine)
    }

    /// A number above 0.
    ///
    /// # Errors
    /// [`ParamsError`] if it is 0, negative or not finite.
    pub fn positive(field: &'static str, value: f64) -> Result<(), Self> {
        Self::finite(field, value, "> 0", value > 0.0)
    }

    /// A number of 0 or more.
    ///
    /// # Errors
    /// [`ParamsError`] if it is negative or not finite.
    pub fn not_negative(field: &'static str, value: f64) -> Result<(), Self> {
        Self::finite(field, value, ">= 0", value >= 0.0)
    }

    /// A factor that makes larger.
    ///
    /// # Errors
    /// [`ParamsError`] if it is 1 or less, or not finite.
    pub fn growth(field: &'static str, value: f64) -> Result<(), Self> {
        Self::finite(field, value, "> 1", value > 1.0)
    }

    /// A share of a whole.
    ///
    /// # Errors
    /// [`ParamsError`] if it is not in 0..=1.
    pub fn share(field: &'static str, value: f64) -> Result<(), Self> {
        Self::require(field, value, "in 0..=1", (0.0..=1.0).contains(&value))
    }

    fn finite(field: &'static str, value: f64, need: &str, holds: bool) -> Result<(), Self> {
        let finite = value.is_finite();
        let need = if finite { need } else { "a finite number" };
        Self::require(field, value, need, finite && holds)
    }

    /// Settings that have no effect where they stand: each with whether it was changed from its
    /// default, and `need` saying why it must be left out.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first that was changed.
    pub fn unchanged(settings: &[(&'static str, bool)], need: &str) -> Result<(), Self> {
        let changed = settings.iter().find(|(_, changed)| *changed);
        changed.map_or(Ok(()), |(field, _)| {
            Self::require(field, "set", need, false)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_field_value_and_need() {
        let error = ParamsError::require("beta", -1.0, "> 0", false).unwrap_err();
        assert_eq!(error.to_string(), "beta is -1, but must be > 0");
    }

    #[test]
    fn ranges_end_where_they_say() {
        for nan in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(ParamsError::positive("x", nan).is_err());
            assert!(ParamsError::not_negative("x", nan).is_err());
            assert!(ParamsError::growth("x", nan).is_err());
            assert!(ParamsError::share("x", nan).is_err());
        }
        assert!(ParamsError::positive("x", 0.0).is_err());
        let infinite = ParamsError::positive("x", f64::INFINITY).unwrap_err();
        assert_eq!(
            infinite.to_string(),
            "x is inf, but must be a finite number"
        );
        assert!(ParamsError::not_negative("x", 0.0).is_ok());
        assert!(ParamsError::growth("x", 1.0).is_err() && ParamsError::growth("x", 1.1).is_ok());
        assert!(ParamsError::share("x", 1.0).is_ok());
        assert!(ParamsError::widths("x", &[]).is_err() && ParamsError::widths("x", &[0]).is_err());
        let error = ParamsError::unchanged(&[("a", false), ("b", true)], "left out").unwrap_err();
        assert_eq!(error.to_string(), "b is set, but must be left out");
    }
}
