//! Settings of IGSP and UT-IGSP.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::Params;
use fedcdi_learn::independence::TestParams;
use serde::{Deserialize, Serialize};

/// What is known about the targets of interventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// IGSP: every regime intervenes on one variable, the one that the data names.
    Known,
    /// UT-IGSP: the targets that the data names are right, but there may be more.
    Partial,
    /// UT-IGSP: the targets that the data names only tell regimes apart.
    Unknown,
}

/// Settings of IGSP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IgspParams {
    /// How dependence is tested.
    pub test: TestParams,
    /// Independence is rejected at p-values below this; between 0 and 1.
    pub alpha: f64,
    /// Invariance is rejected at p-values below this; between 0 and 1.
    pub alpha_invariance: f64,
    /// Starts, of which the best result is taken; > 0.
    pub starts: usize,
    /// Edges that are turned one after another in search of a better graph; > 0.
    pub depth: usize,
}

impl Default for IgspParams {
    fn default() -> Self {
        Self {
            test: TestParams::Logistic,
            alpha: 1e-3,
            alpha_invariance: 1e-3,
            starts: 5,
            depth: 4,
        }
    }
}

impl Params for IgspParams {
    const NAME: &str = "igsp";
    const SUMMARY: &str =
        "IGSP (Wang et al. 2017): tests, interventions on one known variable each";

    fn check(&self) -> Result<(), ParamsError> {
        self.test.check()?;
        for (field, value) in [
            ("alpha", self.alpha),
            ("alpha_invariance", self.alpha_invariance),
        ] {
            let fine = 0.0 < value && value < 1.0;
            ParamsError::require(field, value, "between 0 and 1", fine)?;
        }
        ParamsError::some("starts", self.starts)?;
        ParamsError::some("depth", self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |text: &str| {
            let params: IgspParams = toml::from_str(text).unwrap();
            params.check().err().map(|e| e.field)
        };
        assert_eq!(refused(""), None);
        assert_eq!(refused("test = { hsic = 500 }"), None);
        assert_eq!(refused("test = { hsic = 5 }"), Some("test.hsic"));
        assert_eq!(refused("alpha = 0.0"), Some("alpha"));
        assert_eq!(refused("alpha_invariance = 1.0"), Some("alpha_invariance"));
        assert_eq!(refused("starts = 0"), Some("starts"));
        assert_eq!(refused("depth = 0"), Some("depth"));
        assert!(toml::from_str::<IgspParams>("alhpa = 0.1").is_err());
    }
}
