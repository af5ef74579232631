# SPDX-License-Identifier: Apache-2.0
# Nothing outlives a run, and nothing that goes wrong around it makes it hang, leak or forget: tests/faults.py tries.
. "$(dirname -- "$0")/words"
if command -v python3 > /dev/null; then
    "$here/writ" version > /dev/null || exit 1
    TMPDIR=$work python3 "$here/tests/faults.py" "$here/writ"
else
    echo 'skip faults: python3 is not installed'
fi
