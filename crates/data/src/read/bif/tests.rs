//! BIF files that are fine, and files that are not.

use super::*;

const RAIN: &str = "network \"wet grass\" { property author = someone; }
variable rain { type discrete [ 2 ] { yes, no }; property \"a; b\"; }
variable \"wet grass\" { type discrete[3] { \"a lot\" some none }; }
probability ( rain ) { table 0.25, 0.75; }
probability ( \"wet grass\" | rain ) {
  (yes) 0.5 0.5 0.0;
  (no) 0.1, 0.2, 0.7;
}";

fn parse(text: &str) -> Result<Network, String> {
    parse_bif(text.as_bytes(), Path::new("n.bif")).map_err(|e| e.to_string())
}

fn changed(from: &str, to: &str) -> String {
    assert!(RAIN.contains(from), "{from}");
    parse(&RAIN.replace(from, to)).unwrap_err()
}

fn law(network: &Network, var: usize) -> &Cpt {
    let Mechanism::Table(table) = &network.mechanisms()[var] else {
        panic!("variable {var} has no table");
    };
    table
}

#[test]
fn a_network_is_read() {
    let network = parse(RAIN).unwrap();
    assert_eq!(network.schema().names(), ["rain", "wet grass"]);
    assert!(network.dag().has_edge(VarId(0), VarId(1)));
    assert_eq!(law(&network, 0).row(0), [0.25, 0.75]);
    assert_eq!(law(&network, 1).row(1), [0.1, 0.2, 0.7]);
}

#[test]
fn a_whole_table_varies_the_variable_slowest() {
    let whole = RAIN
        .replace("(yes) 0.5 0.5 0.0;", "table 0.5 0.1 0.5 0.2 0.0 0.7;")
        .replace("(no) 0.1, 0.2, 0.7;", "");
    assert_eq!(parse(&whole).unwrap(), parse(RAIN).unwrap());
    let default = RAIN.replace("(yes) 0.5 0.5 0.0;", "default 0.5 0.5 0.0;");
    assert_eq!(parse(&default).unwrap(), parse(RAIN).unwrap());
}

#[test]
fn coarse_rounding_is_normalised_and_more_is_refused() {
    let thirds = RAIN.replace("0.1, 0.2, 0.7", "0.33333, 0.33333, 0.33333");
    let network = parse(&thirds).unwrap();
    assert!((law(&network, 1).row(1)[0] - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(
        changed("0.1, 0.2, 0.7", "0.1, 0.2, 0.6"),
        "n.bif, line 7: the probabilities of \"wet grass\" sum to 0.9, not to 1; correct the row"
    );
}

#[test]
fn bad_networks_are_refused_by_line() {
    for (from, to, expected) in [
        ("0.25, 0.75", "-1, 2", "line 4: -1 in the law of \"rain\""),
        ("| rain )", "| snow )", "line 5: unknown parent \"snow\""),
        ("( rain )", "( snow )", "line 4: unknown variable \"snow\""),
        (
            "(no)",
            "(maybe)",
            "line 7: \"rain\" has no category \"maybe\"",
        ),
        (
            "(no)",
            "(yes)",
            "line 7: \"wet grass\" has two rows for rain = yes",
        ),
        (
            "(no) 0.1, 0.2, 0.7;",
            "",
            "line 5: \"wet grass\" has no row for rain = no",
        ),
        (
            "0.1, 0.2, 0.7",
            "0.3, 0.7",
            "line 7: 2 probabilities for the 3",
        ),
        (
            "0.1, 0.2, 0.7",
            "0.1, x, 0.7",
            "line 7: \"x\" is not a number",
        ),
        (
            "[ 2 ]",
            "[ 3 ]",
            "line 2: variable \"rain\" announces 3 categories, but lists 2",
        ),
        (
            "yes, no",
            "yes, yes",
            "line 2: variable \"rain\" lists category \"yes\" twice",
        ),
        (
            "probability ( rain ) { table 0.25, 0.75; }",
            "",
            "line 2: \"rain\" has no prob",
        ),
        (
            "type discrete [ 2 ]",
            "type continuous",
            "line 2: variable \"rain\" is \"cont",
        ),
        (
            "variable rain",
            "variabel rain",
            "line 2: expected network, variable or",
        ),
        (
            "\"wet grass\" {",
            "rain {",
            "line 3: variable \"rain\" was declared at line 2",
        ),
    ] {
        let error = changed(from, to);
        assert!(error.starts_with(&format!("n.bif, {expected}")), "{error}");
    }
    assert!(parse("").unwrap_err().contains("declares no variables"));
}

#[test]
fn a_cut_off_file_is_called_that() {
    for length in [60, 100, 200, RAIN.len() - 1] {
        let error = parse(&RAIN[..length]).unwrap_err();
        assert!(error.contains("cut off"), "{error}");
    }
}

#[test]
fn a_cycle_is_named() {
    let cyclic = "variable a { type discrete [ 1 ] { x }; }
        variable b { type discrete [ 1 ] { x }; }
        probability ( a | b ) { (x) 1; }
        probability ( b | a ) { (x) 1; }";
    let error = parse(cyclic).unwrap_err();
    assert!(error.contains("cycle: a -> b -> a") || error.contains("cycle: b -> a -> b"));
}

#[test]
fn a_short_file_cannot_ask_for_a_huge_table() {
    let names: Vec<String> = (0..64).map(|v| format!("v{v}")).collect();
    let declared = names.iter();
    let declared = declared.map(|v| format!("variable {v} {{ type discrete [ 2 ] {{ a b }}; }}\n"));
    let declared = declared.collect::<Vec<_>>().concat();
    let parents = names[1..].join(" ");
    let text = format!("{declared}probability ( v0 | {parents} ) {{ default 1 0; }}");
    assert!(parse(&text).unwrap_err().contains("too large"));
}
