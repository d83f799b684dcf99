//! See `entry_points/extraction.rs`.
#![no_main]

#[path = "../entry_points/extraction.rs"]
mod entry_point;

libfuzzer_sys::fuzz_target!(|data: &[u8]| entry_point::extraction(data));
