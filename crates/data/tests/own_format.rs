//! The example of a format of one's own does what it says.

#[expect(
    unreachable_pub,
    reason = "an example has a public `main` for this test"
)]
#[path = "../examples/own_format.rs"]
mod own_format;

#[test]
fn the_example_writes_and_reads_its_format() {
    own_format::main().expect("the example runs");
}
