//! Where samples come from: generators, networks, splits, files.
