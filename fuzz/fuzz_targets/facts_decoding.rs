//! See `entry_points/facts_decoding.rs`.
#![no_main]

#[path = "../entry_points/facts_decoding.rs"]
mod entry_point;

libfuzzer_sys::fuzz_target!(|data: &[u8]| entry_point::facts_decoding(data));
