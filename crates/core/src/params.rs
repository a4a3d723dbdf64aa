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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_field_value_and_need() {
        let error = ParamsError::require("beta", -1.0, "> 0", false).unwrap_err();
        assert_eq!(error.to_string(), "beta is -1, but must be > 0");
    }
}
