//! See `entry_points/json_rpc.rs`.
#![no_main]

#[path = "../entry_points/json_rpc.rs"]
mod entry_point;
#[path = "../../crates/codecompass/src/server/message.rs"]
#[allow(dead_code, reason = "a part of it is fuzzed")]
mod message;

libfuzzer_sys::fuzz_target!(|data: &[u8]| entry_point::json_rpc(data));
