// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern;
import dev.writ.core.pattern.Pattern.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One thing an agent wants to do to one resource, described exactly.
public sealed interface Action {
    Kind kind();

    /// Says the segments of this action's word, in the order in which patterns are built.
    void spell(Consumer<String> out);

    /// Which part of the action the segment at `index` of its word belongs to, as a person calls
    /// it.
    String part(int index);

    /// The action as one writes it, and also the narrowest capability that grants it.
    String text(Scope scope);

    /// Reads an action.
    ///
    /// @throws SyntaxException if `text` is none, or names nothing in one clear way
    static Action parse(String text, Scope scope) {
        return Parser.action(text, scope);
    }

    /// The segments of this action.
    default List<String> word() {
        var word = new ArrayList<String>();
        spell(word::add);
        return word;
    }

    /// An action on one path.
    sealed interface OnPath extends Action {
        FilePath path();

        @Override
        default void spell(Consumer<String> out) {
            out.accept(kind().word());
            spellAll(path().segments(), out);
        }

        @Override
        default String part(int index) {
            return "path";
        }

        @Override
        default String text(Scope scope) {
            return kind().word() + ":" + PathPattern.print(path(), scope);
        }
    }

    /// To read a file or list a folder.
    record ReadFile(FilePath path) implements OnPath {
        @Override
        public Kind kind() {
            return Kind.READ;
        }
    }

    /// To create, change, rename or delete a file.
    record WriteFile(FilePath path) implements OnPath {
        @Override
        public Kind kind() {
            return Kind.WRITE;
        }
    }

    /// To start a program.
    record StartProgram(FilePath program, List<String> arguments) implements Action {
        public StartProgram {
            arguments = List.copyOf(arguments);
        }

        @Override
        public Kind kind() {
            return Kind.EXEC;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("exec");
            spellAll(program.segments(), out);
            out.accept(Pattern.END);
            spellAll(arguments, out);
        }

        @Override
        public String part(int index) {
            return index <= program.segments().size() + 1 ? "program" : "arguments";
        }

        @Override
        public String text(Scope scope) {
            var out =
                    new StringBuilder("exec:")
                            .append(Words.quote(PathPattern.printPlain(program, scope)));
            arguments.forEach(a -> out.append(' ').append(Words.quote(a)));
            return out.toString();
        }

        // As in a record by itself, but ready at once.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof StartProgram start
                    && program.equals(start.program)
                    && arguments.equals(start.arguments);
        }

        @Override
        public int hashCode() {
            return 31 * program.hashCode() + arguments.hashCode();
        }
    }

    /// To open a connection and send whatever bytes.
    record Connect(Scheme transport, Host host, int port) implements Action {
        public Connect {
            if (transport.isRequest()) {
                throw new IllegalArgumentException(
                        "a connection is tcp or udp: `" + transport.word() + "`");
            }
        }

        @Override
        public Kind kind() {
            return Kind.NET;
        }

        @Override
        public void spell(Consumer<String> out) {
            spellDestination(transport, host, port, out);
            out.accept("connect");
        }

        @Override
        public String part(int index) {
            return destinationPart(host, index, "connection");
        }

        @Override
        public String text(Scope scope) {
            return "net:" + (transport == Scheme.UDP ? "udp://" : "") + host + ":" + port;
        }
    }

    /// To make an HTTP or WebSocket request that is looked at on its way.
    ///
    /// @param method `GET` for a WebSocket, which has none of its own
    /// @param path the segments of the path, in the one normal form
    /// @param query the query in the one normal form; empty if there is none
    record Request(
            Scheme scheme, Host host, int port, String method, List<String> path, String query)
            implements Action {
        public Request {
            path = List.copyOf(path);
            if (!scheme.isRequest()) {
                throw new IllegalArgumentException(
                        "a request is http, https, ws or wss: `" + scheme.word() + "`");
            }
            if (scheme.isWebSocket() && !method.equals("GET")) {
                throw new IllegalArgumentException("a WebSocket request has no method");
            }
        }

        @Override
        public Kind kind() {
            return Kind.NET;
        }

        @Override
        public void spell(Consumer<String> out) {
            spellDestination(Scheme.TCP, host, port, out);
            out.accept(scheme.word());
            if (scheme.isHttp()) {
                out.accept(method);
            }
            spellAll(path, out);
            out.accept(Pattern.END);
            out.accept(query);
        }

        @Override
        public String part(int index) {
            int schemeAt = hostLength(host) + 4;
            if (index <= schemeAt) {
                return destinationPart(host, index, "scheme");
            }
            int pathAt = scheme.isHttp() ? schemeAt + 2 : schemeAt + 1;
            return index < pathAt ? "method" : index <= pathAt + path.size() ? "path" : "query";
        }

        @Override
        public String text(Scope scope) {
            var out = new StringBuilder("net:");
            if (scheme.isHttp()) {
                out.append(method).append('=');
            }
            out.append(scheme.word()).append("://").append(host);
            if (port != scheme.port()) {
                out.append(':').append(port);
            }
            return out.append(target()).toString();
        }

        /// Path and query as they are written in a request.
        public String target() {
            String printed = UrlText.printPath(path.stream().<Item>map(Item.Literal::new).toList());
            return query.isEmpty() ? printed : printed + "?" + UrlText.print(query);
        }

        /// The request for `target`, which is a path and maybe a query as somebody has sent them.
        ///
        /// @throws SyntaxException if they have no one meaning
        public static Request of(Scheme scheme, Host host, int port, String method, String target) {
            return NetAction.request(scheme, host, port, method, target);
        }
    }

    /// To accept connections; port 0 is one that the system picks.
    record AcceptConnections(Address address, int port) implements Action {
        @Override
        public Kind kind() {
            return Kind.LISTEN;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("listen");
            out.accept(address.toString());
            out.accept(Target.portWord(port));
        }

        @Override
        public String part(int index) {
            return index == 1 ? "address" : "port";
        }

        @Override
        public String text(Scope scope) {
            return "listen:" + new Host.Literal(address) + ":" + port;
        }
    }

    /// To connect to a named socket.
    record ConnectSocket(FilePath path) implements OnPath {
        @Override
        public Kind kind() {
            return Kind.UNIX;
        }
    }

    /// To see a variable of the environment.
    record SeeVariable(String name) implements Action {
        @Override
        public Kind kind() {
            return Kind.ENV;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("env");
            out.accept(name);
        }

        @Override
        public String part(int index) {
            return "name";
        }

        @Override
        public String text(Scope scope) {
            return "env:" + name;
        }
    }

    /// To have a secret put into what is sent to a destination.
    record UseSecret(String name, Scheme scheme, Host host, int port) implements Action {
        @Override
        public Kind kind() {
            return Kind.SECRET;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("secret");
            out.accept(name);
            out.accept(scheme.word());
            host.spell(out);
            out.accept(Pattern.END);
            out.accept(Target.portWord(port));
        }

        @Override
        public String part(int index) {
            return index == 1
                    ? "name"
                    : index == 2 ? "scheme" : index <= 3 + hostLength(host) ? "host" : "port";
        }

        @Override
        public String text(Scope scope) {
            return new Secret(name, scheme, new HostPattern.Exact(host), port).text(scope);
        }
    }

    /// To open a device.
    record OpenDevice(FilePath path) implements OnPath {
        @Override
        public Kind kind() {
            return Kind.DEVICE;
        }
    }

    /// To use the graphics devices.
    record UseGpu() implements Action {
        @Override
        public Kind kind() {
            return Kind.DEVICE;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("device");
            out.accept(Pattern.END + Device.GPU);
        }

        @Override
        public String part(int index) {
            return "device";
        }

        @Override
        public String text(Scope scope) {
            return "device:" + Device.GPU;
        }
    }

    /// To call a tool.
    record CallTool(List<String> name) implements Action {
        public CallTool {
            name = List.copyOf(name);
        }

        @Override
        public Kind kind() {
            return Kind.TOOL;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("tool");
            spellAll(name, out);
        }

        @Override
        public String part(int index) {
            return "name";
        }

        @Override
        public String text(Scope scope) {
            return "tool:" + String.join("/", name.stream().map(Segments::escape).toList());
        }
    }

    /// To use up to an amount of something bounded.
    record Spend(Limit amount) implements Action {
        @Override
        public Kind kind() {
            return Kind.LIMIT;
        }

        @Override
        public void spell(Consumer<String> out) {
            out.accept("limit");
            out.accept(amount.resource().word());
        }

        @Override
        public String part(int index) {
            return "amount";
        }

        @Override
        public String text(Scope scope) {
            return amount.text(scope);
        }
    }

    private static void spellAll(List<String> segments, Consumer<String> out) {
        for (int i = 0; i < segments.size(); i++) {
            out.accept(segments.get(i));
        }
    }

    private static void spellDestination(
            Scheme transport, Host host, int port, Consumer<String> out) {
        out.accept("net");
        out.accept(transport.word());
        host.spell(out);
        out.accept(Pattern.END);
        out.accept(Target.portWord(port));
    }

    private static int hostLength(Host host) {
        return host instanceof Host.Name name && !name.isSpecial() ? name.labels().size() : 2;
    }

    private static String destinationPart(Host host, int index, String rest) {
        int end = 2 + hostLength(host);
        return index < 2 ? "protocol" : index <= end ? "host" : index == end + 1 ? "port" : rest;
    }
}
