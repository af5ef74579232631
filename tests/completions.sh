# SPDX-License-Identifier: Apache-2.0
# The completions are accepted by the shells they are for, and complete.
. "$(dirname -- "$0")/words"
writ=$here/writ
"$writ" version > /dev/null || exit 1

if command -v bash > /dev/null; then
    "$writ" completions bash > "$work/writ.bash"
    bash -n "$work/writ.bash" && echo 'ok bash accepts its completions' || echo 'not ok bash accepts its completions'
    completed() {
        bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _writ; printf "%s " "${COMPREPLY[@]}"' bash "$work/writ.bash" "$@"
    }
    same 'bash completes a verb' 'explain ' "$(completed writ ex)"
    same 'bash completes a flag' '--policy --profile ' "$(completed writ explain --p)"
    same 'bash completes a profile' 'python ' "$(completed writ run --profile py)"
else
    echo 'skip bash completions: bash is not installed'
fi
if command -v zsh > /dev/null; then
    "$writ" completions zsh > "$work/_writ"
    zsh -n "$work/_writ" && echo 'ok zsh accepts its completions' || echo 'not ok zsh accepts its completions'
else
    echo 'skip zsh completions: zsh is not installed'
fi
if command -v fish > /dev/null; then
    "$writ" completions fish > "$work/writ.fish"
    fish -n "$work/writ.fish" && echo 'ok fish accepts its completions' || echo 'not ok fish accepts its completions'
    same 'fish completes a verb' 'explain' "$(HOME=$work fish -c "source $work/writ.fish; complete -C 'writ expl'" | cut -f 1)"
else
    echo 'skip fish completions: fish is not installed'
fi
