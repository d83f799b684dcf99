"""For tests under Wine: runs git for git.exe (git.c). Prints the port, and serves until it is ended.

Usage: git.py PREFIX, where PREFIX is Wine's directory.
"""

import os
import re
import socketserver
import subprocess
import sys

prefix = os.path.realpath(sys.argv[1])


def here(text):
    """Paths of Windows in a text, as paths of this system."""

    def path(match):
        root = "" if match[1] in "zZ" else f"{prefix}/drive_{match[1].lower()}"
        return f"{root}/" + match[2].replace("\\", "/")

    return re.sub(r"(?<![A-Za-z])([A-Za-z]):[\\/]([^\"']*)", path, text.replace("\\\\?\\", ""))


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        directory, arguments, environment, given = "/", [], dict(os.environ), b""
        while (header := self.rfile.readline()) not in (b".\n", b""):
            kind, length = header.split()
            data = self.rfile.read(int(length))
            if kind == b"i":
                given += data
                continue
            text = data.decode()
            if kind == b"d":
                directory = here(text)
            elif kind == b"a":
                arguments.append(here(text))
            else:
                name, _, value = text.partition("=")
                environment[name] = here(value)
        done = subprocess.run(["git", *arguments], cwd=directory, env=environment, input=given, capture_output=True)
        self.wfile.write(b"%d %d %d\n" % (done.returncode & 0xFF, len(done.stdout), len(done.stderr)))
        self.wfile.write(done.stdout + done.stderr)


socketserver.ThreadingTCPServer.daemon_threads = True
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
