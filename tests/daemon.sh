# SPDX-License-Identifier: Apache-2.0
# The daemon as docs/daemon.md describes it: every command there that speaks to it, as it stands there.
. "$(dirname -- "$0")/words"

if ! command -v curl > /dev/null; then
    echo 'skip curl is not installed: the examples of docs/daemon.md'
    exit 0
fi
socket=$WRIT_HOME/api.sock
writ=$here/writ
mkdir "$work/project"
cd "$work/project" || exit 1

"$writ" status > /dev/null
same 'without a daemon the status is 1' 1 $?
has 'up says where it listens' "socket: $socket" "$("$writ" up)"
trap '"$writ" down > /dev/null; rm -rf "$work"' EXIT
has 'up when one runs says so' 'the daemon runs already' "$("$writ" up)"

example() { # the one line of docs/daemon.md that begins so
    sed -n "\\|^$1|p" "$here/docs/daemon.md" | head -n 1
}
eval "$(example 'api() {')"
opened=$(eval "$(example 'api /v1/sandboxes ')")
has 'a sandbox is opened' '"policy": "the request"' "$opened"
id=$(printf '%s' "$opened" | sed 's/.*"id": "\([^"]*\)".*/\1/')
said=$(eval "$(example 'api "/v1/sandboxes/$id/exec"')")
has 'a command says hello' '"t": "stdout", "seq": 2, "text": "hello\n"' "$said"
has 'a command ends' '"t": "exit", "seq": 3, "code": 0' "$said"
has 'an action is judged' '"decision": "deny"' "$(eval "$(example 'api /v1/decide')")"
has 'a denied command says why' '"rule": "exec:curl"' "$(api "/v1/sandboxes/$id/exec" -d '{"argv": ["curl"]}')"
same 'the end of a sandbox has nothing to say' '' "$(eval "$(example 'api "/v1/sandboxes/$id" -X')")"
has 'then it is gone' 'sandbox.not-found' "$(api "/v1/sandboxes/$id")"
has 'a unit for systemd names the launcher' "ExecStart=$here/writ up --foreground" "$("$writ" up --systemd)"
same 'down ends it' 'the daemon has ended' "$("$writ" down)"
"$writ" log verify > /dev/null
same 'its record verifies' 0 $?
