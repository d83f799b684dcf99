//! Reading of any bytes as a line of JSON-RPC.

use super::message;

/// Any line is a message or a refusal, and a refusal can be sent.
pub fn json_rpc(data: &[u8]) {
    if let Err(refused) = message::parse(data) {
        assert_eq!(refused.to_json()["jsonrpc"], "2.0");
    }
}
