# SPDX-License-Identifier: Apache-2.0
# ./writ on a fresh clone: it builds once, runs, and starts at once afterwards.
. "$(dirname -- "$0")/words"

git -C "$here" ls-files -z -c -o --exclude-standard | (cd "$here" && xargs -0 tar cf - 2>/dev/null) | tar xf - -C "$work"
cd "$work" || exit 1

first=$(./writ run -- echo hello 2> "$work/first.err")
same 'a fresh clone builds and runs' hello "$first"
has 'the build says that it happened' 'writ: built in ' "$(cat "$work/first.err")"

has 'without a policy one line says what holds' 'writ: no policy here, so the default holds: write below this folder, no network (workspace, java); `writ init` keeps it' \
    "$(cat "$work/first.err")"

second=$(./writ run -- echo hello 2> "$work/second.err")
same 'the second run does not build' hello "$second"
case $(cat "$work/second.err") in
    *built*) echo 'not ok the second run is quiet about building' ;;
    *) echo 'ok the second run is quiet about building' ;;
esac

mkdir -p "$work/elsewhere"
ln -s "$work/writ" "$work/elsewhere/writ"
same 'it runs through a link from another folder' hello "$(cd elsewhere && ./writ run -- echo hello 2>/dev/null)"

./writ run -- sh -c 'exit 42' 2>/dev/null
same 'the exit code is the one of the command' 42 $?
./writ run -- no-such-command 2>/dev/null
same 'a missing command is 127' 127 $?
./writ init > /dev/null
same 'with a policy nothing is said' '' "$(./writ run -- true 2>&1)"
./writ run --deny exec:ls -- ls > "$work/denied.out" 2> "$work/denied.err"
same 'a denied command is 126' 126 $?
same 'a denied command does not start' '' "$(cat "$work/denied.out")"
same 'a denial is one line' 1 "$(wc -l < "$work/denied.err" | tr -d ' ')"

same 'output is cut where its limit is' 1000 "$(./writ run --limit output=1000 -- yes 2>/dev/null | wc -c | tr -d ' ')"
./writ run --limit output=1000 -- yes > /dev/null 2> "$work/limit.err"
same 'a limit that ends everything is 137' 137 $?
has 'a limit is named with its rule' 'output of 1000, by `limit:output=1000` (--limit)' "$(cat "$work/limit.err")"
same 'with a limit on output input and both outputs are as without' 'in err' \
    "$(echo in | ./writ run --limit output=1000 -- sh -c 'cat; sleep 1; echo err >&2' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
./writ run --limit time=300ms -- sh -c 'sleep 60 & sleep 60' 2>/dev/null
same 'a command whose time is over is 124' 124 $?

same 'only granted variables are passed on' '' "$(SECRET_TOKEN=x ./writ run -- env 2>/dev/null | grep SECRET)"
has 'the path is passed on' 'PATH=' "$(./writ run -- env 2>/dev/null)"

./writ run --json events.json -- sh -c 'echo forged > events.json; rm -f events.json; mv events.json else; ln -f events.json else' > "$work/forged.out" 2>&1
same 'what the operator is told of a command the command cannot change' 'opened closed' "$(sed -n 's/.*"event": "\(opened\|closed\)".*/\1/p' events.json | tr '\n' ' ' | sed 's/ $//')"
has 'it is told why not' 'denied by `write:./events.json` (--json)' "$(cat "$work/forged.out")"

has 'in a sandbox it says that there is none within another' 'there is no sandbox within another' \
    "$(./writ run --no-policy --profile workspace --profile java --allow "exec:$work/**" -- ./writ run -- true 2>&1)"

mkdir "$work/gone"
has 'a folder that is gone is said to be' 'writ: this folder has been removed' "$(cd "$work/gone" && rmdir "$work/gone" && "$work/writ" run -- true 2>&1)"
account=$(getent passwd "$(id -u)" | cut -d : -f 6)
for unsaid in -uHOME HOME=/ HOME=here; do
    has "with $unsaid the home is that of the account, and guarded" 'guarded by `read:~/.ssh`' \
        "$(env "$unsaid" "WRIT_HOME=$work/state" ./writ explain --no-policy --allow read:/ "read:$account/.ssh/key" 2>&1)"
done

mkdir -p "$work/nojava/bin"
for tool in sh dirname readlink sed cat mkdir find head; do
    ln -s "$(command -v "$tool")" "$work/nojava/bin/$tool" 2>/dev/null
done
message=$(env -i "PATH=$work/nojava/bin" HOME=/nonexistent sh -c '
    . ./scripts/java.sh
    is_java_25() { return 1; }
    find_java "$1"' sh "$work/nojava/java" 2>&1)
same 'without a JDK 25 one line says how to get one' 1 "$(printf '%s\n' "$message" | wc -l | tr -d ' ')"
has 'that line names what to install' 'install a JDK 25' "$message"
