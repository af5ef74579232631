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
