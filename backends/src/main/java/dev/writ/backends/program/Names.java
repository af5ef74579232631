// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// File names as one process means them: relative to its working directory, and with itself as
/// `/proc/self`. Resolved by hand, because for the kernel `/proc/self` is whoever asks.
///
/// @param process its folder in `/proc`
record Names(Path process) {
    private static final int MOST_LINKS = 40; // as the kernel has it

    /// The regular file that `name` leads to, all links resolved.
    Optional<ProgramFile> find(String name) {
        try {
            return walk(name);
        } catch (IOException _) {
            return Optional.empty(); // gone, a loop, or not to be looked at
        }
    }

    private Optional<ProgramFile> walk(String name) throws IOException {
        if (name.isEmpty()) {
            return Optional.empty();
        }
        var rest = new ArrayDeque<String>();
        push(rest, name);
        var at = FilePath.of(name.startsWith("/") ? "/" : folder(process.resolve("cwd")));
        int links = 0;
        while (!rest.isEmpty()) {
            var next = self(at.resolve(rest.pop()));
            var path = RawText.path(next.toString());
            if (!Files.isSymbolicLink(path)) {
                at = next;
            } else if (++links > MOST_LINKS) {
                return Optional.empty();
            } else if (!path.startsWith("/proc")) {
                String target = RawText.of(Files.readSymbolicLink(path));
                push(rest, target);
                at = target.startsWith("/") ? FilePath.ROOT : at;
            } else if (!rest.isEmpty()) {
                at = FilePath.of(folder(path));
            } else {
                return Files.isRegularFile(path)
                        ? Optional.of(ProgramFile.behind(path))
                        : Optional.empty();
            }
        }
        var path = RawText.path(at.toString());
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                ? Optional.of(new ProgramFile(at, path))
                : Optional.empty();
    }

    private static void push(Deque<String> rest, String name) {
        List.of(name.split("/")).reversed().forEach(rest::push);
    }

    private FilePath self(FilePath path) {
        return switch (path.toString()) {
            case "/proc/self" -> FilePath.of(process.toString());
            case "/proc/thread-self" -> FilePath.of(process + "/task/" + process.getFileName());
            default -> path;
        };
    }

    /// Where a link of `/proc` leads. Its text is not followed further: the kernel wrote it.
    private static String folder(Path link) throws IOException {
        String text = RawText.of(Files.readSymbolicLink(link));
        if (!text.startsWith("/") || !FileId.of(link).isSameFile(FileId.of(RawText.path(text)))) {
            throw new UnclearException("the folder is gone: `" + text + "`");
        }
        return text;
    }
}
