"""The official Python client against the Windows program under Wine. Usage: official_client.py PROGRAM DIRECTORY,
where DIRECTORY is what program.py has left."""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters

program, work = sys.argv[1:]


def windows(path):
    return "Z:" + os.path.join(work, path).replace("/", "\\")


async def main():
    server = StdioServerParameters(
        command="wine",
        args=[program, "serve-mcp", "--workspace", windows("shop")],
        env=dict(os.environ, CODECOMPASS_HOME=windows("home")),
    )
    for mode in ("auto", "legacy", "2026-07-28"):
        async with Client(server, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert "search_code" in tools, tools
            asked = [client.call_tool("search_code", {"query": "grand_total"}) for _ in range(20)]
            for answer in await asyncio.gather(*asked):
                assert not answer.is_error and "src/Cart.py" in answer.content[0].text, answer
        print(f"program: the official Python client, {mode}", flush=True)


asyncio.run(main())
