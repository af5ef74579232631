# SPDX-License-Identifier: Apache-2.0
# The example of docs/tokens.md in real sessions: an orchestrator gives a researcher and a coder what they need, the coder gives
# a helper less, and who wants more is refused by name.
. "$(dirname -- "$0")/words"
writ=$here/writ
"$writ" version > /dev/null || exit 1
mkdir -p "$work/project/src/test"
cd "$work/project" || exit 1
# Everybody is under one policy, which lets write the whole folder.
cat > writ.yaml << 'END'
version: 1
extends: [workspace]
allow:
  - net:GET=http://a.test:9
END
# with NAME COMMAND...: as NAME, in a session of their own
with() {
    name=$1
    shift
    "$writ" run --token "$name.token" -- "$@" 2>&1
}
token() { "$writ" token "$@"; }

same 'without a token the policy decides' written "$("$writ" run -- sh -c 'echo written > free && cat free' 2>&1)"
rm -f free

for name in orchestrator researcher coder helper; do token holder new "$name" > /dev/null; done
token mint --profile base --profile shell-tools --allow 'write:./src/**' --allow net:GET=http://a.test:9 \
    --for orchestrator --ttl 1h > orchestrator.token
give() { token narrow --profile base --profile shell-tools "$@"; }
give --by orchestrator --for researcher --allow net:GET=http://a.test:9 < orchestrator.token > researcher.token
give --by orchestrator --for coder --allow 'write:./src/**' < orchestrator.token > coder.token
give --by coder --for helper --allow 'write:./src/test/**' < coder.token > helper.token

same 'the coder writes the sources' code "$(with coder sh -c 'echo code > src/main.py && cat src/main.py')"
same 'the helper writes the tests' test "$(with helper sh -c 'echo test > src/test/a.py && cat src/test/a.py')"
got=$(with helper sh -c 'echo more > src/main.py')
has 'a helper that wants more is refused by name' 'block 2, given by coder (' "$got"
has 'and it is said what it wanted' "does not include \`write:$work/project/src/main.py\`" "$got"
same 'and nothing has happened' code "$(cat src/main.py)"
has 'the researcher writes nothing' 'block 1, given by orchestrator (' "$(with researcher sh -c 'echo no > src/main.py')"
has 'the coder reads nothing else' 'block 0, given by the issuer to orchestrator (' "$(with coder cat writ.yaml)"
has 'explain says which block' 'block 2, given by coder (' "$("$writ" explain --token helper.token write:./src/main.py)"
has 'explain says what the policy denies' 'no rule allows it' "$("$writ" explain --token helper.token read:/root/x)"

half=$(token show --json < helper.token | sed -n 's/.*"expires": *"\([^"]*\)".*"issued": *"\([^"]*\)".*/\2 \1/p; s/.*"issued": *"\([^"]*\)".*"expires": *"\([^"]*\)".*/\1 \2/p' |
    while read -r from to; do echo $(($(date -d "$to" +%s) - $(date -d "$from" +%s))); done | tr '\n' ' ')
# shellcheck disable=SC2086 # three numbers
set -- $half
{ [ "$1" -gt "$2" ] && [ "$2" -gt "$3" ] && echo 'ok a token that is given on lives shorter'; } ||
    echo "not ok a token that is given on lives shorter: $half"

# A stolen token.
mv "$WRIT_HOME/holders/helper.pem" "$work/helper.pem"
got=$(with helper true; echo "code $?")
has 'a token without its key is refused' 'whose key is not here' "$got"
has 'with 126' 'code 126' "$got"
has 'another key does not help' 'and this is another key' "$("$writ" run --token helper.token --holder coder -- true 2>&1)"
same 'the key can lie elsewhere' 0 "$("$writ" run --token helper.token --holder "$work/helper.pem" -- true 2>&1; echo $?)"
mv "$work/helper.pem" "$WRIT_HOME/holders/helper.pem"
has 'no token from standard input' 'standard input belongs to the command' "$("$writ" run --token - -- true 2>&1)"

# For one installation only.
for_audience() { token mint --profile base --profile shell-tools --for helper --audience "$1" > audience.token; }
for_audience "$("$writ" keys export log)"
same 'a token for this installation is taken here' 0 "$(with audience true; echo $?)"
same 'also after its key was replaced' 0 "$("$writ" keys rotate log > /dev/null; with audience true; echo $?)"
for_audience "$(WRIT_HOME=$work/elsewhere "$writ" keys export log)"
got=$(with audience true; echo "code $?")
has 'a token for another installation is not' 'is for another audience' "$got"
has 'and ends with 126' 'code 126' "$got"

# Over the API: who opens a sandbox with a token signs for it once.
if command -v curl > /dev/null; then
    "$writ" up > /dev/null
    trap '"$writ" down > /dev/null; rm -rf "$work"' EXIT
    api() { path=$1; shift; curl -s --unix-socket "$WRIT_HOME/api.sock" -H 'content-type: application/json' "$@" "http://writ$path"; }
    field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p"; }
    made=$(api /v1/tokens/challenges -d '{}')
    challenge=$(printf '%s' "$made" | field challenge)
    nonce=$(printf '%s' "$made" | field nonce)
    prove() { token prove --by "$1" --session "$challenge" --nonce "$nonce" < helper.token; }
    open() { api /v1/sandboxes -d "{\"workspace\": \"$PWD\", \"token\": \"$(cat helper.token)\", \"challenge\": \"$challenge\", \"proof\": \"$1\"}"; }
    proof=$(prove helper)
    has 'the API knows whose token it is' 'helper (' "$(open "$proof")"
    has 'a proof is good once' 'answered already' "$(open "$proof")"
    said=$(api "/v1/sandboxes/$challenge/exec" -d '{"shell": "echo more > src/main.py"}')
    has 'a sandbox of the API is held to its token' 'block 2, given by coder (' "$said"
    same 'and nothing has happened there' code "$(cat src/main.py)"
else
    echo 'skip curl is not installed: tokens over the API'
fi

# Tools over MCP.
say() { printf '{"jsonrpc": "2.0", %s}\n' "$1"; }
call() { say "\"id\": $1, \"method\": \"tools/call\", \"params\": {\"name\": \"write_file\", \"arguments\": {\"path\": \"$2\", \"content\": \"mcp\"}}"; }
# shellcheck disable=SC2094 # it waits for what is written
{
    say '"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}'
    say '"method": "notifications/initialized"'
    call 2 src/main.py
    call 3 src/test/mcp.py
    tries=0
    while ! { grep -q '"id":2' answers && grep -q '"id":3' answers; } && [ "$tries" -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
} 2> /dev/null | "$writ" mcp --token helper.token > answers 2> why
has 'tools over MCP are held to a token' 'block 2, given by coder (' "$(cat answers)"
same 'and nothing has happened by them' code "$(cat src/main.py)"
same 'but what it permits has' mcp "$(cat src/test/mcp.py)"

# Revoked while it runs.
"$writ" run --token helper.token -- sh -c 'echo up; while :; do sleep 1; done' > up 2> why &
running=$!
tries=0
while [ ! -s up ] && [ "$tries" -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
token revoke --for coder > /dev/null
wait "$running"
same 'what runs with a revoked token is ended' 137 "$?"
has 'and it is said why' 'block 1, given by orchestrator (' "$(cat why)"
has 'a revoked token opens no session' 'is revoked' "$(with coder true)"
same 'others go on' 0 "$(with researcher true > /dev/null; echo $?)"
has 'the record of the session says that it ended' token-revoked "$("$writ" log --json | grep token-revoked)"
same 'the log of the installation has the revocation' 0 "$(grep -rqa token-revoked "$WRIT_HOME/log"; echo $?)"
has 'and verifies' verified "$("$writ" log verify 2>&1)"

# The proxy ends with its token.
token mint --for researcher --allow net:GET=http://a.test:9 --ttl 1h > proxy.token
"$writ" proxy --token proxy.token > variables 2> why &
proxy=$!
tries=0
while [ ! -s variables ] && [ "$tries" -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
token revoke < proxy.token > /dev/null
wait "$proxy"
same 'the proxy ends when its token is revoked' 126 "$?"
has 'the proxy refuses a token that is revoked' 'is revoked' "$("$writ" proxy --token proxy.token 2>&1)"
