//! Compiles what keeps the memory of the parser in bounds, beside the parser.

#![expect(clippy::disallowed_methods, reason = "a build script is told where headers are so")]

fn main() {
    let mut build = cc::Build::new();
    // Named by the build script of the parser.
    if let Some(headers) = std::env::var_os("DEP_TREE_SITTER_INCLUDE") {
        build.include(headers);
    }
    build.std("c11").file("bounded/bounded.c").compile("bounded");
    println!("cargo::rerun-if-changed=bounded");
}
