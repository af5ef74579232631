// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.PolicyLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A policy of a given size, with every kind of rule and every kind of wildcard, and actions that
/// meet it: about half allowed, the rest denied or asked.
final class PolicyWorld {
    static final Scope SCOPE =
            new Scope(
                    FilePath.of("/srv/project"),
                    FilePath.of("/home/op"),
                    List.of(
                            FilePath.of("/usr/local/bin"),
                            FilePath.of("/usr/bin"),
                            FilePath.of("/bin")));

    private PolicyWorld() {}

    static String yaml(int rules) {
        var allow = new StringBuilder("version: 1\nallow:\n");
        var ask = new StringBuilder("ask:\n");
        var deny = new StringBuilder("deny:\n");
        for (int i = 0; i < rules; i++) {
            switch (i % 20) {
                case 0, 1, 2, 3 ->
                        allow.append("  - read:/srv/area")
                                .append(i % 97)
                                .append("/module")
                                .append(i)
                                .append('\n');
                case 4, 5, 6 ->
                        allow.append("  - write:/srv/area")
                                .append(i % 97)
                                .append("/module")
                                .append(i)
                                .append("/build/**\n");
                case 7 -> allow.append("  - read:/srv/project/**/*.kind").append(i).append('\n');
                case 8 ->
                        allow.append("  - read:/srv/area")
                                .append(i % 97)
                                .append("/*/part")
                                .append(i)
                                .append("/**/*.java\n");
                case 9, 10 -> deny.append("  - read:**/private").append(i).append('\n');
                case 11, 12 ->
                        allow.append("  - net:GET,HEAD=https://api")
                                .append(i)
                                .append(".example.com/v1/**\n");
                case 13 -> allow.append("  - net:*.zone").append(i).append(".example.org:8443\n");
                case 14 -> allow.append("  - net:db").append(i).append(".internal:5432\n");
                case 15 -> allow.append("  - exec:tool").append(i).append('\n');
                case 16 -> ask.append("  - exec:tool").append(i - 1).append(" push\n");
                case 17 -> allow.append("  - env:VAR_").append(i).append("_*\n");
                case 18 -> allow.append("  - tool:mcp/server").append(i).append("/*\n");
                default ->
                        deny.append("  - write:/srv/area")
                                .append(i % 97)
                                .append("/module")
                                .append(i - 15)
                                .append("/build/*.lock\n");
            }
        }
        return allow.append(ask).append(deny).toString();
    }

    static Policy policy(int rules) {
        try {
            var file = Files.createTempFile("writ-bench", ".yaml");
            try {
                Files.writeString(file, yaml(rules));
                return load(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Policy load(Path file) {
        return new PolicyLoader(SCOPE, List.of()).file(file, "bench.yaml").load();
    }

    static List<Action> actions(int rules, int count) {
        var random = new Random(42);
        var actions = new ArrayList<Action>();
        while (actions.size() < count) {
            int i = random.nextInt(rules);
            boolean hit = random.nextInt(10) < 6;
            int n = hit ? i : i + rules;
            String text =
                    switch (i % 20) {
                        case 0, 1, 2, 3 ->
                                "read:/srv/area"
                                        + i % 97
                                        + "/module"
                                        + n
                                        + "/src/main/java/App.java";
                        case 4, 5, 6 ->
                                "write:/srv/area"
                                        + i % 97
                                        + "/module"
                                        + n
                                        + "/build/classes/"
                                        + (random.nextBoolean() ? "App.class" : "x.lock");
                        case 7 -> "read:/srv/project/lib/data/x.kind" + n;
                        case 8 -> "read:/srv/area" + i % 97 + "/team/part" + n + "/a/b/C.java";
                        case 9, 10 ->
                                "read:/srv/area" + i % 97 + "/module" + i + "/private" + n + "/x";
                        case 11, 12 ->
                                "net:"
                                        + (random.nextBoolean() ? "GET" : "POST")
                                        + "=https://api"
                                        + n
                                        + ".example.com/v1/items/7?full=1";
                        case 13 -> "net:a.b.zone" + n + ".example.org:8443";
                        case 14 -> "net:db" + n + ".internal:5432";
                        case 15, 16 -> "exec:/usr/bin/tool" + n + " push --force origin";
                        case 17 -> "env:VAR_" + n + "_NAME";
                        case 18 -> "tool:mcp/server" + n + "/create_issue";
                        default -> "read:/home/op/.ssh/id_" + n;
                    };
            actions.add(Action.parse(text, SCOPE));
        }
        return actions;
    }
}
