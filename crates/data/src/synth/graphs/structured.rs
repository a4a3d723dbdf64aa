//! The five structured families, as edge sets over variables in causal order.

/// `i -> i + 1`.
pub(super) fn chain(n: usize) -> Vec<(usize, usize)> {
    (1..n).map(|j| (j - 1, j)).collect()
}

/// `i -> i + 1` and `i -> i + 2`.
pub(super) fn bidiag(n: usize) -> Vec<(usize, usize)> {
    let skips = (2..n).map(|j| (j - 2, j));
    chain(n).into_iter().chain(skips).collect()
}

/// Every other variable causes the last.
pub(super) fn collider(n: usize) -> Vec<(usize, usize)> {
    (0..n.saturating_sub(1)).map(|i| (i, n - 1)).collect()
}

/// Every variable causes all later ones.
pub(super) fn full(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).collect()
}

/// A binary tree whose variables also cause their grandchildren.
pub(super) fn jungle(n: usize) -> Vec<(usize, usize)> {
    let effects = |i: usize| {
        [2 * i + 1, 2 * i + 2]
            .into_iter()
            .chain(4 * i + 3..4 * i + 7)
    };
    (0..n)
        .flat_map(|i| effects(i).filter(move |j| *j < n).map(move |j| (i, j)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_counts_follow_from_the_definitions() {
        // n: chain n-1, bidiag 2n-3, collider n-1, full n(n-1)/2, jungle (n-1)+(n-3).
        for (n, counts) in [
            (10, [9, 17, 9, 45, 16]),
            (20, [19, 37, 19, 190, 36]),
            (25, [24, 47, 24, 300, 46]),
        ] {
            let found = [chain(n), bidiag(n), collider(n), full(n), jungle(n)].map(|e| e.len());
            assert_eq!(found, counts, "{n} variables");
        }
    }

    #[test]
    fn jungle_joins_children_and_grandchildren() {
        let edges = jungle(8);
        for edge in [
            (0, 1),
            (0, 2),
            (0, 3),
            (0, 6),
            (1, 3),
            (1, 4),
            (1, 7),
            (3, 7),
        ] {
            assert!(edges.contains(&edge), "{edge:?}");
        }
        assert!(!edges.contains(&(0, 7)));
    }
}
