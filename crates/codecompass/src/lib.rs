//! The binary: command line, MCP server, and what the user has decided (trust, tokens, clients).

pub mod cli;
pub mod client;
pub mod config;
pub mod host;
pub mod paths;
mod platform;
pub mod server;
mod servers_desk;
pub mod trust;
