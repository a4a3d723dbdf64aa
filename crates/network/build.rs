//! Compiles the messages of the carrier.

fn main() {
    const PROTO: &str = "proto/carrier.proto";
    println!("cargo::rerun-if-changed={PROTO}");
    let files = protox::compile([PROTO], ["proto"]).expect("the carrier's messages compile");
    tonic_prost_build::configure()
        .compile_fds(files)
        .expect("the carrier's code can be written");
}
