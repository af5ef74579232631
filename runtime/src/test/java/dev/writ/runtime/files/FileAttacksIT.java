// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static dev.writ.runtime.files.FileWorld.CANARY;
import static dev.writ.runtime.files.SessionFilesIT.fails;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.writ.core.file.Draft;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.OpenFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tries to get at what lies beside the workspace, or is denied within it, by way of the host
/// application. Each is tried by a naive read or write first, and works.
@Timeout(120)
class FileAttacksIT {
    private static final int SWAPS = 2000;

    @TempDir Path temporary;
    private FileWorld world;
    private SessionFiles files;

    @BeforeEach
    void given() throws IOException {
        world =
                new FileWorld(
                        temporary,
                        "allow write:.",
                        "deny read:./denied",
                        "deny write:./denied",
                        "deny write:./locked/inner");
        files = world.files();
        world.file("fine", "fine");
        world.file("denied/secret", CANARY);
        world.file("locked/other", "fine");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private void refused(String path) {
        fails(Kind.REFUSED, () -> files.read(path));
        fails(Kind.REFUSED, () -> files.stat(path));
        fails(Kind.REFUSED, () -> files.write(path, bytes("x"), Draft.Wish.ANY));
        fails(Kind.REFUSED, () -> files.edit(path, CANARY, "x", false));
    }

    private Path link(String name, String target) throws IOException {
        return Files.createSymbolicLink(world.workspace.resolve(name), Path.of(target));
    }

    @Test
    void what_is_allowed_works() {
        assertThat(files.read("fine")).isEqualTo(bytes("fine"));
        assertThat(files.read("denied/../fine")).isEqualTo(bytes("fine"));
        assertThat(files.read(world.workspace + "/fine")).isEqualTo(bytes("fine"));
        files.write("locked/more", bytes("x"), Draft.Wish.ANY);
    }

    @Test
    void paths_that_lead_out_are_refused_and_recorded_as_what_they_lead_to() throws Exception {
        String out = "../work-evil/secret";
        assertThat(Files.readString(world.workspace.resolve(out))).isEqualTo(CANARY);

        refused(out);
        refused(world.outside + "/secret");
        refused("denied/../../work-evil/secret");
        fails(Kind.REFUSED, () -> files.list(".."));
        fails(Kind.REFUSED, () -> files.list("../work-evil"));
        fails(Kind.REFUSED, () -> files.glob("**", "../work-evil", 10));
        fails(Kind.REFUSED, () -> files.makeFolder("../work-evil/x", true));
        fails(Kind.REFUSED, () -> files.delete(out, true));
        fails(Kind.REFUSED, () -> files.move(out, "here"));
        fails(Kind.REFUSED, () -> files.move("fine", "../work-evil/fine"));
        assertThat(world.judged()).contains("- read:" + world.outside + "/secret");
        assertThat(world.outside).isDirectoryContaining("glob:**/secret");
        assertThat(world.workspace.resolve("fine")).exists();
    }

    @Test
    void a_refusal_says_by_which_rule_and_what_would_help() {
        assertThat(catchThrowable(() -> files.read("denied/secret")))
                .isInstanceOfSatisfying(
                        FileException.class,
                        e -> {
                            assertThat(e)
                                    .hasMessageContaining("denied by")
                                    .hasMessageContaining("denied");
                            assertThat(e.refusal()).isPresent();
                        });
    }

    @Test
    void links_lead_where_they_lead() throws Exception {
        link("out", "../work-evil/secret");
        link("away", world.outside.toString());
        link("in", "denied/secret");
        assertThat(Files.readString(world.workspace.resolve("out"))).isEqualTo(CANARY);
        assertThat(Files.readString(world.workspace.resolve("away/secret"))).isEqualTo(CANARY);
        assertThat(Files.readString(world.workspace.resolve("in"))).isEqualTo(CANARY);

        refused("out");
        refused("away/secret");
        refused("in");
        link("good", "fine");
        assertThat(files.read("good")).isEqualTo(bytes("fine"));
        files.write("good", bytes("new"), Draft.Wish.ANY);
        assertThat(world.text("fine")).isEqualTo("new");
        assertThat(world.workspace.resolve("good")).isSymbolicLink();
        files.delete("out", false);
        assertThat(Files.readString(world.outside.resolve("secret"))).isEqualTo(CANARY);
    }

    @Test
    void a_link_that_leads_nowhere_makes_nothing_outside() throws Exception {
        link("dangling", world.outside + "/new");
        link("again", "dangling");
        var naive = link("naive", world.outside + "/naive");
        Files.writeString(naive, "x");
        assertThat(world.outside.resolve("naive")).exists();

        fails(Kind.REFUSED, () -> files.write("dangling", bytes("x"), Draft.Wish.ANY));
        fails(Kind.REFUSED, () -> files.write("again", bytes("x"), Draft.Wish.ANY));
        assertThat(world.outside.resolve("new")).doesNotExist();
        link("home", "made");
        files.write("home", bytes("x"), Draft.Wish.ANY);
        assertThat(world.text("made")).isEqualTo("x");
        link("loop", "loop");
        fails(Kind.INVALID, () -> files.read("loop"));
        fails(Kind.INVALID, () -> files.write("loop", bytes("x"), Draft.Wish.ANY));
    }

    @Test
    void what_is_denied_inside_of_what_is_allowed_stays_denied() throws Exception {
        refused("denied/secret");
        fails(Kind.REFUSED, () -> files.list("denied"));
        fails(Kind.REFUSED, () -> files.move("denied/secret", "mine"));
        fails(Kind.REFUSED, () -> files.move("denied", "mine"));
        fails(Kind.REFUSED, () -> files.delete("denied", true));
        fails(Kind.REFUSED, () -> files.makeFolder("locked/inner/x", true));
        fails(Kind.REFUSED, () -> files.write("locked/inner", bytes("x"), Draft.Wish.ANY));
        assertThat(Files.readString(world.workspace.resolve("denied/secret"))).isEqualTo(CANARY);
    }

    @Test
    void guarded_files_and_folders_are_guarded() throws Exception {
        world.file(".env", CANARY);
        world.file("sub/.env", CANARY);
        world.file(".git/hooks/sample", "");
        for (var name : new String[] {".env", "sub/.env"}) {
            assertThat(world.text(name)).isEqualTo(CANARY);
            fails(Kind.REFUSED, () -> files.read(name));
            fails(Kind.REFUSED, () -> files.stat(name));
            fails(Kind.REFUSED, () -> files.edit(name, CANARY, "x", false));
            fails(Kind.REFUSED, () -> files.move(name, "mine"));
        }
        fails(Kind.REFUSED, () -> files.write(".git/hooks/pre-commit", bytes("x"), Draft.Wish.ANY));
        fails(Kind.REFUSED, () -> files.write("sub/.git", bytes("gitdir: x"), Draft.Wish.ANY));
        fails(Kind.REFUSED, () -> files.move("fine", "sub/.git"));
        assertThat(world.workspace.resolve("sub/.git")).doesNotExist();
        assertThat(world.workspace.resolve(".git/hooks/pre-commit")).doesNotExist();
    }

    @Test
    void searches_show_nothing_that_must_not_be_read() throws Exception {
        world.file(".env", CANARY);
        link("away", world.outside.toString());
        world.file("sub/note", "no bird");
        var lines = files.grep(new Grep.Query(CANARY, false, false, Optional.empty(), 10), ".");
        assertThat(lines.hits()).isEmpty();
        assertThat(lines.refused()).isEqualTo(2);
        var paths = files.glob("**", ".", 1000);
        assertThat(paths.hits())
                .contains("denied", ".env", "away", "sub/note")
                .doesNotContain("denied/secret", "away/secret");
        assertThat(paths.refused()).isEqualTo(1);
        assertThat(files.list("."))
                .filteredOn(e -> e.status().isEmpty())
                .extracting(OpenFolder.Entry::name)
                .containsExactlyInAnyOrder(".env", "denied");
    }

    @Test
    void pipes_and_devices_hold_nobody_up() throws Exception {
        var pipe = world.workspace.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        fails(Kind.SPECIAL, () -> files.read("pipe"));
        fails(Kind.SPECIAL, () -> files.write("pipe", bytes("x"), Draft.Wish.ANY));
        fails(Kind.SPECIAL, () -> files.edit("pipe", "a", "b", false));
        link("zero", "/dev/zero");
        fails(Kind.SPECIAL, () -> files.read("zero"));
        fails(Kind.SPECIAL, () -> files.read("/dev/zero"));
        fails(Kind.SPECIAL, () -> files.write("/dev/full", bytes("x"), Draft.Wish.ANY));
        assertThat(files.grep(new Grep.Query("x", false, false, Optional.empty(), 9), ".").hits())
                .isEmpty();
    }

    /// All of them would show what this very process has: it reads for others.
    @Test
    void nothing_of_this_process_can_be_reached_through_proc() throws Exception {
        long own = ProcessHandle.current().pid();
        assertThat(Files.readAllBytes(Path.of("/proc/self/environ"))).isNotEmpty();
        try (var generous =
                new FileWorld(
                        Files.createDirectory(temporary.resolve("other")), "allow write:/**")) {
            var all = generous.files();
            for (var name : new String[] {"environ", "maps", "mem", "auxv"}) {
                fails(Kind.REFUSED, () -> all.read("/proc/" + own + "/" + name));
                fails(Kind.MISSING, () -> all.read("/proc/self/" + name));
            }
            fails(Kind.REFUSED, () -> all.read("/proc/" + own + "/cwd/x"));
            fails(Kind.REFUSED, () -> all.read("/proc/" + own + "/root/etc/passwd"));
            fails(Kind.REFUSED, () -> all.list("/proc/" + own + "/fd"));
            fails(
                    Kind.REFUSED,
                    () -> all.write("/proc/" + own + "/fd/1", bytes("x"), Draft.Wish.ANY));
            fails(
                    Kind.REFUSED,
                    () -> all.write("/proc/" + own + "/oom_score_adj", bytes("1"), Draft.Wish.ANY));
            fails(Kind.MISSING, () -> all.read("/dev/stdin"));
            assertThat(all.read("/proc/version")).isNotEmpty();
        }
    }

    @Test
    void a_path_that_means_nothing_is_refused() {
        for (var path : new String[] {"", "a\0b", "x".repeat(5000)}) {
            fails(Kind.INVALID, () -> files.read(path));
            fails(Kind.INVALID, () -> files.write(path, bytes("x"), Draft.Wish.ANY));
        }
        fails(Kind.INVALID, () -> files.read("y".repeat(300)));
        fails(Kind.NO_FOLDER, () -> files.read("fine/x"));
        fails(Kind.IS_FOLDER, () -> files.write("locked/", bytes("x"), Draft.Wish.ANY));
        fails(Kind.IS_FOLDER, () -> files.write("locked/..", bytes("x"), Draft.Wish.ANY));
    }

    @Test
    void folders_nested_without_end_are_cut() throws Exception {
        Files.createDirectories(world.workspace.resolve("d/".repeat(100)));
        assertThat(files.glob("**", ".", 1000).cut()).contains("deep");
        fails(Kind.TOO_MUCH, () -> files.delete("d", true));
    }

    /// Somebody exchanges a name and a link on the way for others all the time.
    @Test
    void what_is_exchanged_meanwhile_is_judged_as_what_it_is() throws Exception {
        var spot = world.workspace.resolve("spot");
        var way = world.workspace.resolve("way");
        Files.createDirectory(world.workspace.resolve("good"));
        world.file("good/secret", "fine");
        var stop = new AtomicBoolean();
        var swapper = Thread.ofPlatform().start(() -> swap(stop, spot, way));
        int naive = 0;
        int read = 0;
        try {
            for (int i = 0; i < SWAPS; i++) {
                try {
                    naive += Files.readString(way.resolve("secret")).equals(CANARY) ? 1 : 0;
                } catch (IOException e) {
                    // between two names
                }
                for (var name : new String[] {"spot", "way/secret"}) {
                    try {
                        assertThat(files.read(name)).isNotEqualTo(bytes(CANARY));
                        read++;
                    } catch (FileException e) {
                        assertThat(e.kind()).isIn(Kind.REFUSED, Kind.MISSING, Kind.INVALID);
                    }
                    try {
                        files.write(name, bytes("fine"), Draft.Wish.ANY);
                    } catch (FileException e) {
                        assertThat(e.kind())
                                .as(e.getMessage())
                                .isIn(
                                        Kind.REFUSED,
                                        Kind.MISSING,
                                        Kind.INVALID,
                                        Kind.CHANGED,
                                        Kind.EXISTS);
                    }
                }
            }
        } finally {
            stop.set(true);
            swapper.join();
        }
        assertThat(naive).isPositive();
        assertThat(read).isPositive();
        assertThat(Files.readString(world.outside.resolve("secret"))).isEqualTo(CANARY);
    }

    private void swap(AtomicBoolean stop, Path spot, Path way) {
        for (int i = 0; !stop.get(); i++) {
            boolean good = i % 2 == 0;
            put(spot, good ? "fine" : "../work-evil/secret", i);
            put(way, good ? "good" : "../work-evil", i);
        }
    }

    private void put(Path name, String target, int number) {
        var aside = world.workspace.resolve(name.getFileName() + "-" + number % 2);
        try {
            Files.deleteIfExists(aside);
            Files.createSymbolicLink(aside, Path.of(target));
            Files.move(aside, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | NoSuchFileException e) {
            // somebody has written there
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
