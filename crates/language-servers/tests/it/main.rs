//! The integration tests of the language-server client, in one binary.

mod hostile_servers;
mod orphans;
mod real_servers;
#[cfg(unix)]
mod testing;
