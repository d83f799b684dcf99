//! See `entry_points/configuration.rs`.
#![no_main]

#[path = "../entry_points/configuration.rs"]
mod entry_point;
// These files alone: all of `codecompass` takes half an hour to build for the fuzzer.
#[path = "../../crates/codecompass/src/client/mod.rs"]
#[allow(dead_code, reason = "a part of it is fuzzed")]
mod client;
#[path = "../../crates/codecompass/src/paths.rs"]
#[allow(dead_code, reason = "a part of it is fuzzed")]
mod paths;
mod platform {
    /// Only texts are edited here: no file is written.
    pub fn replace_file(_: &std::path::Path, _: &[u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| entry_point::configuration(data));
