//! The integration tests of the program, in one binary: linking thirty grammars once is enough.

mod agent;
mod cli;
mod clients;
mod fixture;
mod fuzz;
mod gateway;
mod http;
mod processes;
mod ranking;
mod reliability;
mod schemas;
mod stdio;
