//! Times, sizes and digests as people read them.

use std::time::Duration;

use maud::{Markup, html};

/// `12 s`, `3 min 20 s`, `2 h 05 min`, `3 d 04 h`. The page's script writes them in the same way.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {:02} s", seconds % 60),
        3600..86400 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{} d {:02} h", hours / 24, hours % 24),
    }
}

/// Time that has passed since; it goes on in the browser.
pub(super) fn since(then: Duration, now: Duration) -> Markup {
    let passed = now.saturating_sub(then);
    html! { span.tick data-s=(passed.as_secs()) { (duration(passed)) } }
}

/// Time that is left; it goes on in the browser.
pub(super) fn left(until: Duration, now: Duration) -> Markup {
    let left = until.saturating_sub(now);
    html! { span.tick data-s=(left.as_secs()) data-down { (duration(left)) } }
}

/// `812 bytes`, `12.4 kB`, `3.1 MB`.
pub(super) fn size(n_bytes: u64) -> String {
    match n_bytes {
        1 => "1 byte".to_owned(),
        0..1000 => format!("{n_bytes} bytes"),
        1000..1_000_000 => format!("{:.1} kB", n_bytes as f64 / 1e3),
        _ => format!("{:.1} MB", n_bytes as f64 / 1e6),
    }
}

/// A card whose value may change by itself.
pub(super) fn card(name: &str, value: Markup, explanation: &str) -> Markup {
    html! {
        div.card {
            dt { (name) }
            dd.value.word { (value) }
            dd { (explanation) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_short() {
        let of = |seconds| duration(Duration::from_secs(seconds));
        let expected = [
            "59 s",
            "1 min 00 s",
            "59 min 59 s",
            "1 h 00 min",
            "1 d 01 h",
        ];
        assert_eq!([59, 60, 3599, 3600, 90_000].map(of), expected);
        let expected = ["1 byte", "999 bytes", "1.0 kB", "2.5 MB"];
        assert_eq!([1, 999, 1000, 2_500_000].map(size), expected);
    }
}
