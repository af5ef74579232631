# SPDX-License-Identifier: Apache-2.0
# What the README shows is what happens: each `$ command` in a console block is run, and its output compared.
. "$(dirname -- "$0")/words"
mkdir -p "$work/project" "$work/home"
cd "$work/project" || exit 1
HOME=$work/home
XDG_STATE_HOME=$work/home/.local/state
export HOME XDG_STATE_HOME
unset WRIT_HOME XDG_RUNTIME_DIR
PATH=$here:$PATH

# The policy that the tour uses is the README's own yaml block.
awk '/^```yaml/ { on = 1; next } /^```/ { on = 0 } on' "$here/README.md" > writ.yaml

tried=0
run() {
    [ -n "$command" ] || return 0
    tried=$((tried + 1))
    got=$(eval "$command" 2>&1)
    same "README: $command" "$wanted" "$got"
    command=
}
command=
wanted=
awk '/^```console/ { on = 1; next } /^```/ { if (on) print "."; on = 0 } on' "$here/README.md" > "$work/lines"
while IFS= read -r line; do
    case $line in
        '$ '*)
            run
            command=${line#'$ '}
            wanted=
            ;;
        .) run ;;
        *) wanted=$wanted${wanted:+
}$line ;;
    esac
done < "$work/lines"
[ "$tried" -ge 5 ] && echo 'ok README shows commands' || echo 'not ok README shows commands'
