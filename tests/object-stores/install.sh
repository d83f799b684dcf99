#!/bin/sh
# Installs the S3 servers that the tests of remote stores talk to, with pinned versions, from the module proxy that go is
# set up for. Nothing outside the given directory is touched.
#
#   tests/object-stores/install.sh [directory]     (default: target/object-stores)
#
# versitygw honours conditional writes; gofakes3 is of another make. Running it again costs nothing.
set -eu

repository=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
directory=${1:-"$repository/target/object-stores"}
mkdir -p "$directory/bin"
directory=$(CDPATH='' cd -- "$directory" && pwd)

versitygw=v1.8.0
gofakes3=v1.2.0

# Usage: from_go NAME PACKAGE VERSION
from_go() {
    [ "$(cat "$directory/$1.version" 2>/dev/null)" != "$3" ] || return 0
    GOBIN="$directory/bin" go install "$2@$3"
    echo "$3" >"$directory/$1.version"
}

from_go versitygw github.com/versity/versitygw/cmd/versitygw "$versitygw"
from_go gofakes3 github.com/johannesboyne/gofakes3/cmd/gofakes3 "$gofakes3"
