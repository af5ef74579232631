// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.kernel.FileCalls;
import dev.writ.runtime.policy.Links;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file that the operator names for Writ to write, maybe where the command may write, too. Writ
/// is not confined: it must not be led elsewhere by a link that a command has made, now or in an
/// earlier run. So no such link is followed, and the file is opened before anything starts.
final class GivenFile {
    private static final Set<OpenOption> ANYWHERE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    private static final Set<OpenOption> HERE_ALONE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private final boolean exposed; // whether the command may put something else there
    private final SeekableByteChannel out;
    private final @Nullable Object key; // which file it is

    private GivenFile(Path path, boolean exposed, SeekableByteChannel out, @Nullable Object key) {
        this.path = path;
        this.exposed = exposed;
        this.out = out;
        this.key = key;
    }

    /// Opens it. What is in it stays until something is written.
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
        boolean exposed = mayWrite(real, policy);
        try {
            if (exposed && Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !isFile(file)) {
                throw cannot(path, "it is no file");
            }
            var out = exposed ? openBelow(real, policy) : Files.newByteChannel(file, ANYWHERE);
            return new GivenFile(file, exposed, out, exposed ? key(file) : null);
        } catch (IOException e) {
            throw cannot(path, Reason.of(e));
        }
    }

    private static boolean mayWrite(FilePath path, Policy policy) {
        return !(policy.decide(new Action.WriteFile(path)) instanceof Decision.Deny);
    }

    /// Opens a file that no link leads to, folder by folder from the last one that no command can
    /// put something else in place of: another that runs now could put a link there after a look.
    private static SeekableByteChannel openBelow(FilePath file, Policy policy) throws IOException {
        var names = file.segments();
        int own = 0;
        while (!mayWrite(new FilePath(names.subList(0, own + 1)), policy)) {
            own++;
        }
        var above = Path.of("/" + String.join("/", names.subList(0, own)));
        try (var folder = Files.newDirectoryStream(above)) {
            return open((SecureDirectoryStream<Path>) folder, names.subList(own, names.size()));
        }
    }

    private static SeekableByteChannel open(SecureDirectoryStream<Path> folder, List<String> names)
            throws IOException {
        var name = Path.of(names.getFirst());
        if (names.size() == 1) {
            return folder.newByteChannel(name, HERE_ALONE);
        }
        try (var next = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            return open(next, names.subList(1, names.size()));
        }
    }

    /// A file, or a device, which no command can make.
    private static boolean isFile(Path file) throws IOException {
        int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return (mode & FileCalls.S_IFMT) == FileCalls.S_IFCHR
                || Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
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

    /// The same policy, by which the command cannot change what is in it. What is written at once
    /// in the end does without.
    ///
    /// @param flag what the operator has named it by
    Policy keptBy(Policy policy, String flag) {
        if (!exposed) {
            return policy;
        }
        var write = Capability.write(FilePath.of(path.toString()));
        return policy.minus(
                new Rule(Effect.DENY, write, write.text(policy.scope()), Source.of(flag)));
    }

    /// For what is to be in it, piece by piece.
    Writer writer() {
        try {
            return new BufferedWriter(new OutputStreamWriter(emptied(), UTF_8));
        } catch (IOException e) {
            throw cannot(path, Reason.of(e));
        }
    }

    private OutputStream emptied() throws IOException {
        if (Files.isRegularFile(path)) {
            out.truncate(0);
        }
        return Channels.newOutputStream(out);
    }

    @Override
    public String toString() {
        return shown(path);
    }

    /// Writes all that is to be in it.
    ///
    /// @throws IOException if it could not, or the command has put something else in its place
    void write(byte[] bytes) throws IOException {
        try (var all = emptied()) {
            all.write(bytes);
        }
        if (exposed && !Objects.equals(key(path), key)) {
            throw new IOException("something else has taken its place meanwhile");
        }
    }
}
