// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.Links;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file that the operator names for Writ to write, maybe where the command may write, too. Writ
/// is not confined: it must not be led elsewhere by a link that a command has made, now or in an
/// earlier run. So no such link is followed, and the file is opened before anything starts.
final class GivenFile {
    private final Path path;
    private final boolean exposed; // whether the command may put something else there
    private final OutputStream out;
    private final @Nullable Object key; // which file it is

    private GivenFile(Path path, boolean exposed, OutputStream out, @Nullable Object key) {
        this.path = path;
        this.exposed = exposed;
        this.out = out;
        this.key = key;
    }

    /// Opens it, and empties it.
    ///
    /// @throws UsageException if that cannot be done, or not safely
    static GivenFile open(Path path, Policy policy) {
        var named = FilePath.of(path.toAbsolutePath().normalize().toString());
        var links = new Links();
        var made = links.writable(named, policy);
        if (made.isPresent()) {
            throw cannot(path, shown(made.get()) + " is a link that a command could have made");
        }
        var real = links.resolve(named);
        var file = Path.of(real.toString());
        boolean exposed = !(policy.decide(new Action.WriteFile(real)) instanceof Decision.Deny);
        if (exposed
                && Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw cannot(path, "it is no file");
        }
        try {
            var out = Files.newOutputStream(file, options(exposed));
            return new GivenFile(file, exposed, out, exposed ? key(file) : null);
        } catch (IOException e) {
            throw cannot(path, String.valueOf(e.getMessage()));
        }
    }

    private static OpenOption[] options(boolean exposed) {
        Set<OpenOption> options =
                new HashSet<>(
                        Set.of(
                                StandardOpenOption.WRITE,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING));
        if (exposed) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options.toArray(OpenOption[]::new);
    }

    private static UsageException cannot(Path path, String why) {
        return new UsageException("cannot write to " + shown(path) + ": " + why);
    }

    private static String shown(Object path) {
        return "`" + Text.shown(path.toString()) + "`";
    }

    private static @Nullable Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    Writer writer() {
        return new BufferedWriter(new OutputStreamWriter(out, UTF_8));
    }

    /// Writes all that is to be in it.
    ///
    /// @throws IOException if it could not, or the command has put something else in its place
    void write(byte[] bytes) throws IOException {
        try (out) {
            out.write(bytes);
        }
        if (exposed && !Objects.equals(key(path), key)) {
            throw new IOException("something else has taken its place meanwhile");
        }
    }
}
