//! Square matrices on the wire: a list of rows.

use ndarray::Array2;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes `[cause, effect]` as one list of effects per cause.
pub(crate) fn serialize<S: Serializer>(matrix: &Array2<f64>, to: S) -> Result<S::Ok, S::Error> {
    let rows: Vec<Vec<f64>> = matrix.outer_iter().map(|row| row.to_vec()).collect();
    rows.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Array2<f64>, D::Error> {
    let rows = Vec::<Vec<f64>>::deserialize(from)?;
    let shape = (rows.len(), rows.first().map_or(0, Vec::len));
    if let Some(at) = rows.iter().position(|row| row.len() != shape.1) {
        let (found, expected) = (rows[at].len(), shape.1);
        let text = format!("row {at} has {found} numbers, the first has {expected}");
        return Err(D::Error::custom(text));
    }
    Array2::from_shape_vec(shape, rows.concat()).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[derive(Serialize, Deserialize)]
    struct Wrapped(#[serde(with = "super")] Array2<f64>);

    #[test]
    fn rows_come_back_as_they_went() {
        let matrix = array![[0.0, 0.1], [1.0 / 3.0, 0.0]];
        let text = serde_json::to_string(&Wrapped(matrix.clone())).unwrap();
        assert_eq!(text, "[[0.0,0.1],[0.3333333333333333,0.0]]");
        let back: Wrapped = serde_json::from_str(&text).unwrap();
        assert_eq!(back.0, matrix);
    }

    #[test]
    fn ragged_rows_are_refused() {
        let error = serde_json::from_str::<Wrapped>("[[0.0, 1.0], [0.0]]").err();
        let text = error.unwrap().to_string();
        assert!(text.contains("row 1 has 1 numbers"), "{text}");
    }
}
