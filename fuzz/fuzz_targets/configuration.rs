//! See `configuration` in `entry_points.rs`.
#![no_main]

#[path = "../entry_points.rs"]
#[allow(dead_code, reason = "every target calls one of them")]
mod entry_points;

libfuzzer_sys::fuzz_target!(|data: &[u8]| entry_points::configuration(data));
