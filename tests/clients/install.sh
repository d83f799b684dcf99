#!/bin/sh
# Installs the MCP clients that the server is tested with, into DIR (default: target/clients of this
# checkout). Runs on a fresh machine with python3 and npm; does nothing where all is installed already.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../target/clients}
mkdir -p "$dir"
cd "$dir"

want="mcp==2.3.0 node@22 conformance@0.2.0-alpha.12 inspector@2.12.0 sdk@1.32.2"
if [ "$(cat installed 2>/dev/null || true)" = "$want" ]; then
    exit 0
fi
rm -f installed
for needed in python3 npm; do
    command -v "$needed" >/dev/null || { echo "tests/clients: $needed is missing" >&2; exit 1; }
done

[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check 'mcp==2.3.0'

# Node 22 itself comes as a package: the suite and the inspector need it, and the system may have another.
[ -f package.json ] || echo '{ "private": true, "type": "module" }' > package.json
npm install --no-fund --no-audit --loglevel=error \
    node@22 \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 \
    @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/sdk@1.32.2
# Newer npm versions do not run install scripts unasked; this one only puts the binary in place.
[ -x node_modules/node/bin/node ] || (cd node_modules/node && node installArchSpecificPackage)
node_modules/node/bin/node --version | grep -q '^v22\.'

echo "$want" > installed
