"""The official Python SDK against the fixture server: python_client.py stdio PROGRAM | http URL TOKEN."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def main(kind: str, target: str, *rest: str) -> None:
    for mode in ("auto", "legacy", "2026-07-28"):
        if kind == "stdio":
            server = StdioServerParameters(command=target, args=["stdio", *rest])
        else:
            http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {rest[0]}"}, timeout=30)
            server = streamable_http_client(target, http_client=http)
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
            names = [tool.name for tool in tools]
            assert names[:3] == ["echo", "test_count", "test_lsp_locate"], names
            assert all(tool.output_schema for tool in tools)

            answer = await client.call_tool("echo", {"text": "grüße"})
            assert answer.structured_content == {"text": "grüße"}, answer
            assert json.loads(answer.content[0].text) == answer.structured_content

            wrong = await client.call_tool("echo", {"txt": "x"})
            assert wrong.is_error and "did you mean `text`" in wrong.content[0].text, wrong

            seen = []

            async def progress(done, total, message):
                seen.append(done)

            counted = await client.call_tool("test.count", {"to": 3, "pause_ms": 120}, progress_callback=progress)
            assert counted.structured_content == {"counted": 3, "complete": True}, counted
            assert seen == [1, 2, 3], seen

            many = await asyncio.gather(*(client.call_tool("echo", {"text": str(n)}) for n in range(200)))
            assert [answer.structured_content["text"] for answer in many] == [str(n) for n in range(200)]
        print(f"python {kind} {mode}: ok")


asyncio.run(main(*sys.argv[1:]))
