# SPDX-License-Identifier: Apache-2.0
# The recording in docs/recording.md is what happens today.
. "$(dirname -- "$0")/words"
for tool in tmux git python3; do
    command -v "$tool" > /dev/null || {
        echo "skip the recording: $tool is not installed"
        exit 0
    }
done
if "$here/scripts/record" > "$work/recording.md" && diff -u "$here/docs/recording.md" "$work/recording.md" >&2; then
    echo 'ok the recording is what happens'
else
    echo 'not ok the recording is what happens: `scripts/record > docs/recording.md` makes it again'
fi
