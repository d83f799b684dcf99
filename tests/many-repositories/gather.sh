#!/bin/bash
# Makes many small git repositories out of packages of three registries: wheels of well-known Python packages, the crates that
# cargo has fetched already, and the npm packages below a few large ones.
#
#   tests/many-repositories/gather.sh DIRECTORY [AT_MOST]
#
# DIRECTORY/repositories/KIND/NAME is a repository with one commit, whose origin is https://packages.example/KIND/NAME.
set -euo pipefail

mkdir -p "$1/repositories" "$1/npm" "$1/wheels"
work=$(realpath "$1") at_most=${2:-1000}
export GIT_AUTHOR_NAME=packages GIT_AUTHOR_EMAIL=packages@example.org GIT_AUTHOR_DATE='2026-01-01T00:00:00Z'
export GIT_COMMITTER_NAME=packages GIT_COMMITTER_EMAIL=packages@example.org GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

# add KIND NAME FILES: a copy of the files under git, unless there are enough or it has more than 20 MB.
n=$(find "$work/repositories" -mindepth 2 -maxdepth 3 -name .git | wc -l)
add() {
    local to=$work/repositories/$1/$2
    [ "$n" -lt "$at_most" ] && [ ! -e "$to" ] && [ "$(du -sm "$3" | cut -f1)" -le 20 ] || return 0
    mkdir -p "$to"
    cp -r "$3/." "$to/"
    rm -rf "$to/node_modules" "$to/.git"
    git -C "$to" init -q -b main
    git -C "$to" add -Af .
    git -C "$to" -c commit.gpgsign=false commit -q -m "$1 $2"
    git -C "$to" remote add origin "https://packages.example/$1/$2"
    n=$((n + 1))
}

cd "$work/wheels"
for name in six attrs click flask jinja2 werkzeug itsdangerous requests urllib3 idna certifi pytest pluggy iniconfig packaging black mypy-extensions \
    pathspec platformdirs tomli httpx httpcore h11 anyio sniffio starlette fastapi pydantic uvicorn typer rich pygments sqlalchemy alembic mako celery \
    kombu vine billiard redis boto3 botocore s3transfer jmespath docutils sphinx babel imagesize snowballstemmer alabaster tqdm networkx sympy mpmath \
    joblib threadpoolctl tornado twisted automat hyperlink incremental constantly zope-interface paramiko invoke fabric poetry-core virtualenv distlib \
    filelock tox nox hypothesis sortedcontainers faker factory-boy coverage flake8 pycodestyle pyflakes mccabe isort pylint astroid dill bandit; do
    ls "${name//-/_}"-*.whl >/dev/null 2>&1 || pip3 download -q --no-deps --only-binary :all: "$name" 2>/dev/null || continue
done
for wheel in *.whl; do
    name=${wheel%%-*}
    mkdir -p "unpacked/$name"
    unzip -qo "$wheel" -d "unpacked/$name"
    add pypi "$name" "unpacked/$name"
done

for crate in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/*/; do
    add crates "$(basename "$crate")" "$crate"
done

cd "$work/npm"
[ -d node_modules ] || npm install --silent --ignore-scripts --no-audit --no-fund \
    webpack webpack-dev-server eslint jest express mocha rollup gulp @babel/core @babel/preset-env typescript-eslint svgo puppeteer-core
find node_modules -name package.json -path '*node_modules/*' -not -path '*/test/*' | sed 's|/package.json$||' |
    grep -E 'node_modules/(@[^/]+/)?[^/@]+$' | sort >packages
while read -r package; do
    name=${package##*node_modules/}
    add npm "${name//\//+}" "$package"
done <packages
echo "$n repositories"
