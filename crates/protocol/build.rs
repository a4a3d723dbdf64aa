//! Turns the one schema of messages into Rust, without a `protoc` to install.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto/fedcdi.proto");
    let messages = protox::compile(["proto/fedcdi.proto"], ["proto"])?;
    prost_build::Config::new().compile_fds(messages)?;
    Ok(())
}
