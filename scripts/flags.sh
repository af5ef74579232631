# SPDX-License-Identifier: Apache-2.0
# How the JVM is started: java_flags BUILD prints nothing and sets `flags`, `modules` and `profiles`; java_cache JAVA BUILD sets `cache` to the
# file that holds what the JVM would otherwise prepare at each start. All without a process of its own: this is on the
# way to every command.

java_flags() {
    # Whatever is read from a jar is looked for in all that stand before it. The version is read by every command, and
    # classes by none: they are in the cache. The profiles lie beside the jars.
    modules=
    for jar in "$1"/modules/writ-cli-*.jar "$1"/modules/*.jar; do
        case :$modules: in *":$jar:"*) ;; *) modules=$modules${modules:+:}$jar ;; esac
    done
    # What runs for a moment is compiled lightly.
    light="-XX:TieredStopAtLevel=1"
    # There is nothing to replay: the cache was made without a record of what was compiled.
    flags="$light -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-AOTReplayTraining"
    # The JVM must not write to the streams of the command, whatever it thinks of its cache.
    flags="$flags -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -Xlog:all=error:stderr --enable-native-access=ALL-UNNAMED"
    # Netty would tell the flight recorder about its buffers, and loads that for it.
    flags="$flags -Dio.netty.jfr.enabled=false"
    profiles=$1/profiles
}

# The daemon lives long and has many threads. What it does is mostly not its own code, so compiling it better gains nothing (docs/performance.md).
daemon_flags() {
    flags="$flags -Xms16m -Xmx512m -Xss512k -Djdk.nio.maxCachedBufferSize=131072"
}

java_cache() {
    version=unknown
    if [ -r "${1%/bin/java}/release" ]; then
        while IFS= read -r line; do
            case $line in JAVA_RUNTIME_VERSION=*)
                version=${line#*\"}
                version=${version%\"*}
                break # a shell reads it byte by byte
                ;;
            esac
        done < "${1%/bin/java}/release"
    fi
    cache=$2/writ-$version.aot
}
