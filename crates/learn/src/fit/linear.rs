//! Linear algebra of a few variables: covariances given other variables.

use ndarray::{Array1, Array2};

/// A pivot below this share of its variance is rounding: the variable is a linear function of those
/// before it and explains nothing more.
const DEPENDENT: f64 = 1e-12;

/// Covariance of the variables `of` given the variables `given`, `[of, of]`, from a covariance
/// matrix `[variable, variable]`.
///
/// Complexity: O(g (g + o)^2) for g given and o other variables.
pub(crate) fn conditional_covariance(
    covariance: &Array2<f64>,
    of: &[usize],
    given: &[usize],
) -> Array2<f64> {
    let all: Vec<usize> = given.iter().chain(of).copied().collect();
    let n = all.len();
    let mut rest = Array2::from_shape_fn((n, n), |(i, j)| covariance[(all[i], all[j])]);
    for k in 0..given.len() {
        let pivot = rest[(k, k)];
        if pivot <= DEPENDENT * covariance[(all[k], all[k])] {
            continue;
        }
        for i in k + 1..n {
            let factor = rest[(i, k)] / pivot;
            for j in k + 1..=i {
                rest[(i, j)] -= factor * rest[(j, k)];
            }
        }
    }
    let g = given.len();
    Array2::from_shape_fn((of.len(), of.len()), |(i, j)| {
        rest[(g + i.max(j), g + i.min(j))]
    })
}

/// Inverse of a symmetric positive definite matrix; `None` if it is singular up to rounding.
///
/// Complexity: O(n^3).
pub(crate) fn inverse(matrix: &Array2<f64>) -> Option<Array2<f64>> {
    let n = matrix.nrows();
    let mut left = matrix.clone();
    let mut right = Array2::eye(n);
    for k in 0..n {
        let pivot = left[(k, k)];
        if pivot <= DEPENDENT * matrix[(k, k)] || pivot.is_nan() {
            return None;
        }
        for j in 0..n {
            left[(k, j)] /= pivot;
            right[(k, j)] /= pivot;
        }
        for i in (0..n).filter(|i| *i != k) {
            let factor = left[(i, k)];
            for j in 0..n {
                left[(i, j)] -= factor * left[(k, j)];
                right[(i, j)] -= factor * right[(k, j)];
            }
        }
    }
    Some(right)
}

/// `x` of `matrix x = right` for a symmetric positive definite matrix, by Cholesky. Directions in
/// which the matrix is singular up to rounding stay at 0.
///
/// Complexity: O(n^3).
pub fn solve(mut matrix: Array2<f64>, mut right: Array1<f64>) -> Array1<f64> {
    let n = right.len();
    let scale: Vec<f64> = matrix.diag().to_vec();
    for k in 0..n {
        for i in 0..k {
            let (factor, at) = (matrix[(k, i)], right[i]);
            right[k] -= factor * at;
            for j in k..n {
                matrix[(j, k)] -= factor * matrix[(j, i)];
            }
        }
        let pivot = matrix[(k, k)];
        let root = if pivot > DEPENDENT * scale[k] {
            pivot.sqrt()
        } else {
            f64::INFINITY
        };
        for j in k + 1..n {
            matrix[(j, k)] /= root;
        }
        matrix[(k, k)] = root;
        right[k] /= root;
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            let at = right[j];
            right[k] -= matrix[(j, k)] * at;
        }
        right[k] /= matrix[(k, k)];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn given_variables_are_projected_out() {
        // S = [[2, 1, 1], [1, 2, 0], [1, 0, 3]], given the first: 2 - 1/2, 0 - 1/2, 3 - 1/2.
        let covariance = array![[2.0, 1.0, 1.0], [1.0, 2.0, 0.0], [1.0, 0.0, 3.0]];
        let found = conditional_covariance(&covariance, &[1, 2], &[0]);
        assert_eq!(found, array![[1.5, -0.5], [-0.5, 2.5]]);
        // Given both others the variance is 1 / (S^-1)_00 = det S / (2 * 3) = 7 / 6.
        let found = conditional_covariance(&covariance, &[0], &[1, 2])[(0, 0)];
        assert!((found - 7.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn an_inverse_by_hand() {
        // [[4, 2], [2, 3]] has determinant 8.
        let found = inverse(&array![[4.0, 2.0], [2.0, 3.0]]).unwrap();
        let expected = array![[0.375, -0.25], [-0.25, 0.5]];
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() < 1e-15)
        );
        assert_eq!(inverse(&array![[1.0, 1.0], [1.0, 1.0]]), None);
    }

    #[test]
    fn a_system_by_hand() {
        // 4 x + 2 y = 8, 2 x + 3 y = 8.
        let found = solve(array![[4.0, 2.0], [2.0, 3.0]], array![8.0, 8.0]);
        assert!((found[0] - 1.0).abs() < 1e-15 && (found[1] - 2.0).abs() < 1e-15);
        let found = solve(array![[1.0, 1.0], [1.0, 1.0]], array![3.0, 3.0]);
        assert_eq!(found, array![3.0, 0.0]);
    }

    #[test]
    fn a_copy_explains_nothing_more() {
        let covariance = array![[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]];
        let one = conditional_covariance(&covariance, &[2], &[0]);
        assert_eq!(one, conditional_covariance(&covariance, &[2], &[0, 1]));
    }
}
