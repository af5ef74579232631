// SPDX-License-Identifier: Apache-2.0
package dev.writ.core;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Random capabilities and actions from a small world, so that they meet often. Every failure can
/// be repeated by its seed.
public final class Arbitrary {
    public static final Scope SCOPE =
            new Scope(
                    FilePath.of("/p"),
                    FilePath.of("/h"),
                    List.of(FilePath.of("/usr/bin"), FilePath.of("/bin")));

    private static final List<String> NAMES = List.of("a", "b", "ab", "ba", "aa", ".env", "a.b");
    private static final List<String> GLOBS =
            List.of("*", "a*", "*a", "*b", "a*b", "*a*", ".*", "*.b");
    private static final List<String> HOSTS =
            List.of(
                    "a.com",
                    "b.a.com",
                    "c.b.a.com",
                    "b.com",
                    "localhost",
                    "10.0.0.1",
                    "[::1]",
                    "8.8.8.8");
    private static final List<String> HOST_PATTERNS = List.of("*", "*.a.com", "*.com", "*.b.a.com");
    private static final List<String> PORTS = List.of("80", "443", "5432", "8443");

    private final Random random;

    /// How often to try a property: `n` times, or more in a soak.
    public static int rounds(int n) {
        return n * Integer.getInteger("writ.soak", 1);
    }

    public Arbitrary(long seed) {
        random = new Random(seed);
    }

    public int number(int bound) {
        return random.nextInt(bound);
    }

    public boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    public <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    public Capability capability() {
        return Capability.parse(capabilityText(), SCOPE);
    }

    public Action action() {
        return Action.parse(actionText(), SCOPE);
    }

    public String capabilityText() {
        return switch (number(12)) {
            case 0, 1, 2 -> "read:" + pathPattern();
            case 3, 4 -> "write:" + pathPattern();
            case 5 ->
                    "exec:"
                            + oneOf(List.of("git", "a", pathPattern(), "/usr/bin/git"))
                            + arguments(true);
            case 6 -> "shell:" + oneOf(List.of("*", "read-only", "git", "a,b", "git,a"));
            case 7, 8 -> "net:" + target(true);
            case 9 -> oneOf(List.of("env:", "env:A")) + oneOf(List.of("A", "AB", "*", "A*", "*B"));
            case 10 ->
                    oneOf(
                            List.of(
                                    "tool:a",
                                    "tool:a/*",
                                    "tool:**",
                                    "tool:a/b",
                                    "tool:*/b",
                                    "listen:*:80",
                                    "listen:localhost:*",
                                    "listen:127.0.0.1:80"));
            default ->
                    oneOf(
                            List.of(
                                    "unix:/p/a",
                                    "unix:/**/a",
                                    "device:gpu",
                                    "device:/dev/dri",
                                    "device:/dev/nvidia0",
                                    "secret:a@https://a.com",
                                    "secret:a@https://*.com"));
        };
    }

    public String actionText() {
        return switch (number(12)) {
            case 0, 1, 2 -> "read:" + path();
            case 3, 4 -> "write:" + path();
            case 5, 6 ->
                    "exec:"
                            + oneOf(List.of("/usr/bin/git", "/bin/a", "/bin/sh", "/p/git", path()))
                            + arguments(false);
            case 7, 8 -> "net:" + target(false);
            case 9 -> "env:" + oneOf(List.of("A", "AB", "AAB", "B", "X"));
            case 10 ->
                    oneOf(
                            List.of(
                                    "tool:a",
                                    "tool:a/b",
                                    "tool:c/b",
                                    "tool:x",
                                    "listen:127.0.0.1:80",
                                    "listen:0.0.0.0:80",
                                    "listen:[::1]:0"));
            default ->
                    oneOf(
                            List.of(
                                    "unix:/p/a",
                                    "unix:/x/a/b",
                                    "device:gpu",
                                    "device:/dev/dri/x",
                                    "device:/dev/nvidia0",
                                    "secret:a@https://a.com",
                                    "secret:a@https://b.com"));
        };
    }

    public String path() {
        return IntStream.range(0, number(4))
                .mapToObj(_ -> "/" + oneOf(NAMES))
                .collect(Collectors.joining("", prefix(), chance(50) ? "/a" : "/b"));
    }

    private String pathPattern() {
        var segments = new ArrayList<String>();
        for (int i = number(4); i >= 0; i--) {
            segments.add(chance(50) ? oneOf(NAMES) : chance(50) ? "**" : oneOf(GLOBS));
        }
        return prefix() + "/" + String.join("/", segments);
    }

    private String prefix() {
        return oneOf(List.of("", "", "/p", "/h", "/p"));
    }

    private String arguments(boolean wildcards) {
        return IntStream.range(0, number(3))
                .mapToObj(
                        _ ->
                                " "
                                        + oneOf(
                                                wildcards
                                                        ? List.of("push", "a", "a*", "--x=*")
                                                        : List.of(
                                                                "push", "a", "ab", "--x=1",
                                                                "\"\"")))
                .collect(Collectors.joining());
    }

    private String target(boolean pattern) {
        String host = pattern && chance(50) ? oneOf(HOST_PATTERNS) : oneOf(HOSTS);
        String port = chance(40) ? ":" + (pattern && chance(20) ? "*" : oneOf(PORTS)) : "";
        int form = number(4);
        if (form == 0) {
            return host + port;
        }
        if (form == 1) {
            return oneOf(List.of("tcp", "udp")) + "://" + host + ":" + oneOf(PORTS);
        }
        String scheme = oneOf(List.of("https", "https", "http", "wss"));
        String method =
                scheme.equals("wss")
                        ? ""
                        : oneOf(
                                pattern
                                        ? List.of("allow=", "GET=", "GET,POST=", "")
                                        : List.of("GET=", "POST=", "PURGE="));
        String path =
                chance(60)
                        ? oneOf(
                                pattern
                                        ? List.of("/a", "/a/*", "/a/**", "/**/b", "/*b")
                                        : List.of("/a", "/a/b", "/a/b/c", "/ab", "/c/b"))
                        : "";
        String query =
                chance(20) ? oneOf(pattern ? List.of("?q=*", "?x") : List.of("?q=1", "?x")) : "";
        return method + scheme + "://" + host + port + path + query;
    }
}
