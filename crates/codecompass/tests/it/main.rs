//! The integration tests of the program, in one binary: linking thirty grammars once is enough.

mod agent;
mod check;
mod cli;
mod clients;
mod fixture;
mod fuzz;
mod gateway;
mod http;
mod processes;
mod ranking;
mod reliability;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod replicas;
mod schemas;
mod stdio;
#[cfg(feature = "remote")]
mod toxic_proxy;
