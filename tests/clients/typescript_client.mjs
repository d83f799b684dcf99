// The official TypeScript SDK against the fixture server: typescript_client.mjs DIR stdio PROGRAM | http URL TOKEN.
// DIR is where install.sh put the SDK. The client validates structured content against output schemas itself.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [dir, kind, target, token] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${dir}/package.json`));
const sdk = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${path}`)));
const { Client } = await sdk("index.js");

let transport;
if (kind === "stdio") {
  const { StdioClientTransport } = await sdk("stdio.js");
  transport = new StdioClientTransport({ command: target, args: ["stdio"] });
} else {
  const { StreamableHTTPClientTransport } = await sdk("streamableHttp.js");
  const headers = { Authorization: `Bearer ${token}` };
  transport = new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } });
}
const client = new Client({ name: "test", version: "0" });
await client.connect(transport);
assert.equal(client.getServerVersion().name, "codecompass");
assert.ok(client.getInstructions().length > 0);
await client.ping();

const { tools } = await client.listTools();
assert.deepEqual(tools.slice(0, 3).map((tool) => tool.name), ["echo", "test_count", "test_lsp_locate"]);

const answer = await client.callTool({ name: "echo", arguments: { text: "grüße" } });
assert.deepEqual(answer.structuredContent, { text: "grüße" });
assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent);

const wrong = await client.callTool({ name: "test_lsp_locate", arguments: { uri: "http://x" } });
assert.ok(wrong.isError && wrong.content[0].text.startsWith("MCP_LSP_GATEWAY/URI_INVALID"));
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /Unknown tool/);

// This client forgets its listener as soon as it has read the answer, so what came in the same chunk as the answer is
// not reported: any beginning will do here. That the last one is sent before the answer is tested in crates/codecompass/tests/it/stdio.rs.
const seen = [];
const count = { name: "test_count", arguments: { to: 5, pause_ms: 120 } };
const counted = await client.callTool(count, undefined, { onprogress: ({ progress }) => seen.push(progress) });
assert.deepEqual(counted.structuredContent, { counted: 5, complete: true });
assert.ok(seen.length > 0);
assert.deepEqual(seen, [1, 2, 3, 4, 5].slice(0, seen.length));

const stop = new AbortController();
const endless = { name: "test_count", arguments: { to: 10000, pause_ms: 10 } };
const aborted = client.callTool(endless, undefined, { signal: stop.signal });
setTimeout(() => stop.abort("enough"), 100);
await assert.rejects(aborted);
await client.ping();

const many = await Promise.all([...Array(200).keys()].map((n) => client.callTool({ name: "echo", arguments: { text: `${n}` } })));
assert.deepEqual(many.map((answer) => answer.structuredContent.text), [...Array(200).keys()].map(String));
await client.close();
console.log(`typescript ${kind}: ok`);
