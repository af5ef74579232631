// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.broker.Approver;
import dev.writ.core.file.Draft;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What can be done with the files of a session that may start no program at all.
@Timeout(120)
class SessionFilesIT {
    @TempDir Path temporary;
    private @Nullable FileWorld opened;

    private SessionFiles open(String... rules) throws IOException {
        return open(new FileWorld(temporary, rules));
    }

    private SessionFiles open(FileWorld some) {
        opened = some;
        return some.files();
    }

    @AfterEach
    void end() {
        if (opened != null) {
            opened.close();
        }
    }

    private FileWorld world() {
        return Objects.requireNonNull(opened);
    }

    static void fails(Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FileException.class,
                        e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void a_file_is_written_read_looked_at_moved_and_removed() throws Exception {
        var files = open("allow write:.");
        var made = files.write("a.txt", bytes("hello"), Draft.Wish.ANY);

        assertThat(world().text("a.txt")).isEqualTo("hello");
        assertThat(new String(files.read("a.txt"), UTF_8)).isEqualTo("hello");
        assertThat(new String(files.read("./a.txt", 1, 3), UTF_8)).isEqualTo("ell");
        assertThat(files.read("a.txt", 5, 10)).isEmpty();
        assertThat(files.stat("a.txt")).isEqualTo(made);
        assertThat(made.size()).isEqualTo(5);
        files.move("a.txt", "b.txt");
        fails(Kind.MISSING, () -> files.read("a.txt"));
        files.delete("b.txt", false);
        assertThat(world().workspace).isEmptyDirectory();
        assertThat(world().judged())
                .contains("+ write:./a.txt", "+ read:./a.txt", "+ write:./b.txt")
                .allMatch(j -> j.startsWith("+"));
    }

    @Test
    void the_record_of_a_session_without_programs_says_that_all_is_well() throws Exception {
        var files = open("allow write:.");
        files.write("a", bytes("x"), Draft.Wish.ANY);
        world().session.close();

        assertThat(world().session.events().getFirst()).isInstanceOf(AuditEvent.Opened.class);
        assertThat(world().session.events().getLast())
                .isInstanceOfSatisfying(
                        AuditEvent.Closed.class,
                        c -> assertThat(c.ending()).isEqualTo(AuditEvent.Ending.COMPLETED));
    }

    @Test
    void folders_are_made_listed_and_removed() throws Exception {
        var files = open("allow write:.");
        files.makeFolder("a/b/c", true);
        files.makeFolder("a/b/c", true);
        fails(Kind.EXISTS, () -> files.makeFolder("a", false));
        fails(Kind.MISSING, () -> files.makeFolder("x/y", false));
        world().file("a/b/f", "12345");
        Files.createSymbolicLink(world().workspace.resolve("a/b/l"), Path.of("/nowhere"));

        assertThat(files.list("a/b"))
                .extracting(OpenFolder.Entry::name, OpenFolder.Entry::type)
                .containsExactly(
                        tuple("c", FileStatus.Type.FOLDER),
                        tuple("f", FileStatus.Type.FILE),
                        tuple("l", FileStatus.Type.LINK));
        fails(Kind.NO_FOLDER, () -> files.list("a/b/f"));
        fails(Kind.IS_FOLDER, () -> files.read("a"));
        fails(Kind.IS_FOLDER, () -> files.write("a", bytes(""), Draft.Wish.ANY));
        fails(Kind.NOT_EMPTY, () -> files.delete("a", false));
        files.delete("a", true);
        assertThat(world().workspace.resolve("a")).doesNotExist();
    }

    @Test
    void nothing_is_changed_by_what_is_not_committed_and_all_at_once_by_what_is() throws Exception {
        var files = open("allow write:.");
        var file = world().file("a", "before");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
        try (var draft = files.write("a", Draft.Wish.ANY)) {
            draft.write(ByteBuffer.wrap(bytes("half")));
        }
        assertThat(world().text("a")).isEqualTo("before");
        try (var reader = files.open("a");
                var draft = files.write("a", Draft.Wish.ANY)) {
            draft.write(ByteBuffer.wrap(bytes("af")));
            draft.write(ByteBuffer.wrap(bytes("ter")));
            assertThat(world().text("a")).isEqualTo("before");
            assertThat(draft.commit().size()).isEqualTo(5);
            // Who has it open has all of the old one.
            assertThat(SessionFiles.bytes(reader, 0, 100)).isEqualTo(bytes("before"));
        }
        assertThat(world().text("a")).isEqualTo("after");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x---");
        assertThat(files.list(".")).hasSize(1);
    }

    @Test
    void what_has_no_name_of_its_own_is_neither_removed_nor_moved() throws Exception {
        var files = open("allow write:.");
        world().file("a/b", "text");
        for (var path : new String[] {".", "a/.", "a/..", "/"}) {
            fails(Kind.INVALID, () -> files.delete(path, true));
            fails(Kind.INVALID, () -> files.move(path, "c"));
        }
        assertThat(world().text("a/b")).isEqualTo("text");
    }

    @Test
    void a_file_with_two_names_keeps_both() throws Exception {
        var files = open("allow write:.");
        Files.createLink(world().workspace.resolve("b"), world().file("a", "before, and longer"));
        files.write("a", bytes("after"), Draft.Wish.ANY);
        assertThat(world().text("b")).isEqualTo("after");
    }

    @Test
    void a_file_keeps_its_group_and_its_attributes() throws Exception {
        var files = open("allow write:.");
        var file = world().file("a", "before, and longer");
        var view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        view.write("origin", ByteBuffer.wrap(bytes("here")));
        files.write("a", bytes("after"), Draft.Wish.ANY);
        assertThat(world().text("a")).isEqualTo("after");
        assertThat(view.list()).containsExactly("origin");

        if ((int) Files.getAttribute(file, "unix:uid") == 0) {
            var other = world().file("b", "before");
            Files.setAttribute(other, "unix:gid", 12345);
            files.write("b", bytes("after"), Draft.Wish.ANY);
            assertThat(Files.getAttribute(other, "unix:gid")).isEqualTo(12345);
        }
    }

    @Test
    void a_change_by_somebody_else_is_not_overwritten() throws Exception {
        var files = open("allow write:.");
        world().file("a", "one");
        var tag = Optional.of(files.stat("a").tag());
        world().file("a", "two!");
        fails(Kind.CHANGED, () -> files.write("a", bytes("x"), new Draft.Wish(tag, false, false)));
        var now = Optional.of(files.stat("a").tag());
        try (var draft = files.write("a", new Draft.Wish(now, false, false))) {
            draft.write(ByteBuffer.wrap(bytes("x")));
            world().file("a", "three");
            fails(Kind.CHANGED, draft::commit);
        }
        fails(
                Kind.EXISTS,
                () -> files.write("a", bytes("x"), new Draft.Wish(Optional.empty(), true, false)));
        assertThat(world().text("a")).isEqualTo("three");
    }

    @Test
    void a_text_is_replaced_where_it_is_once_or_everywhere_if_that_is_wanted() throws Exception {
        var files = open("allow write:.");
        world().file("a", "one two one\r\nübrig");
        fails(Kind.NO_MATCH, () -> files.edit("a", "one", "1", false));
        fails(Kind.NO_MATCH, () -> files.edit("a", "three", "3", false));
        fails(Kind.INVALID, () -> files.edit("a", "", "3", false));
        assertThat(world().text("a")).isEqualTo("one two one\r\nübrig");
        assertThat(files.edit("a", "two", "2", false)).isEqualTo(1);
        assertThat(files.edit("a", "one", "1", true)).isEqualTo(2);
        assertThat(world().text("a")).isEqualTo("1 2 1\r\nübrig");
        world().file("b", "a".repeat(10_000));
        assertThat(files.edit("b", "aa", "a", true)).isEqualTo(5000);
    }

    @Test
    void an_edit_makes_nothing_of_little_that_fills_all_memory() throws Exception {
        var files = open("allow write:.");
        world().file("a", "a".repeat(SessionFiles.MOST_BYTES));
        fails(Kind.TOO_MUCH, () -> files.edit("a", "a", "b".repeat(1 << 20), true));
        assertThat(files.stat("a").size()).isEqualTo(SessionFiles.MOST_BYTES);
        assertThat(files.edit("a", "a".repeat(SessionFiles.MOST_BYTES), "b", true)).isEqualTo(1);
    }

    @Test
    void paths_are_found_by_their_looks() throws Exception {
        var files = open("allow write:.");
        for (var name : new String[] {"a.c", "x/b.c", "x/y/c.c", "x/y/d.h", "x/.hidden", "z/[1]"}) {
            world().file(name, "");
        }
        assertThat(files.glob("*.c", ".", 100).hits()).containsExactly("a.c");
        assertThat(files.glob("**/*.c", ".", 100).hits())
                .containsExactly("a.c", "x/b.c", "x/y/c.c");
        assertThat(files.glob("x/**", ".", 100).hits())
                .containsExactly("x/.hidden", "x/b.c", "x/y", "x/y/c.c", "x/y/d.h");
        assertThat(files.glob("**/?.{c,h}", "x", 100).hits())
                .containsExactly("b.c", "y/c.c", "y/d.h");
        assertThat(files.glob("**/[b-c].c", ".", 100).hits()).containsExactly("x/b.c", "x/y/c.c");
        assertThat(files.glob("**/[!b].c", ".", 100).hits()).containsExactly("a.c", "x/y/c.c");
        assertThat(files.glob("z/\\[1\\]", ".", 100).hits()).containsExactly("z/[1]");
        var cut = files.glob("**", ".", 2);
        assertThat(cut.hits()).hasSize(2);
        assertThat(cut.cut()).isEqualTo("there are more than 2");
        fails(Kind.INVALID, () -> files.glob("[", ".", 2));
        fails(Kind.INVALID, () -> files.glob("{a", ".", 2));
        fails(Kind.INVALID, () -> files.glob("/etc/*", ".", 2));
    }

    private static Grep.Query text(String pattern) {
        return new Grep.Query(pattern, false, false, Optional.empty(), 100);
    }

    private static Grep.Query regex(String pattern) {
        return new Grep.Query(pattern, true, true, Optional.of("**/*.txt"), 100);
    }

    @Test
    void lines_are_found_by_text_or_expression() throws Exception {
        var files = open("allow write:.");
        world().file("a.txt", "one\ntwo.\r\nTWO");
        world().file("x/b.md", "two.");
        world().file("x/binary", "two.\0");
        assertThat(files.grep(text("two."), ".").hits())
                .containsExactly(
                        new Grep.Line("a.txt", 2, "two."), new Grep.Line("x/b.md", 1, "two."));
        assertThat(files.grep(regex("^t.o$"), ".").hits())
                .containsExactly(new Grep.Line("a.txt", 3, "TWO"));
        assertThat(files.grep(text("one"), "a.txt").hits())
                .containsExactly(new Grep.Line("", 1, "one"));
        fails(Kind.INVALID, () -> files.grep(regex("("), "."));
        fails(Kind.INVALID, () -> files.grep(regex("((a{1000}){1000}){1000}"), "."));
        // An engine that tries all ways would not come back from this one.
        world().file("a.txt", "a".repeat(50_000) + "!");
        assertThat(files.grep(regex("^(a+)+$"), ".").hits()).isEmpty();
    }

    @Test
    void what_is_written_counts_to_the_limit_of_the_policy() throws Exception {
        var files = open("allow write:.", "allow limit:disk=100k");
        files.write("a", new byte[50_000], Draft.Wish.ANY);
        fails(Kind.NO_ROOM, () -> files.write("b", new byte[60_000], Draft.Wish.ANY));
        fails(Kind.NO_ROOM, () -> files.write("a", new byte[1], Draft.Wish.ANY));
        assertThat(world().workspace.resolve("b")).doesNotExist();
        assertThat(Files.size(world().workspace.resolve("a"))).isEqualTo(50_000);
        assertThat(world().session.events())
                .hasAtLeastOneElementOfType(AuditEvent.LimitReached.class);
    }

    @Test
    void where_the_policy_asks_it_waits_for_the_answer() throws Exception {
        var asked = new AtomicInteger();
        Approver operator =
                (request, _) -> {
                    asked.incrementAndGet();
                    return request.action().toString().contains("yes")
                            ? new Approver.Answer.Approved("test")
                            : new Approver.Answer.Refused("test");
                };
        var files = open(new FileWorld(temporary, operator, "allow write:.", "ask write:./*-asks"));
        world().file("yes-asks", "before");
        files.write("yes-asks", bytes("after"), Draft.Wish.ANY);
        assertThat(world().text("yes-asks")).isEqualTo("after");
        assertThat(asked).hasValue(1);
        fails(Kind.REFUSED, () -> files.write("no-asks", bytes("x"), Draft.Wish.ANY));
        assertThat(world().workspace.resolve("no-asks")).doesNotExist();
        assertThat(asked).hasValue(2);
    }

    @Test
    void where_nobody_can_answer_it_is_refused() throws Exception {
        var files = open("allow write:.", "ask read:./a");
        world().file("a", "x");
        fails(Kind.REFUSED, () -> files.read("a"));
    }
}
