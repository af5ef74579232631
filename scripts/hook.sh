# SPDX-License-Identifier: Apache-2.0
# `writ hook AGENT`: hands the event on standard input to the daemon, and prints what it answers. This runs before each
# tool that an agent uses, so it starts no JVM. To some agents every other end than code 2 with a word on standard error
# means "go on": whatever goes wrong has to end in that way. Read by `writ`.

# What is run here runs unconfined, so it is not looked for where an agent may write.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin
unset CDPATH ENV BASH_ENV PYTHONPATH PYTHONHOME
LC_ALL=C
export PATH LC_ALL

# refuse WHY: stops the agent, as each of them understands it
refuse() {
    trap - EXIT HUP INT TERM
    said="writ: not available, so everything is refused: $1"
    case $agent in
        gemini) printf '{"decision": "deny", "reason": "%s"}\n' "$said" ;;
        copilot) printf '{"permissionDecision": "deny", "permissionDecisionReason": "%s"}\n' "$said" ;;
        *) printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "%s"}}\n' "$said" ;;
    esac || true
    printf '%s\n' "$said" >&2 || true
    exit 2
}

# The same as in Config.
find_socket() {
    if [ -z "${WRIT_HOME+set}" ]; then
        case ${XDG_RUNTIME_DIR:-} in
            /*) socket=$XDG_RUNTIME_DIR/writ/api.sock; return ;;
        esac
    fi
    home=${HOME:-}
    case $home in /?*) ;; *) home=$(getent passwd "$(id -u)" | cut -d : -f 6) ;; esac
    case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME/writ ;; *) state=${home%/}/.local/state/writ ;; esac
    case ${WRIT_HOME:-} in /*) state=$WRIT_HOME ;; esac
    socket=$state/api.sock
}

# limited COMMAND...: for at most so long, where that can be had
limited() {
    if command -v timeout > /dev/null; then
        timeout 5 "$@"
    else
        "$@"
    fi
}

# What a plain pipe to the socket has to carry.
request() {
    event=$(cat)
    printf 'POST /v1/hook/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %s\r\nConnection: close\r\n\r\n%s' \
        "$agent" "${#event}" "$event"
}

pipe='import socket, sys
event = sys.stdin.buffer.read()
s = socket.socket(socket.AF_UNIX)
s.settimeout(4)
s.connect(sys.argv[1])
s.sendall(event)
while True:
    some = s.recv(65536)
    if not some:
        break
    sys.stdout.buffer.write(some)'

# The body of what the daemon answers.
ask() {
    for client in ${WRIT_HOOK_BY:-curl python3 socat nc}; do # the variable is for the tests
        command -v "$client" > /dev/null || continue
        case $client in
            curl)
                limited curl -q -sS -f --noproxy '*' --max-time 4 --unix-socket "$socket" -H 'Content-Type: application/json' -H 'Expect:' \
                    --data-binary @- "http://localhost/v1/hook/$agent" 2> /dev/null
                return ;;
            python3) answer=$(request | limited python3 -I -S -c "$pipe" "$socket" 2> /dev/null) ;;
            socat) answer=$(request | limited socat -t 5 - "UNIX-CONNECT:$socket" 2> /dev/null) ;;
            nc) answer=$(request | limited nc -U "$socket" 2> /dev/null) ;;
        esac
        case $answer in 'HTTP/1.1 200 '*) ;; *) return 1 ;; esac
        printf '%s\n' "${answer#*"$cr$line$cr$line"}"
        return
    done
    echo 'missing'
}

line='
'
cr=$(printf '\r')
find_socket
[ -S "$socket" ] || refuse 'no daemon runs; writ up starts one'
answer=$(ask) || refuse 'the daemon did not answer; see writ status'
case $answer in
    missing) refuse 'one of curl, python3, socat and nc is needed to ask the daemon' ;;
    [02]"$line"*"${line}end") ;;
    *) refuse 'the daemon answered in a way that is not understood' ;;
esac
code=${answer%%"$line"*}
answer=${answer#*"$line"}
error=${answer%%"$line"*}
answer=${answer#*"$line"}
output=${answer%"$line"end}
[ "$code" = 0 ] || [ -n "$error" ] || refuse 'the daemon gave no reason'
[ -z "$output" ] || printf '%s\n' "$output"
[ -z "$error" ] || printf '%s\n' "$error" >&2
trap - EXIT HUP INT TERM
exit "$code"
