//! The integration tests of remote stores, in one binary.

mod common;
mod compatibility;
mod damage;
mod garbage;
mod publishing;
mod secrecy;
mod workspaces;
