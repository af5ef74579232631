// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.Set;

/// Questions about files, as the host sees them.
record FileOracle(Question question, String path, String detail) implements Oracle {
    private static final int SETUID = 04000;
    private static final Duration HEARTBEATS = Duration.ofMillis(600);

    enum Question {
        EXISTS("exists"),
        CHANGED("changed"),
        MODE_CHANGED("mode-changed"),
        TIME_CHANGED("time-changed"),
        SETUID("setuid"),
        /// Its detail is the name of the attribute.
        ATTRIBUTE("attribute"),
        /// Its detail is the size from which on it holds.
        SIZE("size"),
        /// Its detail is a text that must be in the file.
        CONTAINS("contains"),
        /// Whether it still changes after the run.
        BEATS("beats"),
        /// Whether an ordinary recursive walk fails.
        UNWALKABLE("unwalkable"),
        /// Whether the host takes over the archive.
        UNPACKS("unpacks");

        private final String spelling;

        Question(String spelling) {
            this.spelling = spelling;
        }

        String spelling() {
            return spelling;
        }

        boolean hasDetail() {
            return this == ATTRIBUTE || this == SIZE || this == CONTAINS;
        }

        boolean hasBefore() {
            return this == CHANGED || this == MODE_CHANGED || this == TIME_CHANGED;
        }
    }

    @Override
    public boolean holds(Evidence evidence) throws IOException, InterruptedException {
        Path file = Oracle.path(evidence, path);
        return switch (question) {
            case EXISTS -> exists(file);
            case CHANGED -> !now(file).content().equals(evidence.before(file).content());
            case MODE_CHANGED -> now(file).mode() != evidence.before(file).mode();
            case TIME_CHANGED -> now(file).modifiedNanos() != evidence.before(file).modifiedNanos();
            case SETUID -> exists(file) && (now(file).mode() & SETUID) != 0;
            case ATTRIBUTE -> attributes(file).list().contains(detail);
            case SIZE -> exists(file) && Files.size(file) >= Long.parseLong(detail);
            case CONTAINS -> exists(file) && Files.readString(file).contains(evidence.fill(detail));
            case BEATS -> beats(file);
            case UNWALKABLE -> !walks(file);
            case UNPACKS -> evidence.unpack(file);
        };
    }

    @Override
    public String finding() {
        return question.spelling() + " " + path;
    }

    @Override
    public Set<String> watched() {
        return question.hasBefore() ? Set.of(path) : Set.of();
    }

    private static boolean exists(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static FileState now(Path file) {
        return FileState.of(file);
    }

    private static UserDefinedFileAttributeView attributes(Path file) throws IOException {
        var view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        if (view == null) {
            throw new IOException("this file system has no attributes of users");
        }
        return view;
    }

    private static boolean beats(Path file) throws IOException, InterruptedException {
        String first = beat(file);
        Thread.sleep(HEARTBEATS);
        return !first.equals(beat(file));
    }

    private static String beat(Path file) throws IOException {
        try {
            return Files.getLastModifiedTime(file) + Files.readString(file);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private static boolean walks(Path folder) {
        try {
            Files.walkFileTree(
                    folder,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                    });
            return true;
        } catch (IOException | UncheckedIOException | StackOverflowError e) {
            return false;
        }
    }
}
