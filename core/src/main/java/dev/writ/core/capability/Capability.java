// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Domain;
import dev.writ.core.pattern.Glob;
import dev.writ.core.pattern.Pattern;
import dev.writ.core.pattern.Pattern.Item;
import dev.writ.core.pattern.Search;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/// The right to do a family of actions. A plain value: no owner, no expiry, no signature.
public sealed interface Capability
        permits Capability.Read,
                Capability.Write,
                Exec,
                Shell,
                Net,
                Listen,
                Capability.Unix,
                Capability.Env,
                Secret,
                Device,
                Capability.Tool,
                Limit {
    Kind kind();

    /// The actions it permits when it is allowed.
    List<Pattern> grants();

    /// The actions it stops when it is denied, and makes a question when it is asked for.
    default List<Pattern> forbids() {
        return grants();
    }

    /// The same right under the names that symbolic links lead to, as far as these differ.
    ///
    /// @param resolve where a path really leads
    default List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
        return List.of();
    }

    /// The same right without programs that are meant by their name alone in `folders`.
    default Capability withoutProgramsIn(Collection<FilePath> folders) {
        return this;
    }

    /// Its one canonical spelling, with `.` and `~` as `scope` has them.
    String text(Scope scope);

    /// Reads a capability.
    ///
    /// @throws SyntaxException if `text` is none
    static Capability parse(String text, Scope scope) {
        return Parser.capability(text, scope);
    }

    /// To read this path and everything below it.
    static Capability read(FilePath path) {
        return new Read(PathPattern.tree(path));
    }

    /// To write this path and everything below it.
    static Capability write(FilePath path) {
        return new Write(PathPattern.tree(path));
    }

    /// To connect to this socket and every one below.
    static Capability unix(FilePath path) {
        return new Unix(PathPattern.tree(path));
    }

    /// Whether every action that `other` grants is granted by this one. Exact.
    ///
    /// @throws dev.writ.core.pattern.UndecidedException if the two overlap in absurdly many ways
    default boolean covers(Capability other) {
        return !(other instanceof Limit)
                && other.grants().stream().allMatch(p -> Search.beyond(p, grants()).isEmpty());
    }

    /// To open files for reading and to list folders.
    record Read(PathPattern path) implements Capability {
        @Override
        public List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
            return path.throughLinks(resolve).<Capability>map(Read::new).toList();
        }

        @Override
        public Kind kind() {
            return Kind.READ;
        }

        @Override
        public List<Pattern> grants() {
            return List.of(Pattern.of("read").items(path.items()).build());
        }

        @Override
        public String text(Scope scope) {
            return "read:" + path.printTree(scope);
        }
    }

    /// To create, change, rename and delete; also to read.
    record Write(PathPattern path) implements Capability {
        @Override
        public List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
            return path.throughLinks(resolve).<Capability>map(Write::new).toList();
        }

        @Override
        public Kind kind() {
            return Kind.WRITE;
        }

        @Override
        public List<Pattern> grants() {
            var patterns = new ArrayList<>(forbids());
            patterns.addAll(new Read(path).grants());
            return patterns;
        }

        /// Denying to write does not stop reading.
        @Override
        public List<Pattern> forbids() {
            return List.of(Pattern.of("write").items(path.items()).build());
        }

        @Override
        public String text(Scope scope) {
            return "write:" + path.printTree(scope);
        }
    }

    /// To connect to a named socket.
    record Unix(PathPattern path) implements Capability {
        @Override
        public List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
            return path.throughLinks(resolve).<Capability>map(Unix::new).toList();
        }

        @Override
        public Kind kind() {
            return Kind.UNIX;
        }

        @Override
        public List<Pattern> grants() {
            return List.of(Pattern.of("unix").items(path.items()).build());
        }

        @Override
        public String text(Scope scope) {
            return "unix:" + path.printTree(scope);
        }
    }

    /// To see a variable of the environment.
    record Env(Glob name) implements Capability {
        @Override
        public Kind kind() {
            return Kind.ENV;
        }

        @Override
        public List<Pattern> grants() {
            return List.of(Pattern.of("env").one(name, Domain.VARIABLE).build());
        }

        @Override
        public String text(Scope scope) {
            return "env:" + name;
        }
    }

    /// To call a tool of the host application or of an MCP server.
    record Tool(List<Item> name) implements Capability {
        public Tool {
            name = List.copyOf(name);
        }

        @Override
        public Kind kind() {
            return Kind.TOOL;
        }

        @Override
        public List<Pattern> grants() {
            var builder = Pattern.of("tool");
            // A name has at least one segment.
            return List.of((isAny() ? builder.any(Domain.TOOL) : builder).items(name).build());
        }

        /// Whether it speaks of tools whose names begin with `segment`, and of no others.
        public boolean isOf(String segment) {
            return name.size() > 1
                    && name.getFirst() instanceof Item.Literal(var first)
                    && first.equals(segment);
        }

        private boolean isAny() {
            return name.size() == 1 && name.getFirst() instanceof Item.Many;
        }

        @Override
        public String text(Scope scope) {
            return "tool:" + String.join("/", name.stream().map(Segments::print).toList());
        }
    }
}
