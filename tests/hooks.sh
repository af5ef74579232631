# SPDX-License-Identifier: Apache-2.0
# Hooks of coding agents as the launcher runs them: what is allowed goes on, and whatever fails stops the agent. Then real
# agents, with a model that is a script.
. "$(dirname -- "$0")/words"
writ=$here/writ
"$writ" version > /dev/null
mkdir -p "$work/home" "$work/project"
HOME=$work/home
export HOME
cd "$work/project" || exit 1
models=
trap '"$writ" down > /dev/null 2>&1; for m in $models; do kill "$m"; done 2> /dev/null; rm -rf "$work"' EXIT

event() { # event TOOL INPUT
    printf '{"session_id": "s", "cwd": "%s", "hook_event_name": "PreToolUse", "tool_name": "%s", "tool_input": %s}' "$PWD" "$1" "$2"
}
hook() { # hook AGENT [VARIABLE...]: its code, a space, and what it said
    agent=$1
    shift
    code=0
    env "$@" "$writ" hook "$agent" > "$work/out" 2> "$work/err" || code=$?
    printf '%s %s' "$code" "$(cat "$work/err")"
}
stops() { # stops NAME PART SAID: with the code, a word on standard error, and JSON that denies
    has "$1" "2 writ: $2" "$3"
    has "$1, and says so in JSON" '"deny"' "$(cat "$work/out")"
}
gone='not available, so everything is refused: '

for agent in claude codex copilot gemini; do
    stops "$agent: without a daemon it is stopped" "${gone}no daemon runs" "$(event Read '{}' | hook "$agent")"
done
has 'an agent that is not known is stopped' "2 writ: $gone" "$(event Read '{}' | hook nobody)"
has 'a hook without an agent is stopped' "2 writ: $gone" "$("$writ" hook < /dev/null 2>&1; echo "$?")$(event Read '{}' | hook nobody)"
stops 'an empty event is stopped' 'not available' "$(hook claude < /dev/null)"
stops 'without any variable it is stopped' "$gone" "$(event Read '{}' | hook claude -i)"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/dead.sock"
mkdir -p "$work/dead/writ"
mv "$work/dead.sock" "$work/dead/writ/api.sock"
stops 'a socket that nobody listens on stops it' "${gone}the daemon did not answer" "$(event Read '{}' | hook claude -u WRIT_HOME "XDG_RUNTIME_DIR=$work/dead")"

# listener SCRIPT: something else listens where the daemon should
listener() {
    rm -f "$work/dead/writ/api.sock"
    python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(8)
for _ in range(8):
    c, _ = s.accept()
    c.recv(65536)
    if sys.argv[2] == "hang":
        time.sleep(20)
    c.sendall(sys.argv[2].encode().decode("unicode_escape").encode())
    c.close()' "$work/dead/writ/api.sock" "$1" &
    models="$models $!"
    until [ -S "$work/dead/writ/api.sock" ]; do sleep 0.1; done
}
number=0
answers='HTTP/1.1 200 OK\r\nContent-Length: '
for bad in hang nonsense "${answers}100\\r\\n\\r\\n0\\n\\n\\nen" "${answers}2\\r\\n\\r\\n0\\n" "${answers}9\\r\\n\\r\\n1\\n\\n\\nend\\n" "${answers}8\\r\\n\\r\\n2\\n\\n\\nend" \
        'HTTP/1.1 500 No\r\nContent-Length: 8\r\n\r\n0\n\n\nend\n'; do
    listener "$bad"
    number=$((number + 1))
    for client in curl python3; do
        stops "$client: an answer that is not whole stops it, $number of 7" "$gone" \
            "$(event Read '{}' | hook claude -u WRIT_HOME "XDG_RUNTIME_DIR=$work/dead" "WRIT_HOOK_BY=$client")"
        [ "$bad" != hang ] || listener "$bad"
    done
done

"$writ" up > /dev/null
for client in curl python3 socat nc; do
    if ! PATH=/usr/bin:/bin command -v "$client" > /dev/null; then
        echo "skip $client is not installed: the hook through it"
        continue
    fi
    same "$client: what is allowed goes on" '0 ' "$(event Read '{"file_path": "a"}' | hook claude "WRIT_HOOK_BY=$client")"
    stops "$client: what is not allowed stops it" 'denied: `read:/etc/shadow`' "$(event Read '{"file_path": "/etc/shadow"}' | hook claude "WRIT_HOOK_BY=$client")"
    has "$client: a megabyte that means nothing stops it" "2 writ: denied: it is not clear what is wanted" \
        "$(head -c 1048576 /dev/zero | tr '\0' '[' | hook claude "WRIT_HOOK_BY=$client")"
done
has 'nothing at all stops it' '2 writ: ' "$(hook claude < /dev/null)"
stops 'without a client it is stopped' "${gone}one of curl" "$(event Read '{}' | hook claude WRIT_HOOK_BY=no-such-client)"
same 'a proxy in the environment is not asked' '0 ' "$(event Read '{"file_path": "a"}' | hook claude http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1)"
mkdir "$work/evil"
printf '#!/bin/sh\necho 0; echo; echo; echo end\n' > "$work/evil/curl"
chmod +x "$work/evil/curl"
has 'a program that the agent has put into PATH is not used' '2 writ: denied' \
    "$(event Read '{"file_path": "/etc/shadow"}' | hook claude "PATH=$work/evil:$PATH")"
has 'a full disk stops it' '2' "$(event Bash '{"command": "ls"}' | { "$writ" hook claude > /dev/full 2> /dev/null; echo "$?"; })"

# --- real agents: only their model is a script ---
# model NAME TOOL INPUT: sets `port`
model() {
    python3 "$here/tests/model.py" "$work/$1" "$2" "$3" > /dev/null 2>&1 &
    models="$models $!"
    until [ -s "$work/$1" ]; do sleep 0.1; done
    port=$(cat "$work/$1")
}
claude_with() { # claude_with NAME TOOL INPUT
    model "$@"
    env -i "HOME=$HOME" "WRIT_HOME=$WRIT_HOME" PATH=/usr/bin:/bin:/usr/local/bin "ANTHROPIC_BASE_URL=http://127.0.0.1:$port" ANTHROPIC_API_KEY=none \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 timeout 60 claude -p --permission-mode acceptEdits \
        --allowedTools 'Bash,Read,Write' --model claude-sonnet-4-5 --output-format stream-json --verbose go < /dev/null 2>&1
}
codex_with() { # codex_with NAME TOOL INPUT
    model "$@"
    env -i "HOME=$HOME" "WRIT_HOME=$WRIT_HOME" PATH=/usr/bin:/bin:/usr/local/bin KEY=none timeout 60 codex exec --skip-git-repo-check \
        --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust -c model_provider=l -c model=gpt-5 \
        -c "model_providers.l={name=\"l\",base_url=\"http://127.0.0.1:$port/v1\",env_key=\"KEY\",wire_api=\"responses\"}" go < /dev/null 2>&1
}
escape="echo in > made; echo out > $work/escaped"
# tries AGENT TOOL INPUT: whether a command of it gets out, before and after
tries() {
    "${1}_with" "$1-0" "$2" "$3" > "$work/said"
    same "$1: without the hook a command gets out" out "$(cat "$work/escaped")"
    rm -f "$work/escaped" made
    "$writ" hook install "$1" --yes > /dev/null 2>&1
    "${1}_with" "$1-1" "$2" "$3" > "$work/said"
    same "$1: with the hook it does not" absent "$(cat "$work/escaped" 2> /dev/null || echo absent)"
    same "$1: its allowed work is done" in "$(cat made)"
    has "$1: the model is told why" "no rule allows it" "$(cat "$work/said" "$work/$1-1.seen" 2> /dev/null)"
    rm -f made
}
if command -v claude > /dev/null && [ -x /usr/bin/curl ]; then
    tries claude Bash "{\"command\": \"$escape\"}"
    claude_with claude-2 Read '{"file_path": "/etc/shadow"}' > "$work/said"
    has 'claude: a guarded file is not read' 'writ: denied: `read:/etc/shadow`' "$(cat "$work/said")"
    claude_with claude-3 Write "{\"file_path\": \"$PWD/new\", \"content\": \"x\"}" > /dev/null
    same 'claude: an allowed file is written' x "$(cat new)"
    WRIT_HOME=$work/nothing
    claude_with claude-4 Bash "{\"command\": \"$escape\"}" > "$work/said"
    WRIT_HOME=$work/state
    has 'claude: without a daemon nothing is done' "$gone" "$(cat "$work/said")"
    same 'claude: really nothing' absent "$(cat "$work/escaped" made 2> /dev/null || echo absent)"
else
    echo 'skip claude is not installed: a real agent with the hook'
fi
if command -v codex > /dev/null && [ -x /usr/bin/curl ]; then
    tries codex exec_command "{\"cmd\": \"$escape\"}"
    WRIT_HOME=$work/nothing
    codex_with codex-3 exec_command "{\"cmd\": \"$escape\"}" > "$work/said"
    WRIT_HOME=$work/state
    has 'codex: without a daemon nothing is done' "$gone" "$(cat "$work/said" "$work/codex-3.seen")"
    same 'codex: really nothing' absent "$(cat "$work/escaped" made 2> /dev/null || echo absent)"
else
    echo 'skip codex is not installed: a real agent with the hook'
fi
"$writ" down > /dev/null
"$writ" log verify > /dev/null
same 'the record of it all verifies' 0 $?
