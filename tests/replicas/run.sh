#!/bin/bash
# Three servers without checkouts behind nginx, on one bucket, while clients ask: after a third of the time one server is
# killed, after two thirds one is started with an empty cache. Prints errors, times and the CPU time that a question costs.
#
#   tests/replicas/run.sh PROGRAM WORK SECONDS CLIENTS QUESTIONS...
#
# CODECOMPASS_REMOTE_URL (and AWS_... of its store) says what is served. Each client asks one question a second; QUESTIONS are
# files with one call each: a line with the name of the tool, and a line with its arguments as JSON. nginx must be in PATH.
set -euo pipefail

program=$(realpath "$1") work=$2 seconds=$3 clients=$4
shift 4
token=a-token-for-the-replicas-test
port=${PORT:-18080}
mkdir -p "$work"
work=$(realpath "$work")
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT

# start NUMBER: a server on the port after nginx's, with a cache of its own; its process is appended to pids.
start() {
    mkdir -p "$work/server$1/empty"
    (
        cd "$work/server$1/empty"
        CODECOMPASS_HOME="$work/server$1/home" CODECOMPASS_HTTP_TOKEN=$token exec "$program" serve-mcp --transport http \
            --port $((port + $1)) --allowed-host "127.0.0.1:$port" --repositories '*' --surface all
    ) 2>"$work/server$1/log" &
    pids+=($!)
    until curl -sf "http://127.0.0.1:$((port + $1))/health" >/dev/null; do sleep 0.1; done
}

# Ticks of user and system time of the processes that are there.
ticks() {
    local sum=0 fields
    for pid in "$@"; do
        read -r -a fields </proc/"$pid"/stat || continue
        sum=$((sum + fields[13] + fields[14]))
    done
    echo $sum
}

sed -e "s/listen 8080/listen 127.0.0.1:$port/" \
    -e "s|server server:9100.*|server 127.0.0.1:$((port + 1)) max_fails=1 fail_timeout=5s; server 127.0.0.1:$((port + 2)) max_fails=1 fail_timeout=5s; server 127.0.0.1:$((port + 3)) max_fails=1 fail_timeout=5s;|" \
    -e "s|^http {|http { access_log off; client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi; uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;|" \
    "$(dirname "$0")/../../deploy/nginx.conf" >"$work/nginx.conf"
start 1
start 2
start 3
nginx -p "$work" -c "$work/nginx.conf" -g "pid $work/nginx.pid; error_log $work/nginx.log; daemon off;" 2>/dev/null &
pids+=($!)
sleep 1

# One configuration of curl for each client: all its questions on one connection, each answer into a file.
for client in $(seq "$clients"); do
    mkdir -p "$work/answers/$client"
    : >"$work/client$client"
    for question in $(seq "$seconds"); do
        questions=("$@")
        file=${questions[$(((client + question) % $#))]}
        tool=$(sed -n 1p "$file")
        {
            [ "$question" = 1 ] || echo next
            echo "url = http://127.0.0.1:$port/mcp"
            echo "header = \"Authorization: Bearer $token\""
            echo 'header = "Content-Type: application/json"'
            echo 'header = "Accept: application/json, text/event-stream"'
            echo 'header = "MCP-Protocol-Version: 2026-07-28"'
            echo 'header = "Mcp-Method: tools/call"'
            echo "header = \"Mcp-Name: $tool\""
            echo "data = @$work/body-$(basename "$file")"
            echo "output = $work/answers/$client/$question"
            echo 'write-out = "%{http_code} %{time_total}\n"'
            echo 'silent'
            echo 'max-time = 30'
        } >>"$work/client$client"
        printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' \
            "$tool" "$(sed -n 2p "$file")" >"$work/body-$(basename "$file")"
    done
done

# Each question once, by one client: what is cold is not measured.
[ -n "${COLD:-}" ] || for file in "$@"; do
    for server in 1 2 3; do
        curl -s -o /dev/null "http://127.0.0.1:$((port + server))/mcp" -H "Authorization: Bearer $token" \
            -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
            -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: $(sed -n 1p "$file")" \
            --data "@$work/body-$(basename "$file")"
    done
done

before=$(ticks "${pids[@]:0:3}")
asking=()
for client in $(seq "$clients"); do
    curl --rate 1/s -K "$work/client$client" >"$work/times$client" &
    asking+=($!)
    sleep "0$(echo "scale=4; 1 / $clients" | bc)"
done
if [ -n "${STEADY:-}" ]; then
    wait "${asking[@]}" || true
    after=$(ticks "${pids[@]:0:3}")
else
    sleep $((seconds / 3))
    killed=$(ticks "${pids[0]}")
    kill -9 "${pids[0]}"
    sleep $((seconds / 3))
    rm -rf "$work/server1"
    start 1
    wait "${asking[@]}" || true
    after=$((killed + $(ticks "${pids[1]}" "${pids[2]}" "${pids[-1]}")))
fi

cat "$work"/times* | sort -k2 -n >"$work/times"
total=$(wc -l <"$work/times")
echo "questions: $total"
echo "without status 200: $(grep -vc '^200 ' "$work/times" || true)"
echo "answers with an error: $(grep -rlE '"isError":true|"error":' "$work/answers" | wc -l)"
echo "p50: $(awk "NR == int($total * 0.50) { print \$2 }" "$work/times") s"
echo "p99: $(awk "NR == int($total * 0.99) { print \$2 }" "$work/times") s"
echo "max: $(tail -1 "$work/times" | cut -d' ' -f2) s"
echo "server CPU: $(echo "scale=2; ($after - $before) * 1000 / $(getconf CLK_TCK) / $total" | bc) ms per question"
