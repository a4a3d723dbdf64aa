//! When the certificates of a kit end, and warnings before that.
//!
//! All certificates of a study end at the same moment, so either side may warn of it.

use std::path::PathBuf;
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::kit::Network;

/// Days before the end at which a warning is given.
const WARNINGS: [i64; 3] = [30, 7, 1];
/// Clocks may be set, and machines may sleep, so time is looked at this often.
const LOOK: Duration = Duration::from_hours(1);

/// What to do about certificates that end.
pub(crate) const REMEDY: &str = "make new kits from study.toml, with valid_days longer than the study may take, \
                                 and begin the study again with them";

/// The end as it is written into a kit.
pub(crate) fn written(ends: OffsetDateTime) -> String {
    ends.format(&Rfc3339)
        .expect("a date of this century can be written")
}

/// The end that a kit names; none if it is not a date.
pub(crate) fn read(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// Warns of the end of a kit's certificates 30, 7 and 1 days before, and at once if one of these has
/// passed; goes on until the certificates end.
pub async fn remind(kit: PathBuf, tell: impl Fn(&str)) {
    let ends = Network::of_kit(&kit)
        .ok()
        .and_then(|network| network.ends());
    let Some(ends) = ends else { return };
    let mut warned = None;
    loop {
        let now = OffsetDateTime::now_utc();
        if now >= ends {
            return;
        }
        let stage = stage(ends, now);
        if stage.is_some() && stage != warned {
            tell(&warning(ends, now));
        }
        warned = stage;
        tokio::time::sleep(LOOK).await;
    }
}

/// The last of the warnings that is due.
fn stage(ends: OffsetDateTime, now: OffsetDateTime) -> Option<i64> {
    let left = ends - now;
    let due = WARNINGS
        .into_iter()
        .filter(|days| left <= time::Duration::days(*days));
    due.min()
}

fn warning(ends: OffsetDateTime, now: OffsetDateTime) -> String {
    let days = (ends - now).whole_days();
    let left = match days {
        0 => "in less than a day".to_owned(),
        1 => "in a day".to_owned(),
        days => format!("in {days} days"),
    };
    format!(
        "the certificates of this study end {left}, on {}: the study must be over by then; if it cannot be, {REMEDY}",
        ends.date()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> OffsetDateTime {
        read(text).unwrap()
    }

    #[test]
    fn warnings_are_due_at_thirty_seven_and_one_days() {
        let ends = at("2027-06-30T12:00:00Z");
        for (now, expected) in [
            ("2027-05-01T12:00:00Z", None),
            ("2027-05-31T11:59:59Z", None),
            ("2027-05-31T12:00:00Z", Some(30)),
            ("2027-06-23T11:00:00Z", Some(30)),
            ("2027-06-23T12:00:00Z", Some(7)),
            ("2027-06-29T12:00:00Z", Some(1)),
            ("2027-06-30T11:00:00Z", Some(1)),
        ] {
            assert_eq!(stage(ends, at(now)), expected, "{now}");
        }
        assert_eq!(at(&written(ends)), ends);
    }

    #[test]
    fn a_warning_says_when_and_what_to_do() {
        let ends = at("2027-06-30T12:00:00Z");
        let text = warning(ends, at("2027-06-23T12:00:00Z"));
        assert!(text.contains("end in 7 days, on 2027-06-30:"), "{text}");
        assert!(text.contains("valid_days"), "{text}");
        assert!(warning(ends, at("2027-06-30T11:00:00Z")).contains("less than a day"));
    }
}
