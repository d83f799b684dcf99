//! Answers one request in the revision it was asked in. Knows no transport.
//!
//! There is no tool logic here and no state: what a session negotiated arrives with the request.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{
        CacheScope, CallToolRequestParams, ClientRequest, DiscoverResult, ErrorCode,
        Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
        ResultType, ServerCapabilities, ServerResult, Tool, ToolAnnotations, ToolsCapability,
    },
};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::{AGENT, Code, Entry, LSP, Progress, ToolError, contract::Wire};

use super::{
    Server,
    message::{self, REVISIONS, cut, is_stateless, method_not_found, negotiate},
    workers::QueuedCall,
};

/// How to use the tools, for the model that reads it once.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The same for a server of the agent's tools alone. Clients that decide by the first few hundred
/// characters whether a server matters read enough in them.
pub const AGENT_INSTRUCTIONS: &str = include_str!("instructions-agent.md");

/// Lists and descriptions are constants of the release.
const LIST_TTL_MS: u64 = 3_600_000;

/// Under which rules a request is answered.
pub struct Asked {
    pub revision: ProtocolVersion,
    /// When the client no longer wants the answer.
    pub cancelled: CancellationToken,
    /// Where progress goes, if the client asked for it. Closed before the answer is given, so that
    /// nothing about a request follows its answer.
    pub progress: Option<(
        ProgressToken,
        mpsc::UnboundedSender<ProgressNotificationParam>,
    )>,
}

/// The SDK has one type per list, alike but for the name.
macro_rules! empty_list {
    ($list:ident) => {
        $list {
            result_type: Some(ResultType::COMPLETE),
            ttl_ms: Some(LIST_TTL_MS),
            cache_scope: Some(CacheScope::Public),
            meta: Some(identity_meta()),
            ..$list::with_all_items(Vec::new())
        }
    };
}

impl Server {
    pub async fn answer(
        &self,
        request: ClientRequest,
        asked: Asked,
    ) -> Result<ServerResult, ErrorData> {
        let stateless = is_stateless(&asked.revision);
        match request {
            ClientRequest::InitializeRequest(request) if !stateless => self
                .initialize(&request.params)
                .map(ServerResult::InitializeResult),
            ClientRequest::PingRequest(_) if !stateless => Ok(ServerResult::empty(())),
            ClientRequest::DiscoverRequest(_) => Ok(ServerResult::DiscoverResult(self.discover())),
            ClientRequest::ListToolsRequest(request) => self
                .list_tools(request.params, stateless)
                .map(ServerResult::ListToolsResult),
            // Nothing but tools is offered. Yet the conformance suite of the stateless revision
            // wants to see caching hints on these lists too, so there they are declared, and empty.
            ClientRequest::ListPromptsRequest(_) if stateless => Ok(
                ServerResult::ListPromptsResult(empty_list!(ListPromptsResult)),
            ),
            ClientRequest::ListResourcesRequest(_) if stateless => Ok(
                ServerResult::ListResourcesResult(empty_list!(ListResourcesResult)),
            ),
            ClientRequest::ListResourceTemplatesRequest(_) if stateless => Ok(
                ServerResult::ListResourceTemplatesResult(empty_list!(ListResourceTemplatesResult)),
            ),
            ClientRequest::GetPromptRequest(request) if stateless => {
                let data = json!({ "name": cut(&request.params.name, 200) });
                Err(ErrorData::invalid_params(
                    "Unknown prompt: there are none",
                    Some(data),
                ))
            }
            ClientRequest::ReadResourceRequest(request) if stateless => {
                let data = json!({ "uri": cut(&request.params.uri, 200) });
                Err(ErrorData::invalid_params(
                    "Resource not found: there are none",
                    Some(data),
                ))
            }
            ClientRequest::CallToolRequest(request) => self
                .call_tool(request.params, asked)
                .await
                .map(message::written_result),
            other => Err(method_not_found(other.method())),
        }
    }

    /// The revision that a handshake agrees on.
    pub fn agree(&self, handshake: &InitializeRequestParams) -> Result<ProtocolVersion, ErrorData> {
        let (got, newest) = (
            &handshake.protocol_version,
            ProtocolVersion::LATEST_WITH_INITIALIZE,
        );
        // The gateway's document knows one revision and no negotiation.
        if self.is_strict() && self.only_contract == Some(LSP) && *got != newest {
            let data = json!({ "expected": newest, "got": cut(got.as_str(), 100) });
            return Err(ErrorData::invalid_params(
                "Unsupported protocol version",
                Some(data),
            ));
        }
        Ok(negotiate(got))
    }

    fn initialize(&self, params: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        Ok(InitializeResult::new(capabilities())
            .with_protocol_version(self.agree(params)?)
            .with_server_info(identity())
            .with_instructions(self.instructions()))
    }

    fn instructions(&self) -> &'static str {
        match self.only_contract == Some(AGENT) {
            true => AGENT_INSTRUCTIONS.trim(),
            false => INSTRUCTIONS.trim(),
        }
    }

    fn discover(&self) -> DiscoverResult {
        // Only revisions without a handshake can be spoken after a discovery, but a client may
        // choose either way.
        let mut offered = capabilities();
        offered.prompts = Some(Default::default());
        offered.resources = Some(Default::default());
        let mut result =
            DiscoverResult::new(REVISIONS.to_vec(), offered).with_server_info(identity());
        result.instructions = Some(self.instructions().to_owned());
        result.ttl_ms = LIST_TTL_MS;
        result.cache_scope = CacheScope::Public;
        result
    }

    fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        stateless: bool,
    ) -> Result<ListToolsResult, ErrorData> {
        if params.is_some_and(|params| params.cursor.is_some()) {
            let data = (self.only_contract == Some(LSP))
                .then(|| json!({ "code": "MCP_LSP_GATEWAY/CURSOR_INVALID" }));
            return Err(ErrorData::invalid_params(
                "Invalid params: the list has one page and no cursor",
                data,
            ));
        }
        let tools = self.listing.get_or_init(|| {
            self.registry
                .entries()
                .iter()
                .filter(|entry| entry.is_listed(self.is_strict()))
                .map(|entry| listed(entry, self.is_strict()))
                .collect()
        });
        let mut result = ListToolsResult::with_all_items(tools.clone());
        result.result_type = stateless.then_some(ResultType::COMPLETE);
        result.ttl_ms = stateless.then_some(LIST_TTL_MS);
        result.cache_scope = stateless.then_some(CacheScope::Public);
        result.meta = stateless.then(identity_meta);
        Ok(result)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        asked: Asked,
    ) -> Result<String, ErrorData> {
        let Some(index) = self.registry.position(&params.name) else {
            return Err(self.unknown_tool(&params.name));
        };
        let entry = &self.registry.entries()[index];
        let (contract, strict) = (entry.contract, self.is_strict());
        if !entry.is_listed(strict) {
            return Err(self.unknown_tool(&params.name));
        }
        let progress = match asked.progress {
            Some((token, sender)) => Progress::to(move |update| {
                let mut param = ProgressNotificationParam::new(token.clone(), update.done);
                param.total = update.total;
                param.message = update.message;
                // The client is gone: progress is no longer wanted.
                let _ = sender.send(param);
            }),
            None => Progress::silent(),
        };
        let job = QueuedCall {
            registry: self.registry.clone(),
            index,
            arguments: Value::Object(params.arguments.unwrap_or_default()),
            host: self.host.clone(),
            facts: self.shared.facts.clone(),
            strict,
            progress,
        };
        let started = std::time::Instant::now();
        let answer = tokio::select! {
            answer = self.shared.workers.run(job, &asked.cancelled) => answer,
            () = self.shared.shutdown.cancelled() => Err(ToolError::cancelled()),
        };
        let millis = started.elapsed().as_millis() as u64;
        match &answer {
            Ok(_) => tracing::debug!(tool = entry.tool.name(), millis, "answered"),
            Err(error) => log_failure(entry, error, millis),
        }
        let stateless = is_stateless(&asked.revision);
        let refuse = |error: &ToolError| failure(contract.fail(error, strict), stateless);
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return refuse(&error),
        };
        let text = contract.text(&answer, strict);
        let result = CallResult::new(text, answer.json.as_deref(), stateless).write()?;
        let limit = self.host.limits(contract).response_bytes;
        if result.len() + ENVELOPE_BYTES > limit {
            let error = ToolError::response_too_large(result.len(), limit);
            log_failure(entry, &error, millis);
            return refuse(&error);
        }
        Ok(result)
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let name = cut(name, 200);
        let hint = self
            .registry
            .nearest(name)
            .map_or(String::new(), |nearest| {
                format!("; did you mean `{nearest}`?")
            });
        let mut data = json!({ "tool": name });
        if self.only_contract == Some(LSP) {
            data["code"] = json!(LSP.code(Code::InvalidInput));
        }
        ErrorData::invalid_params(format!("Unknown tool: `{name}`{hint}"), Some(data))
    }
}

/// Room for `{"jsonrpc":"2.0","id":...,"result":...}` with an id of any bearable length.
const ENVELOPE_BYTES: usize = 256;

fn log_failure(entry: &Entry, error: &ToolError, millis: u64) {
    let tool = entry.tool.name();
    match (&error.cause, error.code) {
        (Some(cause), _) => tracing::error!(tool, millis, cause, "a call failed"),
        // The message may quote the client's own words; the code says enough.
        (None, code) => tracing::debug!(tool, millis, ?code, "a call was refused"),
    }
}

fn failure(wire: Wire, stateless: bool) -> Result<String, ErrorData> {
    match wire {
        Wire::Failure { text } => {
            let mut result = CallResult::new(Some(&text), None, stateless);
            result.is_error = true;
            result.write()
        }
        Wire::ProtocolError {
            code,
            message,
            data,
        } => Err(ErrorData::new(ErrorCode(code), message, Some(data))),
    }
}

/// The SDK's `CallToolResult` with room for JSON that is already written. An error has no
/// structured content.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<ResultType>,
    content: Vec<TextContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<MetaObject>,
}

#[derive(Serialize)]
struct TextContent<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> CallResult<'a> {
    /// A success.
    fn new(text: Option<&'a str>, json: Option<&'a RawValue>, stateless: bool) -> CallResult<'a> {
        let block = |text| TextContent {
            r#type: "text",
            text,
        };
        CallResult {
            result_type: stateless.then_some(ResultType::COMPLETE),
            content: text.map(block).into_iter().collect(),
            structured_content: json,
            is_error: false,
            meta: stateless.then(identity_meta),
        }
    }

    fn write(&self) -> Result<String, ErrorData> {
        serde_json::to_string(self).map_err(|error| {
            tracing::error!(%error, "an answer cannot be written");
            ErrorData::internal_error("Internal error", None)
        })
    }
}

fn listed(entry: &Entry, strict: bool) -> Tool {
    let annotations = entry.tool.annotations();
    let mut tool = Tool::new(
        entry.listed_name(strict).to_owned(),
        entry.description.clone(),
        Arc::new(entry.listed_input_schema(strict)),
    );
    tool.output_schema = entry.listed_output_schema(strict).map(Arc::new);
    // A reading tool destroys nothing: the other hints mean something only where it writes.
    let writes = !annotations.read_only;
    tool.annotations = Some(ToolAnnotations::from_raw(
        None,
        Some(annotations.read_only),
        writes.then_some(annotations.destructive),
        writes.then_some(annotations.idempotent),
        Some(annotations.open_world),
    ));
    tool
}

fn capabilities() -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    let mut tools = ToolsCapability::default();
    tools.list_changed = Some(false);
    capabilities.tools = Some(tools);
    capabilities
}

fn identity() -> Implementation {
    Implementation::new("codecompass", env!("CARGO_PKG_VERSION"))
}

fn identity_meta() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(
        "io.modelcontextprotocol/serverInfo".to_owned(),
        json!(identity()),
    );
    meta
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_short() {
        for text in [INSTRUCTIONS, AGENT_INSTRUCTIONS] {
            assert!(text.split_whitespace().count() < 150);
        }
    }

    #[test]
    fn the_first_characters_of_the_instructions_suffice_to_decide() {
        let first: String = AGENT_INSTRUCTIONS.chars().take(400).collect();
        for entry in tools::Registry::of(&[AGENT]).entries() {
            assert!(
                first.contains(&format!("`{}`", entry.portable_name)),
                "{first}"
            );
        }
        let end = AGENT_INSTRUCTIONS.find("\n\n").unwrap();
        assert!(end <= 400, "the first paragraph has {end} characters");
    }
}
