//! The binary: command line, MCP server, and what the user has decided (trust, tokens, clients).

#![warn(clippy::print_stdout)]

pub mod cli;
pub mod client;
pub mod config;
pub mod host;
mod language_server_control;
pub mod paths;
mod platform;
mod remote_index;
pub mod server;
pub mod trust;
