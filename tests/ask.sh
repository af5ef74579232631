# SPDX-License-Identifier: Apache-2.0
# Questions at a real terminal: what is shown, what counts as an answer, and what a program underneath can do about it.
. "$(dirname -- "$0")/words"
command -v tmux > /dev/null || {
    echo 'skip questions at a terminal: tmux is not installed'
    exit 0
}
writ=$here/writ
"$writ" version > /dev/null || exit 1
unset TMUX WRIT_HOME XDG_STATE_HOME XDG_RUNTIME_DIR NO_COLOR
home=$work/home
mkdir -p "$home" "$work/project"
cd "$work/project" || exit 1
cat > writ.yaml << 'END'
version: 1
extends: [workspace]
ask:
  - read:./asked
  - read:./q/*
  - exec:/usr/bin/env
deny:
  - read:./denied
END
mkdir q
printf 'told\n' > asked
printf 'note one\nnote two\n' > note

screen() { tmux -S "$work/tmux" -f /dev/null "$@"; }
shown() { screen capture-pane -p -t t 2> /dev/null; }
trap 'screen kill-server 2> /dev/null; rm -rf "$work"' EXIT

# at COLUMNS ROWS COMMAND: a terminal that runs it, and then says its exit code
at() {
    screen kill-server 2> /dev/null
    tries=0
    # The one before may still be about to end.
    while ! screen new-session -d -s t -x "$1" -y "$2" \
        "env HOME=$home LANG=C.UTF-8 ${colour-} sh -c '$3; echo \"[code \$?]\"; sleep 1000'" 2> "$work/tmux.err"; do
        tries=$((tries + 1))
        [ "$tries" -lt 50 ] || {
            cat "$work/tmux.err" >&2
            return 1
        }
        sleep 0.1
    done
}

# until_shown TEXT: waits until the screen shows it
until_shown() {
    tries=0
    while [ "$tries" -lt 300 ]; do
        case $(shown) in
            *"$1"*) return 0 ;;
        esac
        tries=$((tries + 1))
        sleep 0.1
    done
    echo "never shown: $1" >&2
    shown >&2
    return 1
}

press() {
    for key; do
        screen send-keys -t t "$key"
    done
}

ready='Enter alone is no:'

# answer KEY: and waits until that question is gone
answer() {
    press "$1" Enter
    tries=0
    while [ "$tries" -lt 300 ]; do
        case $(shown) in
            *"$ready"*) ;;
            *) return 0 ;;
        esac
        tries=$((tries + 1))
        sleep 0.1
    done
    echo "never gone: the question" >&2
    return 1
}

# --- what the documentation shows is what is shown ---
if command -v git > /dev/null; then
    mkdir -p "$work/documented"
    cd "$work/documented" || exit 1
    printf 'version: 1\nextends: [workspace, git]\nask:\n  - exec:git push\n  - write:./migrations\n' > writ.yaml
    echo 'git push origin main; true' > agent.sh
    at 80 24 "$writ run -- sh agent.sh"
    until_shown "$ready"
    normal() { sed -e 's/| [0-9]* /| N /' -e 's/ *$//' -e "s|/usr/bin/dash|$(readlink -f /bin/sh)|" -e "s|$work/documented|/home/anna/project|" -e "/$ready/q"; }
    same 'docs/approvals.md shows a real question' "$(sed -n '/^    writ: may/,$p' "$here/docs/approvals.md" | sed 's/^    //' | normal)" "$(shown | normal)"
    answer n
    cd "$work/project" || exit 1
fi

# --- answers ---
at 80 24 "$writ run -- sh -c \"cat asked; cat asked\""
until_shown "$ready"
question=$(shown)
has 'the question shows the whole object' "what | read:$work/project/asked" "$question"
has 'the question shows who asks' 'cat: cat asked' "$question"
has 'the question shows from where' "sh -c 'cat asked; cat asked'" "$question"
has 'the question shows the folder' "in   | $work/project" "$question"
has 'the question shows what is read' 'input| terminal' "$question"
has 'the question shows the rule and its place' 'rule   `read:./asked` (writ.yaml:4:5)' "$question"
answer o
until_shown "$ready"
has 'once is asked again' "what | read:$work/project/asked" "$(shown)"
answer n
until_shown '[code'
has 'once lets it happen, no does not' 'told
cat: asked: Permission denied' "$(shown)"
has 'the report says who refused' "d by $(id -un) at the terminal" "$(shown)"

at 80 24 "$writ run --json $work/events -- sh -c \"cat asked; cat asked; env true\""
until_shown "$ready"
answer r
until_shown 'exec:/usr/bin/env true'
until_shown "$ready"
answer r
until_shown '[code 0]'
has 'this run is not asked again' 'told
told' "$(shown)"
same 'the record says for how long' 3 "$(grep -c 'approved by .* at the terminal, for this run' "$work/events" | tr -d ' ')"

for key in Enter C-c C-d 'x Enter'; do
    at 80 24 "$writ run -- cat asked"
    until_shown "$ready"
    # shellcheck disable=SC2086
    press $key
    until_shown '[code' && has "$key is no" '[code 1]' "$(shown)"
done

at 80 24 "$writ run -- cat asked"
until_shown "$ready"
press y Enter
press o o Enter
press O Enter
has 'what is no choice is no answer' 'may this happen?' "$(shown)"
answer o
until_shown '[code 0]' && has 'and can be followed by one' 'told' "$(shown)"

# --- always ---
at 80 24 "$writ run -- env true"
until_shown "$ready"
has 'what would be kept is said before' 'a  always: keeps exactly the line at `what`' "$(shown)"
answer a
until_shown '[code 0]' && echo 'ok always lets it happen'
file=$(find "$home/.local/state/writ/approvals" -name '*.yaml')
has 'always keeps one exact line' '- exec:/usr/bin/env true  # ' "$(cat "$file")"
same 'nobody else can read it' '600 700' "$(stat -c %a "$file" "$(dirname "$file")" | tr '\n' ' ' | sed 's/ $//')"
at 80 24 "$writ run --json $work/events -- env true"
until_shown '[code 0]' && echo 'ok what was approved for good is not asked'
has 'the record names the approval' "remembered approval $file:" "$(cat "$work/events")"
same 'it holds without a terminal' 0 "$(HOME=$home setsid "$writ" run -- env true < /dev/null > /dev/null 2>&1; echo $?)"
has 'it does not hold for more' 'nobody could be asked' "$(HOME=$home setsid "$writ" run -- env true more < /dev/null 2>&1)"
has 'a deny still holds' 'denied by' "$(HOME=$home "$writ" run --deny exec:/usr/bin/env -- env true < /dev/null 2>&1)"
list=$(HOME=$home "$writ" approvals)
has 'approvals lists the policy' "$work/project/writ.yaml" "$list"
has 'approvals lists the rule' '   1  exec:/usr/bin/env true' "$list"
printf 'cat %s; echo >> %s; echo > %s/x; rm %s; mv %s y; ln %s z; echo tried\n' \
    "$file" "$file" "$(dirname "$file")" "$file" "$(dirname "$file")" "$file" > attack.sh
cp "$file" "$work/before"
cp -r "$home/.local" "$work/free"
sed "s|$home/.local|$work/free|g" attack.sh > free.sh
sh free.sh > /dev/null 2>&1
[ ! -e "$work/free/state/writ/approvals/$(basename "$file")" ] && echo 'ok the attack on it works without a sandbox' || echo 'not ok the attack on it works without a sandbox'
rm -rf y z free.sh
HOME=$home "$writ" run --allow write:"$home" -- sh attack.sh > "$work/attack" 2>&1
same 'a program can neither read nor change it' "tried" "$(grep -v -e denied -e cannot -e create -e 'writ:' -e '^  ' -e failed "$work/attack")"
same 'it is as it was' '' "$(diff "$work/before" "$file" 2>&1; find "$(dirname "$file")" -name x; find . -name y -o -name z)"
has 'approvals forgets' 'forgot exec:/usr/bin/env true' "$(HOME=$home "$writ" approvals --forget 1)"
same 'and then knows none' 'nothing has been approved for good' "$(HOME=$home "$writ" approvals)"

# --- keys that are no answer ---
at 80 24 "$writ run -- sh -c \"echo go; sleep 2; cat asked\""
until_shown go
press o Enter o Enter r Enter
until_shown "$ready"
echo 'ok what was typed before does not count'
screen set-buffer -b p 'o
'
screen paste-buffer -p -b p -t t
sleep 1
has 'what is pasted does not count' 'may this happen?' "$(shown)"
answer n
until_shown '[code 1]' || echo 'not ok no ends it'

# A terminal answers these by itself. First that it does: without a question the program gets the answers.
printf 'stty raw -echo min 0 time 20; printf "\\033[6n\\033[c\\033[5n"; dd bs=1 count=4 2>/dev/null | od -An -c; stty sane\n' > provoke.sh
at 80 24 "$writ run -- sh provoke.sh"
until_shown '[code' && has 'a terminal answers by itself' '033' "$(shown)"
at 80 24 "$writ run -- sh -c \"printf \\\"\\\\033[6n\\\\033[c\\\\033[5n\\\\033]0;o\\\\007\\\\033[21t\\\"; cat asked\""
until_shown "$ready" && echo 'ok what a terminal sends by itself does not count'
answer n

# --- a program that does not want to be seen through ---
cat > paint.sh << 'END'
printf '\033[?1049h\033[2;3r\033[?6h\033[8m\033(0\033[4h\033[?25l\033]0;never ended'
while :; do printf '\033[Hwrit: all is well  '; sleep 0.01; done &
cat asked
kill $!
printf '\033c'
END
at 80 24 "$writ run -- sh paint.sh"
until_shown "$ready"
sleep 1
painted=$(shown)
has 'a program that paints over everything does not reach the question' "what | read:$work/project/asked" "$painted"
case $painted in
    *'all is well'*) echo 'not ok what it paints is held back' ;;
    *) echo 'ok what it paints is held back' ;;
esac
answer n
until_shown '[code' && echo 'ok and goes on afterwards'

printf 'x' > "$(printf 'q/a\nrule   `read:.`\033[2J')"
at 80 24 "$writ run -- sh -c \"cat q/*\""
until_shown "$ready"
has 'a name with control characters is shown neutralised' 'q/a\u{a}rule \u{20}\u{20}`read:.`\u{1b}' "$(shown)"
has 'and cannot be approved for good' 'always is not possible' "$(shown)"
answer n
until_shown '[code'
rm -f q/*

at 80 24 "$writ run -- sh -c \"cat asked & sleep 2; echo > ready; while ! test -e go; do sleep 0.1; done; kill -9 \$!; sleep 4; echo after\""
until_shown "$ready"
: > go
until_shown 'who asked has ended' && echo 'ok a question whose asker dies says so'
until_shown 'after' && echo 'ok and goes'
rm -f go ready

seq 1 60 | while read -r n; do echo "$n" > "q/$n"; done
at 80 24 "$writ run -- sh -c \"for f in q/*; do cat \\\$f & done; wait; echo all ended\""
until_shown "$ready"
until_shown 'more wait)' && echo 'ok a flood of questions is counted'
answer x
until_shown '[code 0]' && echo 'ok no to all answers a flood'
rm -f q/*

# --- what runs on meanwhile ---
at 80 24 "$writ run -- sh -c \"(sleep 1; for i in 1 2 3; do cat note > copy\\\$i; done) & cat asked; wait\""
until_shown "$ready"
tries=0
while [ ! -e copy3 ] && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
[ -e copy3 ] && echo 'ok siblings go on while one waits' || echo 'not ok siblings go on while one waits'
has 'and the question is still there' 'may this happen?' "$(shown)"
answer n
until_shown '[code'

# --- full-screen programs ---
if command -v vim > /dev/null; then
    at 80 24 "$writ run -- vim -u NONE note"
    until_shown 'note two'
    press ':let x=readfile("asked")' Enter
    until_shown "$ready"
    case $(shown) in *'note two'*) echo 'not ok vim is not to be seen' ;; esac
    answer o
    until_shown 'note two' && echo 'ok vim draws itself again'
    press ':call writefile(x, "got")' Enter ':q!' Enter
    until_shown '[code 0]' || echo 'not ok vim ends'
    same 'vim has what was approved' told "$(cat got)"
else
    echo 'skip vim under a question: it is not installed'
fi
if command -v less > /dev/null; then
    at 80 24 "$writ run -- less note"
    until_shown 'note two'
    press ':e asked' Enter
    until_shown "$ready"
    answer o
    until_shown told && echo 'ok less draws itself again'
    press q
    until_shown '[code 0]' || echo 'not ok less ends'
else
    echo 'skip less under a question: it is not installed'
fi
if [ -x /usr/bin/python3 ]; then
    at 80 24 "$writ run -- /usr/bin/python3 -q"
    until_shown '>>>'
    press 'a = 6 * 7' Enter 'print(open("asked").read(), a)' Enter
    until_shown "$ready"
    answer o
    until_shown ' 42' && has 'a REPL is as it was' '>>> a = 6 * 7' "$(shown)"
    press 'exit()' Enter
    until_shown '[code 0]' || echo 'not ok python ends'
else
    echo 'skip python under a question: it is not installed'
fi
# A tmux in the sandbox, in one outside of it.
cat > inner.sh << 'END'
tmux -S "$TMPDIR/socket" -f /dev/null new-session 'echo inside; cat asked; sleep 1000'
END
at 80 24 "$writ run --allow device:/dev/ptmx --allow device:/dev/pts/* -- sh inner.sh"
if until_shown "$ready"; then
    answer o
    until_shown told && has 'tmux draws itself again' inside "$(shown)"
    press C-c
else
    echo 'not ok tmux asks'
fi

# --- where the terminal is not standard input and output ---
at 80 24 "$writ run -- sh -c \"cat asked; echo oops >&2\" | tee log"
until_shown "$ready" && echo 'ok with output in a pipe the terminal is asked'
answer o
until_shown '[code'
same 'and the output goes where it was meant to' told "$(cat log)"
at 80 24 "printf \"one\\\\ntwo\\\\n\" | { $writ run -- sh -c \"read a; echo \\\$a; cat asked\"; cat; }"
until_shown "$ready"
answer o
until_shown '[code 0]'
has 'what a program does not read from a pipe is left for the next' 'one
told
two' "$(shown)"
has 'without a terminal nobody is asked, which is said' 'nobody could be asked, because there is no terminal; to change that: move that rule' \
    "$(HOME=$home setsid "$writ" run -- env x < /dev/null 2>&1)"

# --- small, and without colours ---
colour=NO_COLOR=1
at 40 10 "$writ run -- cat asked"
until_shown '[no]'
has 'a small terminal has all of it' 'what | read:' "$(shown)"
small=$(screen capture-pane -p -e -t t)
case $small in
    *"$(printf '\033')"*) echo 'not ok no colours with NO_COLOR' ;;
    *) echo 'ok no colours with NO_COLOR' ;;
esac
answer n
