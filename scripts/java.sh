# SPDX-License-Identifier: Apache-2.0
# Finds a Java of at least version 25: find_java CACHE prints its path, or says how to get one and fails.
# The usual places are tried in turn; what was found is kept in the file CACHE.

is_java_25() {
    [ -x "$1" ] || return 1
    release=$(dirname -- "$(dirname -- "$(readlink -f -- "$1")")")/release
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$release" 2>/dev/null)
    [ "${version:-0}" -ge 25 ]
}

find_java() {
    if [ -r "$1" ]; then
        read -r found < "$1"
        if [ -x "$found" ]; then
            printf '%s\n' "$found"
            return 0
        fi
    fi
    for candidate in "${WRIT_JAVA:-}" "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)" \
            /usr/lib/jvm/*/bin/java /usr/java/*/bin/java /opt/*jdk*/bin/java /opt/java/*/bin/java \
            "${HOME:-}"/.sdkman/candidates/java/*/bin/java "${HOME:-}"/.jdks/*/bin/java \
            /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java; do
        if [ -n "$candidate" ] && is_java_25 "$candidate"; then
            mkdir -p "$(dirname -- "$1")"
            printf '%s\n' "$candidate" > "$1" 2>/dev/null || true
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    echo 'writ: Java 25 is needed: install a JDK 25 (Temurin, or `sdk install java 25-tem`), or point JAVA_HOME at one' >&2
    return 1
}
