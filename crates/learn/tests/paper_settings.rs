//! The settings that the documentation gives as the paper's are those of `EncoParams::paper()`.
#![allow(clippy::unwrap_used, reason = "test code")]

use fedcdi_learn::enco::EncoParams;

/// The block of settings in the paper map.
fn documented() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/paper-map.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, block) = text.split_once("```toml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block.to_owned()
}

#[test]
fn the_documented_settings_are_those_of_the_paper() {
    let settings: EncoParams = toml::from_str(&documented()).unwrap();
    assert_eq!(settings, EncoParams::paper());
}
