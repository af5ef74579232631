// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.runtime.policy.WrittenAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The actions that a tool stands for; all of them must be allowed.
final class Wanted {
    private static final List<String> PATHS =
            List.of("file_path", "path", "absolute_path", "notebook_path", "dir_path");
    private static final List<String> PATCHES = List.of("command", "input", "patch");
    /// Whatever a program in JavaScript takes for a space.
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Z}\\x{FEFF}]+");
    private static final int LONGEST_NAME = 256;
    private static final int MOST = 100;

    private final ToolCall call;
    private final Scope scope;

    private Wanted(ToolCall call, Scope scope) {
        this.call = call;
        this.scope = scope;
    }

    /// @param scope of the policy
    /// @throws EventException if that cannot be told
    static List<Action> by(ToolCall call, Sort sort, Scope scope) {
        return new Wanted(call, scope).actions(sort);
    }

    /// Each is judged and recorded, and the agent does not wait for long.
    private static <T> List<T> few(List<T> some) {
        if (some.size() > MOST) {
            throw new EventException("it wants more than " + MOST + " things at once");
        }
        return some;
    }

    private List<Action> actions(Sort sort) {
        return switch (sort) {
            case READ -> named().map(this::read).toList();
            case WRITE -> named().map(this::write).toList();
            case PATCH -> patched().map(this::write).toList();
            case LIST -> listed().stream().map(this::read).toList();
            case SEARCH -> search();
            case FETCH -> fetch();
            case OTHER -> List.of(tool());
            case OWN, SHELL -> List.of();
        };
    }

    private Action read(FilePath path) {
        return WrittenAction.resolved(new Action.ReadFile(path));
    }

    private Action write(FilePath path) {
        return WrittenAction.resolved(new Action.WriteFile(path));
    }

    private Stream<FilePath> files(Stream<String> names) {
        return names.flatMap(n -> FileNames.of(n, call.folder(), scope.home()).stream());
    }

    private List<FilePath> given() {
        return files(PATHS.stream().flatMap(p -> call.text(p).stream())).toList();
    }

    private Stream<FilePath> named() {
        var given = given();
        if (given.isEmpty()) {
            throw new EventException("it does not say which file");
        }
        return given.stream();
    }

    private List<FilePath> listed() {
        var given = given();
        return given.isEmpty() ? List.of(call.folder()) : given;
    }

    private Stream<FilePath> patched() {
        var texts = PATCHES.stream().flatMap(p -> call.text(p).stream()).toList();
        if (texts.size() != 1) {
            throw new EventException("it has no patch, or several");
        }
        return files(few(PatchFiles.of(texts.getFirst())).stream());
    }

    /// Nobody judges what it opens below, so the operator has to allow the tool itself.
    private List<Action> search() {
        var places = listed();
        var reads = places.stream().map(this::read);
        return places.stream().allMatch(p -> Files.isRegularFile(Path.of(p.toString())))
                ? reads.toList()
                : Stream.concat(Stream.of(tool()), reads).toList();
    }

    private List<Action> fetch() {
        var addresses = new ArrayList<String>();
        call.text("url").ifPresent(addresses::add);
        // Gemini takes them from what the model says.
        if (call.agent() == CodingAgent.GEMINI) {
            call.text("prompt").stream()
                    .flatMap(SPACE::splitAsStream)
                    .filter(w -> w.contains("://"))
                    .forEach(addresses::add);
        }
        if (addresses.isEmpty()) {
            throw new EventException("it names no address");
        }
        var actions = new ArrayList<Action>();
        for (var address : few(addresses)) {
            actions.add(get(address));
            if (address.startsWith("http://")) {
                // Some agents go there instead.
                actions.add(get("https://" + address.substring("http://".length())));
            }
        }
        return actions;
    }

    private Action get(String address) {
        int fragment = address.indexOf('#');
        String plain = fragment < 0 ? address : address.substring(0, fragment);
        if (!plain.startsWith("https://") && !plain.startsWith("http://")) {
            throw new EventException("only https:// and http:// can be fetched");
        }
        try {
            return Action.parse("net:GET=" + plain, scope);
        } catch (SyntaxException e) {
            throw new EventException("the address has no one meaning: " + e.explanation());
        }
    }

    private Action tool() {
        var server = call.server().orElseGet(this::server);
        var name =
                new ArrayList<>(server.isEmpty() ? List.of(call.agent().word()) : List.of("mcp"));
        name.addAll(server.isEmpty() ? List.of(call.tool()) : server);
        if (name.stream().anyMatch(n -> !isName(n))) {
            throw new EventException("this is no name of a tool");
        }
        return new Action.CallTool(name);
    }

    /// The server and the tool in `mcp__SERVER__TOOL`.
    private List<String> server() {
        var parts = call.tool().split("__", 3);
        return parts.length == 3 && Objects.equals(parts[0], "mcp")
                ? List.of(parts[1], parts[2])
                : List.of();
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= LONGEST_NAME
                && name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '/');
    }
}
