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
import java.util.stream.Stream;

/// The actions that a tool stands for; all of them must be allowed.
final class Wanted {
    private static final List<String> PATHS =
            List.of("file_path", "path", "absolute_path", "notebook_path", "dir_path");
    private static final List<String> PATCHES = List.of("command", "input", "patch");
    private static final String MCP = "mcp__";
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
            case OTHER -> tools();
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
                : Stream.concat(tools().stream(), reads).toList();
    }

    private List<Action> fetch() {
        var addresses = new ArrayList<String>();
        call.text("url").ifPresent(addresses::add);
        // Gemini takes them from what the model says.
        if (call.agent() == CodingAgent.GEMINI) {
            call.text("prompt").stream()
                    .flatMap(p -> Stream.of(Spaces.split(p)))
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

    /// Several, if the name can be read in several ways: whoever is called, it was judged.
    private List<Action> tools() {
        var servers = call.server().map(List::of).orElseGet(this::servers);
        return servers.isEmpty()
                ? List.of(tool(List.of(call.agent().word(), call.tool())))
                : few(servers).stream()
                        .map(s -> tool(List.of("mcp", s.getFirst(), s.getLast())))
                        .toList();
    }

    private static Action tool(List<String> name) {
        if (name.stream().anyMatch(n -> !isName(n))) {
            throw new EventException("this is no name of a tool");
        }
        return new Action.CallTool(name);
    }

    /// Each server and tool that `mcp__SERVER__TOOL` can mean: both may have `__` in their names.
    private List<List<String>> servers() {
        if (!call.tool().startsWith(MCP)) {
            return List.of();
        }
        String rest = call.tool().substring(MCP.length());
        var readings = new ArrayList<List<String>>();
        for (int i = rest.indexOf("__", 1); i > 0 && i + 2 < rest.length(); ) {
            readings.add(List.of(rest.substring(0, i), rest.substring(i + 2)));
            i = rest.indexOf("__", i + 1);
        }
        return readings;
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= LONGEST_NAME
                && name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '/');
    }
}
