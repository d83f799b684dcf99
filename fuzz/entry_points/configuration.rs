//! Editing of any text as the configuration file of an MCP client.

use super::client::{Client, Launch};

/// A configuration file takes the entry and gives it back, or is refused.
pub fn configuration(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let launch = Launch {
        command: "codecompass".to_owned(),
        arguments: vec!["serve-mcp".to_owned()],
    };
    for client in [Client::Cursor, Client::Codex] {
        let Ok(with) = client.with_entry(text, &launch) else {
            continue;
        };
        let again = client
            .with_entry(&with, &launch)
            .expect("it was just written");
        assert_eq!(again, with, "adding the entry twice changes nothing");
        client.without_entry(&with).expect("it was just written");
    }
}
