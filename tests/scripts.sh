# SPDX-License-Identifier: Apache-2.0
# The shell scripts themselves.
. "$(dirname -- "$0")/words"
cd "$here" || exit 1
if command -v shellcheck > /dev/null; then
    shellcheck -s sh -x -e SC1090,SC1091,SC2015,SC2016,SC2154,SC3043 writ test bench scripts/java.sh scripts/build tests/*.sh .ci/run &&
        echo 'ok shellcheck finds nothing' || echo 'not ok shellcheck finds nothing'
else
    echo 'skip shellcheck: it is not installed'
fi
for script in writ test bench scripts/build .ci/run; do
    [ -x "$script" ] && echo "ok $script is executable" || echo "not ok $script is executable"
done
