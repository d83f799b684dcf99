//! One JSON-RPC message: what it is, or precisely what is wrong with it. Both transports read
//! through here.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientRequest, CustomResult,
    DiscoverRequest, DiscoverRequestParams, ErrorCode, ErrorData, GetPromptRequest,
    GetPromptRequestParams, InitializeRequest, InitializeRequestParams, ListToolsRequest,
    NumberOrString, PaginatedRequestParams, PingRequest, ProgressToken, ProtocolVersion,
    ReadResourceRequest, ReadResourceRequestParams, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Map, Value, json};

/// One request, as bytes: the gateway's cap, kept on every transport.
pub const MAX_REQUEST_BYTES: usize = 1024 * 1024;

/// The revisions spoken here, oldest first.
pub const REVISIONS: &[ProtocolVersion] = ProtocolVersion::KNOWN_VERSIONS;

#[derive(Debug)]
pub enum Message {
    Request(Box<RpcRequest>),
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// An answer to a request that was never sent: this server sends none.
    Response,
}

#[derive(Debug)]
pub struct RpcRequest {
    pub id: RequestId,
    pub method: String,
    pub params: Map<String, Value>,
    pub meta: RequestMeta,
}

/// What `_meta` of a request says to the protocol.
#[derive(Clone, Debug, Default)]
pub struct RequestMeta {
    pub version: Option<ProtocolVersion>,
    pub capabilities: Option<ClientCapabilities>,
    pub progress_token: Option<ProgressToken>,
}

/// A message that cannot be acted on, and the answer to it.
#[derive(Debug)]
pub struct Refused {
    /// Of the request, where it could be read.
    pub id: Option<RequestId>,
    pub error: Box<ErrorData>,
}

impl Refused {
    fn new(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> Refused {
        Refused {
            id,
            error: Box::new(ErrorData::new(code, message.into(), None)),
        }
    }

    /// A message above the size limit.
    pub fn too_long(id: Option<RequestId>) -> Refused {
        let what = format!("Invalid Request: a message has at most {MAX_REQUEST_BYTES} bytes");
        Refused::new(id, ErrorCode::INVALID_REQUEST, what)
    }

    /// As JSON-RPC wants it: `id` is null where none could be read.
    pub fn to_json(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error })
    }
}

pub fn parse(bytes: &[u8]) -> Result<Message, Refused> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        // Position only: the text is the client's, and may be anything.
        let place = format!(
            "Parse error at line {} column {}",
            error.line(),
            error.column()
        );
        Refused::new(IdScanner::id_in(bytes), ErrorCode::PARSE_ERROR, place)
    })?;
    let invalid =
        |id: Option<RequestId>, what: &str| Err(Refused::new(id, ErrorCode::INVALID_REQUEST, what));
    let mut message = match value {
        Value::Object(message) => message,
        Value::Array(_) => return invalid(None, "Invalid Request: batches are not supported"),
        _ => return invalid(None, "Invalid Request: a message is an object"),
    };
    let id = match message.get("id") {
        None => None,
        Some(id) => match request_id(id) {
            Some(id) => Some(id),
            None => return invalid(None, "Invalid Request: `id` must be a string or an integer"),
        },
    };
    if message.get("jsonrpc") != Some(&json!("2.0")) {
        return invalid(id, "Invalid Request: `jsonrpc` must be \"2.0\"");
    }
    let is_answer = message.contains_key("result") || message.contains_key("error");
    let method = match message.remove("method") {
        None if is_answer => return Ok(Message::Response),
        None => return invalid(id, "Invalid Request: `method` is missing"),
        Some(Value::String(method)) if !method.is_empty() && !is_answer => method,
        Some(_) if is_answer => {
            return invalid(id, "Invalid Request: both a request and a response");
        }
        Some(_) => {
            return invalid(
                id,
                "Invalid Request: `method` must be a string that is not empty",
            );
        }
    };
    let params = match message.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) if id.is_none() => Map::new(),
        Some(_) => {
            return Err(Refused::new(
                id,
                ErrorCode::INVALID_PARAMS,
                "Invalid params: `params` must be an object",
            ));
        }
    };
    match id {
        Some(id) => Ok(Message::Request(Box::new(RpcRequest {
            id,
            method,
            meta: RequestMeta::of(&params),
            params,
        }))),
        None => Ok(Message::Notification { method, params }),
    }
}

fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(id) if !id.is_empty() => Some(NumberOrString::String(id.as_str().into())),
        Value::Number(id) => id.as_i64().map(NumberOrString::Number),
        _ => None,
    }
}

/// Reads the `id` of a message that is not parsed: it is too long, cut off, or no JSON in another
/// place. The client waits for an answer under that id. Takes the message piece by piece and keeps
/// next to nothing of it.
#[derive(Default)]
pub struct IdScanner {
    /// How many objects and lists are open.
    depth: usize,
    /// The message is no object, or its object is closed.
    is_done: bool,
    in_string: bool,
    is_escaped: bool,
    /// The key or value of the outermost object that is being read, cut off at [`Self::LONGEST`].
    token: Vec<u8>,
    is_value_of_id: bool,
    id: Option<RequestId>,
}

impl IdScanner {
    /// Bytes of an id as it is written; longer ones are not read.
    const LONGEST: usize = 1024;

    pub fn id_in(message: &[u8]) -> Option<RequestId> {
        let mut scanner = IdScanner::default();
        scanner.feed(message);
        scanner.id()
    }

    /// The id, if one was read completely.
    pub fn id(self) -> Option<RequestId> {
        self.id
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_done {
                return;
            }
            self.take(*byte);
        }
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.is_done = self.depth == 0 && byte == b'[';
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                    self.is_done = true;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_value_of_id = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_value(),
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                // Neither a byte order mark nor anything else comes before the object.
                self.is_done = self.depth == 0;
                self.in_string = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= Self::LONGEST {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        if std::mem::take(&mut self.is_value_of_id) {
            let value = serde_json::from_slice(&self.token).ok();
            self.id = value.as_ref().and_then(request_id);
        }
        self.token.clear();
    }
}

impl RequestMeta {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

    fn of(params: &Map<String, Value>) -> RequestMeta {
        let Some(Value::Object(meta)) = params.get("_meta") else {
            return RequestMeta::default();
        };
        fn read<T: serde::de::DeserializeOwned>(meta: &Map<String, Value>, key: &str) -> Option<T> {
            meta.get(key)
                .and_then(|value| serde_json::from_value(value.clone()).ok())
        }
        RequestMeta {
            version: read(meta, Self::VERSION),
            capabilities: read(meta, Self::CAPABILITIES),
            progress_token: read(meta, "progressToken"),
        }
    }

    /// Whether the request states its own revision, as those without a handshake do.
    pub fn is_modern(&self) -> bool {
        self.version.is_some()
    }

    /// Whether the revision that it states has neither handshake nor session.
    pub fn is_stateless(&self) -> bool {
        self.version.as_ref().is_some_and(is_stateless)
    }

    /// The revision the request states, if it states all that one needs and we speak it.
    pub fn revision(&self) -> Result<ProtocolVersion, ErrorData> {
        let missing: Vec<_> = [
            (self.version.is_none(), Self::VERSION),
            (self.capabilities.is_none(), Self::CAPABILITIES),
        ]
        .into_iter()
        .filter_map(|(missing, key)| missing.then_some(key))
        .collect();
        let Some(version) = self.version.as_ref().filter(|_| missing.is_empty()) else {
            let what = format!("Invalid params: `_meta` lacks {}", missing.join(" and "));
            return Err(ErrorData::invalid_params(what, None));
        };
        if !REVISIONS.contains(version) {
            return Err(ErrorData::unsupported_protocol_version(
                version.clone(),
                REVISIONS,
            ));
        }
        Ok(version.clone())
    }
}

/// Whether a revision has neither handshake nor session.
pub fn is_stateless(revision: &ProtocolVersion) -> bool {
    !revision.has_initialize()
}

/// The revision that an `initialize` agrees on: the one asked for, or else the newest with a
/// handshake.
pub fn negotiate(asked: &ProtocolVersion) -> ProtocolVersion {
    if REVISIONS.contains(asked) && asked.has_initialize() {
        asked.clone()
    } else {
        ProtocolVersion::LATEST_WITH_INITIALIZE
    }
}

/// The typed request, if the method is one that the revision has and its parameters are right.
pub fn typed(
    method: &str,
    params: Map<String, Value>,
    stateless: bool,
) -> Result<ClientRequest, ErrorData> {
    Ok(match method {
        "initialize" | "ping" if stateless => return Err(method_not_found(method)),
        "initialize" => {
            InitializeRequest::new(read_params::<InitializeRequestParams>(params)?).into()
        }
        "server/discover" => DiscoverRequest::new(DiscoverRequestParams {}).into(),
        "ping" => ClientRequest::PingRequest(PingRequest::default()),
        "tools/list" => {
            // A null cursor is no cursor.
            let params = params
                .into_iter()
                .filter(|(key, value)| key != "cursor" || !value.is_null())
                .collect();
            ListToolsRequest::with_param(read_params::<PaginatedRequestParams>(params)?).into()
        }
        "tools/call" => {
            let params = params
                .into_iter()
                .filter(|(key, value)| key != "arguments" || !value.is_null())
                .collect();
            CallToolRequest::new(read_params::<CallToolRequestParams>(params)?).into()
        }
        // Empty lists, and nothing to get from them: see `protocol.rs`.
        "prompts/list" if stateless => ClientRequest::ListPromptsRequest(Default::default()),
        "resources/list" if stateless => ClientRequest::ListResourcesRequest(Default::default()),
        "resources/templates/list" if stateless => {
            ClientRequest::ListResourceTemplatesRequest(Default::default())
        }
        "prompts/get" if stateless => {
            ClientRequest::GetPromptRequest(GetPromptRequest::new(read_params::<
                GetPromptRequestParams,
            >(params)?))
        }
        "resources/read" if stateless => {
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(read_params::<
                ReadResourceRequestParams,
            >(params)?))
        }
        unknown => return Err(method_not_found(unknown)),
    })
}

fn read_params<T: serde::de::DeserializeOwned>(
    mut params: Map<String, Value>,
) -> Result<T, ErrorData> {
    // Read already, and not to be held against the parameters.
    params.remove("_meta");
    serde_json::from_value(Value::Object(params)).map_err(|error| {
        ErrorData::invalid_params(
            format!("Invalid params: {}", cut(&error.to_string(), 200)),
            None,
        )
    })
}

/// A result that is already JSON. The SDK has room for a value only: the text goes in as a string,
/// which no result of the protocol is, and [`write`] takes it out.
pub fn written_result(json: String) -> ServerResult {
    ServerResult::CustomResult(CustomResult(Value::String(json)))
}

/// A message as one line.
pub fn write(message: &ServerJsonRpcMessage) -> serde_json::Result<String> {
    match message {
        ServerJsonRpcMessage::Response(response) => match &response.result {
            ServerResult::CustomResult(CustomResult(Value::String(result))) => {
                let id = serde_json::to_string(&response.id)?;
                Ok([
                    r#"{"jsonrpc":"2.0","id":"#,
                    &id,
                    r#","result":"#,
                    result,
                    "}",
                ]
                .concat())
            }
            _ => serde_json::to_string(message),
        },
        _ => serde_json::to_string(message),
    }
}

pub fn method_not_found(method: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {}", cut(method, 100)),
        None,
    )
}

pub fn cut(text: &str, chars: usize) -> &str {
    text.char_indices()
        .nth(chars)
        .map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn what_is_wrong_with_a_message_is_said_with_the_right_code() {
        check("{", expect!["-32700 null Parse error at line 1 column 1"]);
        check("", expect!["-32700 null Parse error at line 1 column 0"]);
        check(
            "[]",
            expect!["-32600 null Invalid Request: batches are not supported"],
        );
        check(
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            expect!["-32600 null Invalid Request: batches are not supported"],
        );
        check(
            "5",
            expect!["-32600 null Invalid Request: a message is an object"],
        );
        check(
            r#"{"id":1,"method":"ping"}"#,
            expect![[r#"-32600 1 Invalid Request: `jsonrpc` must be "2.0""#]],
        );
        check(
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            expect!["-32600 null Invalid Request: `id` must be a string or an integer"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            expect!["-32600 null Invalid Request: `id` must be a string or an integer"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            expect!["-32600 null Invalid Request: `id` must be a string or an integer"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":"a"}"#,
            expect![[r#"-32600 "a" Invalid Request: `method` is missing"#]],
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            expect!["-32600 1 Invalid Request: `method` must be a string that is not empty"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#,
            expect!["-32600 1 Invalid Request: both a request and a response"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            expect!["-32602 1 Invalid params: `params` must be an object"],
        );
    }

    #[test]
    fn what_is_right_with_a_message() {
        assert!(parse(br#"{"jsonrpc":"2.0","id":"","method":"ping"}"#).is_err());
        assert!(matches!(
            parse(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            Ok(Message::Response)
        ));
        assert!(matches!(
            parse(br#"{"jsonrpc":"2.0","method":"a","params":[]}"#),
            Ok(Message::Notification { .. })
        ));
        let Ok(Message::Request(request)) = parse(
            br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":"p"}}}"#,
        ) else {
            panic!()
        };
        assert!(request.meta.progress_token.is_some() && !request.meta.is_modern());
    }

    #[test]
    fn nesting_is_no_way_to_bring_the_server_down() {
        let deep = "[".repeat(500_000);
        assert_eq!(
            parse(deep.as_bytes()).unwrap_err().error.code,
            ErrorCode::PARSE_ERROR
        );
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{}{}}}"#,
            r#"{"a":"#.repeat(100_000),
            "}".repeat(100_000)
        );
        assert_eq!(
            parse(deep.as_bytes()).unwrap_err().error.code,
            ErrorCode::PARSE_ERROR
        );
    }

    #[test]
    fn a_message_that_cannot_be_parsed_is_refused_under_its_own_id() {
        let id = |text: &str| {
            let refused = parse(text.as_bytes()).unwrap_err();
            assert_eq!(refused.error.code, ErrorCode::PARSE_ERROR, "{text}");
            refused.to_json()["id"].clone()
        };
        let call = r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":1,"q":"\ud83d"}}"#;
        assert_eq!(id(call), 7);
        let last = r#"{"params":{"a":[1,{"id":2}],"b":"\"}\\"},"id" : "x-1" ,"method":"\ud83d"}"#;
        assert_eq!(id(last), "x-1");
        assert_eq!(id(r#"{"id":1,"method":"ping"} {"id":2}"#), 1);
        // Not read to its end, inside something else, or no id at all.
        for text in [
            r#"{"id":12"#,
            r#"[{"id":1},"#,
            r#"{"params":{"id":1},"q":"\ud83d"}"#,
            r#"{"id":{"id":1},"q":"\ud83d"}"#,
            r#""id":1,"#,
        ] {
            assert_eq!(id(text), Value::Null, "{text}");
        }
    }

    #[test]
    fn an_id_is_found_in_pieces_and_behind_a_megabyte() {
        let long = format!(r#"{{"params":"{}","id":42}}"#, "\\\"{".repeat(1 << 19));
        for size in [1, 7, 4096] {
            let mut scanner = IdScanner::default();
            long.as_bytes()
                .chunks(size)
                .for_each(|piece| scanner.feed(piece));
            assert_eq!(scanner.id(), Some(NumberOrString::Number(42)), "{size}");
        }
        let too_long = format!(r#"{{"id":"{}","#, "x".repeat(IdScanner::LONGEST));
        assert_eq!(IdScanner::id_in(too_long.as_bytes()), None);
    }

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let refused = parse(text.as_bytes()).unwrap_err();
        let id = refused.to_json()["id"].clone();
        expected.assert_eq(&format!(
            "{} {id} {}",
            refused.error.code.0, refused.error.message
        ));
    }
}
