//! What a run prints: tables for people, one object for programs.

mod json;
mod text;

pub(crate) use json::{Report, SiteRow, site_rows};
pub(crate) use text::text;
