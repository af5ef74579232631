// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern.Item;
import java.util.ArrayList;
import java.util.List;

/// The one parser of capabilities and actions.
final class Parser {
    /// Longer than any honest one; paths have at most 4096 bytes.
    private static final int MOST_CHARACTERS = 32_768;

    private final String text;
    private final Scope scope;
    private final Kind kind;
    private final String rest;
    private final int offset;

    private Parser(String text, Scope scope) {
        checkCharacters(text);
        this.text = text;
        this.scope = scope;
        this.kind = Kind.of(text);
        this.offset = kind.word().length() + 1;
        this.rest = text.substring(offset);
        if (!rest.isEmpty() && isSpace(rest.charAt(0))) {
            throw SyntaxException.at(offset, "white space after the colon", "remove it");
        }
    }

    static Capability capability(String text, Scope scope) {
        return new Parser(text, scope).capability();
    }

    static Action action(String text, Scope scope) {
        return new Parser(text, scope).action();
    }

    private static void checkCharacters(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw SyntaxException.at(
                    MOST_CHARACTERS, "longer than " + MOST_CHARACTERS + " characters", "");
        }
        for (int i = 0; i < text.length(); i++) {
            if (Text.isControl(text.charAt(i))) {
                throw SyntaxException.at(
                        i,
                        "a control character: `" + Text.shown(text.substring(i, i + 1)) + "`",
                        "");
            }
            if (Character.isSurrogate(text.charAt(i))
                    && text.codePointAt(i) == text.charAt(i)
                    && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)))) {
                throw SyntaxException.at(i, "half a character", "");
            }
        }
        if (!text.isEmpty() && isSpace(text.charAt(0))) {
            throw SyntaxException.at(0, "white space at the beginning", "remove it");
        }
        if (!text.isEmpty() && isSpace(text.charAt(text.length() - 1)) && !endsEscaped(text)) {
            throw SyntaxException.at(
                    text.length() - 1,
                    "white space at the end",
                    "remove it, or write `\\ ` if the name ends in a space");
        }
    }

    private static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    private static boolean endsEscaped(String text) {
        int slashes = 0;
        while (slashes < text.length() - 1 && text.charAt(text.length() - 2 - slashes) == '\\') {
            slashes++;
        }
        return slashes % 2 == 1;
    }

    private Capability capability() {
        return switch (kind) {
            case READ -> new Capability.Read(PathPattern.parseTree(rest, offset, scope));
            case WRITE -> new Capability.Write(PathPattern.parseTree(rest, offset, scope));
            case UNIX -> new Capability.Unix(PathPattern.parseTree(socket(), offset, scope));
            case EXEC -> Exec.parse(rest, offset, scope);
            case SHELL -> Shell.parse(rest, offset, scope);
            case NET -> Net.parse(rest, offset);
            case LISTEN -> Listen.parse(rest, offset);
            case ENV -> new Capability.Env(variable(true));
            case SECRET -> Secret.parse(rest, offset);
            case DEVICE -> Device.parse(rest, offset, scope);
            case TOOL -> new Capability.Tool(tool(Segments.Reading.PATTERN));
            case LIMIT -> Limit.parse(rest, offset);
        };
    }

    private Action action() {
        return switch (kind) {
            case READ -> new Action.ReadFile(path());
            case WRITE -> new Action.WriteFile(path());
            case UNIX -> new Action.ConnectSocket(PathPattern.parseExact(socket(), offset, scope));
            case EXEC -> startProgram();
            case SHELL ->
                    throw SyntaxException.at(
                            0, "a shell is not one action", "name the program: `exec:/bin/sh`");
            case NET -> new NetAction(Target.parse(rest, offset)).parse();
            case LISTEN -> acceptConnections();
            case ENV -> new Action.SeeVariable(variable(false).toString());
            case SECRET -> useSecret();
            case DEVICE -> device();
            case TOOL ->
                    new Action.CallTool(
                            tool(Segments.Reading.EXACT).stream()
                                    .map(i -> ((Item.Literal) i).segment())
                                    .toList());
            case LIMIT -> new Action.Spend(Limit.parse(rest, offset));
        };
    }

    private FilePath path() {
        return PathPattern.parseExact(rest, offset, scope);
    }

    private String socket() {
        if (rest.startsWith("@")) {
            throw SyntaxException.at(
                    offset, "abstract sockets cannot be granted", "use a socket with a path");
        }
        return rest;
    }

    private Action startProgram() {
        var words = Words.split(rest, offset);
        if (words.isEmpty() || !Exec.isPath(words.getFirst().text())) {
            throw SyntaxException.at(
                    offset,
                    "an exec action needs the path of the program",
                    "write it like `exec:/usr/bin/git push`");
        }
        var program = PathPattern.parseExact(words.getFirst().text(), offset, scope);
        var arguments = new ArrayList<String>();
        for (var word : words.subList(1, words.size())) {
            arguments.add(
                    Segments.glob(word.text(), word.offset(), Segments.Reading.LITERAL)
                            .parts()
                            .getFirst());
        }
        return new Action.StartProgram(program, arguments);
    }

    private Action acceptConnections() {
        int colon = Listen.colon(rest, offset);
        String host = rest.substring(0, colon);
        var address = Listen.address(host.equals("localhost") ? "127.0.0.1" : host, offset);
        return new Action.AcceptConnections(
                address,
                Target.parsePort(
                        new Target.Part(rest.substring(colon + 1), offset + colon + 1), 0));
    }

    private Glob variable(boolean wildcards) {
        for (int i = 0; i < rest.length(); i++) {
            char c = rest.charAt(i);
            boolean good = Text.isPlain(c) || c == '_' || (wildcards && c == '*');
            if (!good) {
                throw SyntaxException.at(
                        offset + i,
                        "`" + Text.shown(String.valueOf(c)) + "` cannot stand in a variable's name",
                        c == '='
                                ? "name the variable only, not its value"
                                : "use letters, digits and `_`");
            }
        }
        if (rest.isEmpty() || rest.contains("**")) {
            throw SyntaxException.at(
                    offset,
                    "a variable's name is needed",
                    "write it like `" + Kind.ENV.example() + "`");
        }
        return wildcards
                ? Segments.glob(rest, offset, Segments.Reading.WORD)
                : new Glob(List.of(rest));
    }

    private Action useSecret() {
        var secret = Secret.parse(rest, offset);
        if (secret.host() instanceof HostPattern.Exact(var host)) {
            return new Action.UseSecret(secret.name(), secret.scheme(), host, secret.port());
        }
        throw SyntaxException.at(
                offset, "an action names one exact host", "write the host without `*`");
    }

    private Action device() {
        if (rest.equals(Device.GPU)) {
            return new Action.UseGpu();
        }
        var path = path();
        Device.checkBelowDev(path, offset);
        return new Action.OpenDevice(path);
    }

    private List<Item> tool(Segments.Reading reading) {
        var items = Segments.split(rest, offset, Domain.TOOL, reading);
        boolean empty = items.stream().anyMatch(i -> i.equals(new Item.Literal("")));
        if (empty || rest.chars().anyMatch(Character::isWhitespace)) {
            throw SyntaxException.at(
                    offset,
                    "not a tool's name: `" + Text.shown(rest) + "`",
                    "write it like `" + Kind.TOOL.example() + "`");
        }
        return items;
    }

    @Override
    public String toString() {
        return text;
    }
}
