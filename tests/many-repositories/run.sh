#!/bin/bash
# Publishes many repositories to one bucket and asks one server, which has seen none of them, about all.
#
#   tests/many-repositories/run.sh PROGRAM WORK REPOSITORIES...
#
# CODECOMPASS_REMOTE_URL (and AWS_... of its store) says where. WORK/published.tsv gets a line for each repository: its number, files,
# bytes written, requests, and seconds of CPU. Then the server is asked each question of WORK/questions (a tool and its arguments as JSON,
# with a tab between), or of a few that come with this script: once cold, then ROUNDS times (20). Prints the time of each, and the memory.
set -euo pipefail

program=$(realpath "$1") work=$2
shift 2
mkdir -p "$work/server/empty"
work=$(realpath "$work")
port=${PORT:-18090} token=a-token-for-many-repositories rounds=${ROUNDS:-20}

if [ "$#" -gt 0 ]; then
    : >"$work/published.tsv"
    number=0
    for repository in "$@"; do
        number=$((number + 1))
        CODECOMPASS_HOME="$work/publisher" /usr/bin/time -f '%U %S' -o "$work/time" "$program" publish --json --path "$repository" >"$work/row.json" 2>/dev/null ||
            { echo "$repository: not published" >&2; continue; }
        # What a publisher keeps of one repository is of no use to the next.
        rm -rf "$work/publisher"
        cpu=$(awk '{ print $1 + $2 }' "$work/time")
        jq -r --arg number $number --arg cpu "$cpu" '[$number, .files, .bytes_written, .requests, $cpu] | @tsv' "$work/row.json" >>"$work/published.tsv"
    done
fi
awk '{ files += $2; bytes += $3; n++ } END { printf "%d repositories, %d files, %.1f MB\n", n, files, bytes / 1e6 }' "$work/published.tsv"
for from in 1 91 991; do
    awk -v from=$from '$1 >= from && $1 < from + 10 { requests += $4; cpu += $5; files += $2; n++ }
        END { if (n) printf "publishing numbers %d to %d: %.1f requests, %.2f s of CPU, %d files each\n", from, from + 9, requests / n, cpu / n, files / n }' \
        "$work/published.tsv"
done

if [ ! -e "$work/questions" ]; then
    printf '%s\t%s\n' \
        locate_symbol '{"workspace": "*", "name": "parse_header"}' \
        locate_symbol '{"workspace": "*", "name": "Deserializer"}' \
        find '{"workspace": "*", "question": "Deserializer"}' \
        search_code '{"workspace": "*", "query": "retry a request after a timeout with backoff"}' \
        search_code '{"workspace": "*", "query": "escape characters of a regular expression"}' >"$work/questions"
fi

rm -rf "$work/server/home"
cd "$work/server/empty"
CODECOMPASS_HOME="$work/server/home" CODECOMPASS_HTTP_TOKEN=$token "$program" serve-mcp --transport http --port "$port" --repositories '*' \
    --surface all 2>"$work/server/log" &
server=$!
trap 'kill $server' EXIT
until curl -sf "http://127.0.0.1:$port/health" >/dev/null; do sleep 0.05; done

ask() {
    printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' \
        "$1" "$2" >"$work/body"
    curl -s -o "$work/answer" -w '%{time_total}\n' "http://127.0.0.1:$port/mcp" -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: $1" --data "@$work/body"
}
ticks() { awk '{ print $14 + $15 }' /proc/$server/stat; }
memory() { awk '/VmRSS|VmHWM/ { printf "%s %d MB  ", $1, $2 / 1024 } END { print "" }' /proc/$server/status; }

echo "cold, one after the other:"
while IFS=$'\t' read -r tool arguments; do
    before=$(ticks)
    seconds=$(ask "$tool" "$arguments")
    echo "  $seconds s, $((($(ticks) - before) * 10)) ms of CPU, $(wc -c <"$work/answer") bytes, $(grep -c '"isError":true' "$work/answer" || true) errors: $tool $arguments"
    cp "$work/answer" "$work/answer-$tool-$(echo "$arguments" | md5sum | cut -c1-6)"
done <"$work/questions"
memory
echo "warm, $rounds rounds, with ${PAUSE:-0} s between rounds:"
before=$(ticks)
for _ in $(seq "$rounds"); do
    while IFS=$'\t' read -r tool arguments; do ask "$tool" "$arguments"; done <"$work/questions"
    sleep "${PAUSE:-0}"
done | sort -n >"$work/times"
n=$(wc -l <"$work/times")
echo "  p50 $(sed -n "$(((n + 1) / 2))p" "$work/times") s, p95 $(sed -n "$((n * 95 / 100))p" "$work/times") s, max $(tail -1 "$work/times") s, $((($(ticks) - before) * 10 / n)) ms of CPU each"
memory
