// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// To open a device.
public sealed interface Device extends Capability {
    /// The graphics devices.
    String GPU = "gpu";

    /// Devices by path.
    record At(PathPattern path) implements Device {
        @Override
        public List<Capability> throughLinks(UnaryOperator<FilePath> resolve) {
            return path.throughLinks(resolve).<Capability>map(At::new).toList();
        }

        @Override
        public List<Pattern> grants() {
            return List.of(Pattern.of("device").items(path.items()).build());
        }

        @Override
        public String text(Scope scope) {
            return "device:" + path.printTree(scope);
        }
    }

    /// The graphics devices of any maker.
    record Gpu() implements Device {
        private static final List<PathPattern> PATHS =
                Stream.of("/dev/dri", "/dev/nvidia*/**", "/dev/nvidia-caps", "/dev/kfd", "/dev/dxg")
                        .map(
                                p ->
                                        PathPattern.parseTree(
                                                p,
                                                0,
                                                new Scope(FilePath.ROOT, FilePath.ROOT, List.of())))
                        .toList();

        @Override
        public List<Pattern> grants() {
            var patterns = new ArrayList<Pattern>();
            patterns.add(Pattern.of("device").literal(Pattern.END + GPU).build());
            PATHS.forEach(p -> patterns.addAll(new At(p).grants()));
            return patterns;
        }

        @Override
        public String text(Scope scope) {
            return "device:" + GPU;
        }
    }

    static Device parse(String text, int offset, Scope scope) {
        if (text.equals(GPU)) {
            return new Gpu();
        }
        if (!text.startsWith("/")) {
            throw SyntaxException.at(
                    offset,
                    "unknown device `" + Text.shown(text) + "`",
                    "write `device:gpu` or a path below /dev");
        }
        var path = PathPattern.parseTree(text, offset, scope);
        checkBelowDev(path.prefix(), offset);
        return new At(path);
    }

    static void checkBelowDev(FilePath path, int offset) {
        if (path.segments().isEmpty() || !path.segments().getFirst().equals("dev")) {
            throw SyntaxException.at(
                    offset,
                    "a device lies below /dev: `" + Text.shown(path.toString()) + "`",
                    "use `read:` or `write:` for other files");
        }
    }

    @Override
    default Kind kind() {
        return Kind.DEVICE;
    }
}
