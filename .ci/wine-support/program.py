"""Asks the Windows program under Wine what a user and a client would. Usage: program.py PROGRAM DIRECTORY."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

program, work = sys.argv[1:]
shop = os.path.join(work, "shop")
environment = dict(os.environ, CODECOMPASS_HOME="Z:" + os.path.join(work, "home").replace("/", "\\"))


def write(path, text):
    path = os.path.join(shop, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as file:
        file.write(text)


def ask(*arguments, status=0, cwd=shop):
    done = subprocess.run(
        ["wine", program, *arguments], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout.decode().replace("\r\n", "\n")


def has(text, *parts):
    for part in parts:
        assert part in text, f"no {part!r} in:\n{text}"


def passed(what):
    print(f"program: {what}", flush=True)


def git(*arguments):
    subprocess.run(["git", *arguments], cwd=shop, check=True, capture_output=True)


def make_repository():
    write("src/cart.py", "class Cart:\r\n    def total_price(self):\r\n        return 1\r\n\r\n    def empty(self):\r\n        return self.total_price()\r\n")
    write("src/app.py", "from src.cart import Cart\n\ndef main():\n    return Cart().total_price()\n")
    # Names that Win32 reserves, and a path that is longer than it allows.
    write("aux.py", "def auxiliary_device(): ...\n")
    write("/".join(["long_directory_name_" + "x" * 60] * 4) + "/deep.py", "def at_the_end_of_a_long_path(): ...\n")
    os.makedirs(os.path.join(work, "outside"))
    with open(os.path.join(work, "outside", "secret.py"), "w") as file:
        file.write("def secret_outside(): ...\n")
    # Wine shows links to directories as reparse points, and hides what links to files are.
    os.symlink(os.path.join(work, "outside"), os.path.join(shop, "link"))
    git("init", "-q", "-b", "main")
    git("config", "user.name", "Someone")
    git("config", "user.email", "someone@example.com")
    git("add", "-A")
    git("commit", "-q", "-m", "first")


def command_line():
    has(ask("--version"), "codecompass ")
    has(ask("index"), "")
    has(ask("search", "total price of a cart"), "src/cart.py:2:9")
    has(ask("callers", "total_price"), "src/app.py:4", "src/cart.py:6")
    has(ask("search", "auxiliary_device"), "aux.py:1")
    has(ask("search", "at_the_end_of_a_long_path"), "/deep.py:1")
    has(ask("grep", "total_price", "-l"), "cart.py", "app.py")
    has(ask("search", "total price of a cart", cwd=os.path.join(shop, "src")), "cart.py:2:9")
    passed("index, search, callers, grep; CRLF, reserved names, long paths")
    assert "secret_outside" not in ask("search", "secret_outside", status=1)
    passed("a linked directory is not followed")
    write("src/cart.py", "class Cart:\r\n    def grand_total(self):\r\n        return 1\r\n")
    has(ask("search", "grand_total"), "src/cart.py:2:9")
    has(ask("search", "total_price", "--ref", "HEAD"), "src/cart.py:2:9")
    os.rename(os.path.join(shop, "src/cart.py"), os.path.join(shop, "src/Cart.py"))
    has(ask("search", "grand_total"), "src/Cart.py:2:9")
    passed("edits, an older commit, a name in another case")


class Client:
    """A client on standard input and output."""

    def __init__(self):
        self.server = subprocess.Popen(
            ["wine", program, "serve-mcp", "--workspace", "Z:" + shop.replace("/", "\\")],
            cwd=shop, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.n_sent = 0
        answer = self.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
        assert answer["result"]["serverInfo"]["name"] == "codecompass", answer
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        for line in self.server.stdout:
            self.lines.put(line)

    def write(self, message):
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()

    def send(self, method, params):
        self.n_sent += 1
        self.write({"jsonrpc": "2.0", "id": self.n_sent, "method": method, "params": params})
        while True:
            line = self.lines.get(timeout=120)
            assert line.endswith(b"\n") and not line.endswith(b"\r\n"), line
            message = json.loads(line)
            if message.get("id") == self.n_sent:
                return message

    def call(self, tool, arguments):
        answer = self.send("tools/call", {"name": tool, "arguments": arguments})
        assert not answer["result"].get("isError"), answer
        return json.dumps(answer["result"])


def mcp():
    client = Client()
    tools = [tool["name"] for tool in client.send("tools/list", {})["result"]["tools"]]
    assert {"search_code", "get_call_graph"} <= set(tools), tools
    has(client.call("search_code", {"query": "grand_total"}), "src/Cart.py")
    for i in range(5):
        write("src/new.py", f"def made_{i}_ago(): ...\n")
        has(client.call("search_code", {"query": f"made_{i}_ago"}), "src/new.py")
    passed("MCP over stdio: initialize, tools/list, tools/call; five edits, each seen by the next call")
    client.server.stdin.close()
    assert client.server.wait(timeout=60) == 0
    passed("the server ends with its input")


def kill_and_restart():
    for i in range(400):
        write(f"many/file_{i}.py", f"class Many{i}:\n" + "".join(f"    def method_{j}(self): ...\n" for j in range(40)))
    index = subprocess.Popen(
        ["wine", program, "index"], cwd=shop, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )
    time.sleep(1.5)
    was_running = index.poll() is None
    # Wine runs the program in the process that was started.
    index.send_signal(signal.SIGKILL)
    index.wait()
    has(ask("search", "Many399"), "many/file_399.py:1")
    has(ask("index"), "")
    passed("killed while indexing and started again" if was_running else "indexed before it could be killed")
    client = Client()
    client.server.kill()
    client.server.wait()
    has(Client().call("search_code", {"query": "Many7"}), "many/file_7.py")
    passed("a killed server leaves nothing that holds up the next one")


make_repository()
command_line()
mcp()
kill_and_restart()
