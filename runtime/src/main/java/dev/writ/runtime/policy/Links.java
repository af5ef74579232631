// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Where paths lead. Rules name `/lib`; the kernel says `/usr/lib`. The parts of a path that do not
/// exist stay as they are.
///
/// What was looked at is remembered, so that many rules cost one look at each folder. Not for
/// threads.
public final class Links {
    private static final int MOST_LINKS = 40;

    /// By path: what the link there says.
    private final Map<String, String> targets = new HashMap<>();

    /// Paths without a link on the way, which most are, and which are asked about again.
    private final Set<FilePath> plain = new HashSet<>();

    public Links() {}

    /// Where `path` really leads now.
    public FilePath resolve(FilePath path) {
        return resolve(path, _ -> true);
    }

    /// Where a rule that names `path` really leads. A link that the agent could have made is not
    /// followed: whoever can write the link would otherwise choose what the rule grants.
    ///
    /// @param policy the rules before links are followed; only built if there is a link
    FilePath resolveTrusted(FilePath path, Supplier<Policy> policy) {
        return resolve(
                path,
                link -> policy.get().decide(new Action.WriteFile(link)) instanceof Decision.Deny);
    }

    /// The first link on the way to `path` that may be written under `policy`.
    public Optional<FilePath> writable(FilePath path, Policy policy) {
        var found = new ArrayList<FilePath>();
        resolve(
                path,
                link -> {
                    if (!(policy.decide(new Action.WriteFile(link)) instanceof Decision.Deny)) {
                        found.add(link);
                    }
                    return true;
                });
        return found.stream().findFirst();
    }

    private FilePath resolve(FilePath path, Predicate<FilePath> mayFollow) {
        if (plain.contains(path) || isPlain(path)) {
            plain.add(path);
            return path;
        }
        var done = new ArrayList<String>();
        var todo = new ArrayDeque<>(path.segments());
        int links = 0;
        while (!todo.isEmpty()) {
            var segment = todo.removeFirst();
            if (segment.equals("..")) {
                if (!done.isEmpty()) {
                    done.removeLast();
                }
                continue;
            }
            done.add(segment);
            var target = target(done.getFirst(), "/" + String.join("/", done));
            if (target.isEmpty() || !mayFollow.test(new FilePath(done))) {
                continue;
            }
            if (++links > MOST_LINKS) {
                return path;
            }
            done.removeLast();
            if (target.startsWith("/")) {
                done.clear();
            }
            push(target, todo);
        }
        return new FilePath(done);
    }

    /// Whether there is no link on the way, which holds for most.
    private boolean isPlain(FilePath path) {
        var way = new StringBuilder();
        for (var segment : path.segments()) {
            way.append('/').append(segment);
            if (!target(path.segments().getFirst(), way.toString()).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private static void push(String target, ArrayDeque<String> todo) {
        for (var part : List.of(target.split("/")).reversed()) {
            if (!part.isEmpty() && !part.equals(".")) {
                todo.addFirst(part);
            }
        }
    }

    /// What the link at this path says; nothing if there is no link.
    private String target(String first, String path) {
        // What /proc links to depends on who looks.
        return first.equals("proc") ? "" : targets.computeIfAbsent(path, Links::read);
    }

    private static String read(String path) {
        try {
            var file = Path.of(path);
            // To ask in this way makes no exception of what is not there, as most is not.
            var found =
                    file.getFileSystem()
                            .provider()
                            .readAttributesIfExists(
                                    file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found != null && found.isSymbolicLink()
                    ? Files.readSymbolicLink(file).toString()
                    : "";
        } catch (IOException | InvalidPathException e) {
            return "";
        }
    }
}
