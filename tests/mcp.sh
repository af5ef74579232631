# SPDX-License-Identifier: Apache-2.0
# `writ mcp` as clients use it: the conformance suite of MCP, its TypeScript SDK, and real agents whose model is a script.
. "$(dirname -- "$0")/words"
writ=$here/writ
if ! command -v npm > /dev/null || ! command -v python3 > /dev/null; then
    echo 'skip npm or python3 is not installed: clients of MCP'
    exit 0
fi
# What was installed once is kept as long as the same is wanted.
node=$here/.writ-build/mcp-check
if ! cmp -s "$here/tests/mcp/package-lock.json" "$node/package-lock.json" || [ ! -e "$node/done" ]; then
    rm -rf "$node"
    mkdir -p "$node"
    cp "$here/tests/mcp/package.json" "$here/tests/mcp/package-lock.json" "$node"
    if (cd "$node" && npm ci --no-audit --no-fund --ignore-scripts > /dev/null 2>&1); then
        : > "$node/done"
    fi
fi
# The suite wants a newer one than some machines have.
for new in "$node"/node_modules/node-linux-*/bin/node; do
    break
done
if [ ! -e "$node/done" ] || [ ! -x "$new" ]; then
    echo 'skip the clients of MCP could not be installed by npm'
    exit 0
fi
"$writ" version > /dev/null
mkdir -p "$work/home" "$work/project"
HOME=$work/home
export HOME
cd "$work/project" || exit 1
printf 'version: 1\nextends: [workspace]\nask: [exec:id]\n' > writ.yaml
running=
trap 'for p in $running; do kill "$p"; done 2> /dev/null; rm -rf "$work"' EXIT

await() { # await FILE
    for _ in $(seq 300); do
        [ ! -s "$1" ] || return 0
        sleep 0.1
    done
}
# conforms NAME PORT TOKEN EXPECTED
conforms() {
    python3 "$here/tests/mcp/relay.py" "$work/relay-$1" "$2" "$3" &
    running="$running $!"
    await "$work/relay-$1"
    (cd "$work" && timeout 300 "$new" "$node/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --suite all \
        --url "http://localhost:$(cat "$work/relay-$1")/mcp" --expected-failures "$here/tests/mcp/$4") > "$work/said" 2>&1
    same "$1: the conformance suite finds what it should" 0 $?
    tail -n 60 "$work/said" >&2
}

# --- writ mcp, over HTTP ---
"$writ" mcp --port 0 2> "$work/server" &
server=$!
running="$running $server"
await "$work/server"
url=$(sed -n 's/.*listening on \([^;]*\);.*/\1/p' "$work/server")
token=$(cat "$WRIT_HOME/mcp-token")
same 'its token is private' 600 "$(stat -c %a "$WRIT_HOME/mcp-token")"
port=${url##*:}
conforms writ "${port%/mcp}" "$token" writ.yaml
cp "$here/tests/mcp/client.mjs" "$node"
timeout 120 "$new" "$node/client.mjs" "$url" "$token" || echo 'not ok http: the client came to its end'
kill "$server"
wait "$server"
same 'it ends when it is told to' 0 $?

# --- the same transport with the tools that the suite wants ---
. "$here/scripts/java.sh"
if [ -e "$here/mcp/target/test-classes/dev/writ/mcp/FixtureServer.class" ]; then
    mkfifo "$work/hold"
    "$(find_java "$here/.writ-build/java")" -cp "$here/.writ-build/modules/*:$here/.writ-build/mcp/*:$here/mcp/target/test-classes" \
        dev.writ.mcp.FixtureServer secret > "$work/fixture" 2> /dev/null < "$work/hold" &
    exec 8> "$work/hold"
    await "$work/fixture"
    conforms transport "$(cat "$work/fixture")" secret fixture.yaml
    exec 8>&-
else
    echo 'skip the fixture server is not compiled (./test does): the conformance suite with its own tools'
fi

# --- over standard streams ---
timeout 120 "$new" "$node/client.mjs" "$writ" || echo 'not ok stdio: the client came to its end'
said=$(printf '%s\n' 'nonsense' '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$writ" mcp 2> /dev/null)
same 'what is no message gets an error, and the next one its answer' \
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not a JSON object"}}
{"jsonrpc":"2.0","id":1,"result":{}}' "$said"
mkfifo "$work/in"
"$writ" mcp < "$work/in" > "$work/lines" 2> /dev/null &
server=$!
exec 7> "$work/in"
printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell","arguments":{"command":"echo on standard output; echo $$ > pid; setsid sleep 1000 & exec sleep 1000"}}}' >&7
await pid
left=$(cat pid)
kill -9 "$server"
wait "$server" 2> /dev/null
exec 7>&-
for _ in $(seq 100); do
    kill -0 "$left" 2> /dev/null || break
    sleep 0.1
done
kill -0 "$left" 2> /dev/null
same 'killed with -9 it leaves nothing behind' 1 $?
same 'standard output carries nothing but the protocol' '[0]' \
    "$(python3 -c 'import json, sys; print([json.loads(line)["id"] for line in sys.stdin])' < "$work/lines")"
rm -f pid
"$writ" log > /dev/null 2>&1 # finishes what was cut off
"$writ" run -- true 2> /dev/null
"$writ" log verify > /dev/null
same 'the record of it all verifies' 0 $?

# --- real agents ---
model() { # model NAME TOOL INPUT: sets `port`
    python3 "$here/tests/model.py" "$work/$1" "$2" "$3" > /dev/null 2>&1 &
    running="$running $!"
    await "$work/$1"
    port=$(cat "$work/$1")
}
inputs="{\"command\": \"echo in > made; echo out > $work/escaped\"}"
agent_did() { # agent_did NAME
    same "$1: a command runs through writ mcp" in "$(cat made 2> /dev/null)"
    same "$1: and stays inside" absent "$(cat "$work/escaped" 2> /dev/null || echo absent)"
    has "$1: the model is told why" 'no rule allows it' "$(cat "$work/said" "$work/$1.seen" 2> /dev/null)"
    rm -f made
}
if command -v claude > /dev/null; then
    model claude mcp__writ__shell "$inputs"
    printf '{"mcpServers": {"writ": {"command": "%s", "args": ["mcp"]}}}' "$writ" > "$work/servers.json"
    env -i "HOME=$HOME" "WRIT_HOME=$WRIT_HOME" PATH=/usr/bin:/bin:/usr/local/bin "ANTHROPIC_BASE_URL=http://127.0.0.1:$port" ANTHROPIC_API_KEY=none \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 timeout 60 claude -p --mcp-config "$work/servers.json" --strict-mcp-config \
        --allowedTools mcp__writ__shell --model claude-sonnet-4-5 --output-format stream-json --verbose go < /dev/null > "$work/said" 2>&1
    agent_did claude
else
    echo 'skip claude is not installed: a real agent with writ mcp'
fi
if command -v codex > /dev/null; then
    model codex mcp__writ/shell "$inputs"
    env -i "HOME=$HOME" "WRIT_HOME=$WRIT_HOME" PATH=/usr/bin:/bin:/usr/local/bin KEY=none timeout 60 codex exec --skip-git-repo-check \
        --dangerously-bypass-approvals-and-sandbox -c model_provider=l -c model=gpt-5 \
        -c "mcp_servers.writ={command=\"$writ\",args=[\"mcp\"],required=true,env={WRIT_HOME=\"$WRIT_HOME\"}}" \
        -c "model_providers.l={name=\"l\",base_url=\"http://127.0.0.1:$port/v1\",env_key=\"KEY\",wire_api=\"responses\"}" go < /dev/null > "$work/said" 2>&1
    agent_did codex
else
    echo 'skip codex is not installed: a real agent with writ mcp'
fi
