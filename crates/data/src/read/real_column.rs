//! One column of real numbers while it is being read: fields become finite numbers.

use super::column_reader::{Refused, Taken};
use super::options::Missing;

/// Collects the numbers of one column.
pub(super) struct RealColumn {
    pub(super) name: String,
    missing: Missing,
    pub(super) values: Vec<f64>,
}

impl RealColumn {
    pub(super) fn new(name: &str, missing: Missing) -> Self {
        Self {
            name: name.to_owned(),
            missing,
            values: Vec::new(),
        }
    }

    /// Appends a field; `None` is a null. Spaces around a number do not count.
    #[inline]
    pub(super) fn push(&mut self, field: Option<&[u8]>) -> Result<Taken, Refused> {
        let field = field.filter(|field| !Missing::is_token(field));
        let Some(field) = field else {
            return self.missing_value();
        };
        let text = std::str::from_utf8(field.trim_ascii()).map_err(|_| Refused::NotUtf8)?;
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.values.push(value);
                Ok(Taken::Value)
            }
            Ok(_) => Err(Refused::NotFinite),
            Err(_) => Err(Refused::NotANumber),
        }
    }

    fn missing_value(&mut self) -> Result<Taken, Refused> {
        match self.missing {
            Missing::Refuse => Err(Refused::MissingNumber),
            Missing::Category => Err(Refused::NoCategoryForMissing),
            Missing::DropRow => {
                self.values.push(0.0);
                Ok(Taken::DropRow)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(missing: Missing, field: &str) -> Result<Taken, Refused> {
        RealColumn::new("v", missing).push(Some(field.as_bytes()))
    }

    #[test]
    fn only_finite_numbers_are_taken() {
        for field in ["1", "-0.5", " 2e-3 ", "+4."] {
            assert_eq!(push(Missing::Refuse, field), Ok(Taken::Value), "{field}");
        }
        assert_eq!(push(Missing::Refuse, "inf"), Err(Refused::NotFinite));
        assert_eq!(push(Missing::Refuse, "1e999"), Err(Refused::NotFinite));
        assert_eq!(push(Missing::Refuse, "1,5"), Err(Refused::NotANumber));
    }

    #[test]
    fn missing_numbers_are_refused_or_dropped() {
        for field in ["", "NaN", "NA"] {
            let refused = push(Missing::Refuse, field);
            assert_eq!(refused, Err(Refused::MissingNumber), "{field}");
            assert_eq!(push(Missing::DropRow, field), Ok(Taken::DropRow));
            let refused = push(Missing::Category, field);
            assert_eq!(refused, Err(Refused::NoCategoryForMissing));
        }
    }
}
