//! Lists for people, cut where they get long.

use std::fmt::Display;

/// Items joined by commas, cut after `limit` with the number of the rest.
pub fn first_few<T: Display>(items: impl IntoIterator<Item = T>, limit: usize) -> String {
    let mut items = items.into_iter();
    let first = items.by_ref().take(limit).map(|item| item.to_string());
    let mut few: Vec<String> = first.collect();
    match items.count() {
        0 => {}
        rest => few.push(format!(".. {rest} more")),
    }
    few.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_with_their_rest() {
        assert_eq!(first_few(["a", "b"], 2), "a, b");
        assert_eq!(first_few(0..5, 2), "0, 1, .. 3 more");
    }
}
