#!/usr/bin/env python3
"""Real MCP clients against the server: the official SDKs, the inspector and the conformance suite.

    tests/clients/run.py [--bin-dir target/debug] [--clients-dir target/clients] [--only NAME]

Installs what it needs first (install.sh). The fixture server has test tools; the real program is checked
with the inspector on every surface. Prints one line per check and ends with 1 if any failed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import auth_proxy  # noqa: E402

TOKEN = "a-token-for-client-tests"

CONFORMANCE = {
    "2025-11-25": [
        "server-initialize",
        "ping",
        "tools-list",
        "server-session-lifecycle",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
    ],
    "2026-07-28": [
        "server-stateless",
        "tools-list",
        "caching",
        "http-header-validation",
        "dns-rebinding-protection",
    ],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin-dir", type=pathlib.Path, default=ROOT / "target/debug")
    parser.add_argument("--clients-dir", type=pathlib.Path, default=ROOT / "target/clients")
    parser.add_argument("--only", help="run only checks whose name contains this")
    arguments = parser.parse_args()
    clients = arguments.clients_dir.resolve()
    subprocess.run([HERE / "install.sh", clients], check=True)

    program = arguments.bin_dir.resolve() / "codecompass"
    fixture = arguments.bin_dir.resolve() / "examples/fixture_server"
    python, node = clients / "venv/bin/python", clients / "node_modules/node/bin/node"
    inspector = [node, clients / "node_modules/@modelcontextprotocol/inspector" / bin_of(clients, "inspector"), "--cli"]
    conformance = [node, clients / "node_modules/@modelcontextprotocol/conformance" / bin_of(clients, "conformance")]

    failed = []
    home = tempfile.TemporaryDirectory()
    environment = os.environ | {
        "CODECOMPASS_HTTP_TOKEN": TOKEN,
        "CODECOMPASS_HOME": home.name,
        "HOME": home.name,
        "PATH": f"{node.parent}{os.pathsep}{os.environ['PATH']}",
    }

    def check(name, command, accept=lambda done: done.returncode == 0):
        if arguments.only and arguments.only not in name:
            return
        try:
            done = subprocess.run(
                [str(part) for part in command], capture_output=True, text=True, timeout=300, env=environment, cwd=home.name
            )
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess(command, 124, late.stdout or "", "took longer than 300 s")
        good = accept(done)
        print(f"{'ok    ' if good else 'FAILED'} {name}", flush=True)
        if not good:
            failed.append(name)
            print(done.stdout[-4000:], done.stderr[-2000:], sep="\n")

    serving = subprocess.Popen([fixture, "http", "0"], stderr=subprocess.PIPE, text=True, env=environment)
    try:
        port = int(re.search(r":(\d+)/mcp", serving.stderr.readline()).group(1))
        url = f"http://127.0.0.1:{port}/mcp"

        check("python sdk, stdio", [python, HERE / "python_client.py", "stdio", fixture])
        check("python sdk, http", [python, HERE / "python_client.py", "http", url, TOKEN])
        check("typescript sdk, stdio", [node, HERE / "typescript_client.mjs", clients, "stdio", fixture])
        check("typescript sdk, http", [node, HERE / "typescript_client.mjs", clients, "http", url, TOKEN])

        for surface in ("codecompass", "codemap", "lsp", "all"):
            serve = [program, "serve-mcp", "--workspace", home.name, "--surface", surface]
            check(f"inspector, stdio, {surface}", [*inspector, *serve, "--method", "tools/list", "--strict"])
        check("inspector, stdio, fixture", [*inspector, fixture, "stdio", "--method", "tools/list", "--strict"])
        for era in ("legacy", "modern"):
            check(
                f"inspector, http, {era}",
                [*inspector, "--server-url", url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"]
                + ["--protocol-era", era, "--method", "tools/list", "--strict"],
            )

        proxy = auth_proxy.start(port, TOKEN)
        through = f"http://127.0.0.1:{proxy.server_port}/mcp"
        for revision, scenarios in CONFORMANCE.items():
            for scenario in scenarios:
                check(
                    f"conformance, {revision}, {scenario}",
                    [*conformance, "server", "--url", through, "--spec-version", revision, "--scenario", scenario],
                )
    finally:
        serving.terminate()
        serving.wait()
    print(f"{len(failed)} failed" if failed else "all passed")
    return 1 if failed else 0


def bin_of(clients: pathlib.Path, package: str) -> str:
    """The script a package declares as its program."""
    import json

    declared = json.loads((clients / "node_modules/@modelcontextprotocol" / package / "package.json").read_text())["bin"]
    return declared if isinstance(declared, str) else next(iter(declared.values()))


sys.exit(main())
