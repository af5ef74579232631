// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.files;

import static dev.writ.runtime.files.FileWorld.CANARY;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.file.Draft;
import dev.writ.core.file.FileException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Archives of folders, with `tar` itself at the other end; and archives that want more than the
/// folder they are put into.
@Timeout(120)
class ArchiveIT {
    private static final String LONG = "long-".repeat(15) + "ü/" + "more-".repeat(15);

    @TempDir Path temporary;
    private FileWorld world;
    private SessionFiles files;

    @BeforeEach
    void given() throws IOException {
        world = new FileWorld(temporary, "allow write:.", "deny read:./a/denied");
        files = world.files();
        world.file("a/one", "1");
        world.file("a/" + LONG + "/two", "2".repeat(2000));
        world.file("a/denied/secret", CANARY);
        world.file("a/skipped/x", "x");
        Files.createSymbolicLink(world.workspace.resolve("a/link"), Path.of("one"));
        Files.createSymbolicLink(world.workspace.resolve("a/away"), world.outside);
        Files.createDirectory(world.workspace.resolve("b"));
    }

    @AfterEach
    void end() {
        world.close();
    }

    private byte[] pack() throws IOException {
        var out = new ByteArrayOutputStream();
        files.pack("a", Optional.of("skipped"), out);
        return out.toByteArray();
    }

    private void tar(String... words) throws Exception {
        var process = new ProcessBuilder(words).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }

    private int unpack(byte[] archive) throws IOException {
        return files.unpack("b", new ByteArrayInputStream(archive));
    }

    @Test
    void tar_reads_what_is_packed() throws Exception {
        var archive = Files.write(temporary.resolve("x.tar"), pack());
        var to = Files.createDirectory(temporary.resolve("to"));
        tar("tar", "-xf", archive.toString(), "-C", to.toString());

        assertThat(to.resolve("one")).hasContent("1");
        assertThat(to.resolve(LONG + "/two")).hasContent("2".repeat(2000));
        assertThat(to.resolve("link")).isSymbolicLink();
        assertThat(to.resolve("away")).isSymbolicLink();
        assertThat(to.resolve("skipped")).doesNotExist();
        assertThat(to.resolve("denied/secret")).doesNotExist();
        assertThat(new String(pack(), ISO_8859_1)).doesNotContain(CANARY);
    }

    @Test
    void what_tar_packs_is_unpacked_in_each_of_its_forms() throws Exception {
        Files.delete(world.workspace.resolve("a/away"));
        for (var form : new String[] {"gnu", "pax", "ustar"}) {
            String to = "b/" + form;
            files.makeFolder(to, false);
            var archive = temporary.resolve(form + ".tar");
            String from = world.workspace.resolve("a").toString();
            tar("tar", "-cf", archive.toString(), "--format", form, "-C", from, ".");
            files.unpack(to, new ByteArrayInputStream(Files.readAllBytes(archive)));

            assertThat(world.text(to + "/" + LONG + "/two")).isEqualTo("2".repeat(2000));
            assertThat(world.workspace.resolve(to + "/link")).isSymbolicLink();
            assertThat(world.text(to + "/link")).isEqualTo("1");
        }
    }

    private static byte[] entry(String name, char type, String link, String content) {
        var out = new ByteArrayOutputStream();
        byte[] bytes = content.getBytes(UTF_8);
        out.writeBytes(TarHeader.of(name, type, 0644, bytes.length, 0, link).block());
        out.writeBytes(bytes);
        out.writeBytes(new byte[-bytes.length & 511]);
        return out.toByteArray();
    }

    private static byte[] archive(byte[]... entries) {
        var out = new ByteArrayOutputStream();
        for (var entry : entries) {
            out.writeBytes(entry);
        }
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    private void refused(String name, byte[]... entries) {
        assertThatThrownBy(() -> unpack(archive(entries)))
                .isInstanceOf(FileException.class)
                .hasMessageContaining("entry `" + name + "`");
    }

    @Test
    void nothing_gets_out_of_the_folder() throws Exception {
        String out = world.outside.toString();
        var naive = temporary.resolve("naive.tar");
        Files.write(naive, archive(entry("../by-tar", '0', "", "x")));
        tar("tar", "-xPf", naive.toString(), "-C", world.workspace.resolve("b").toString());
        assertThat(world.workspace.resolve("by-tar")).as("a naive one goes there").exists();
        refused("../x", entry("../x", '0', "", "x"));
        refused("a/../../x", entry("a/../../x", '0', "", "x"));
        refused("/x", entry("/x", '0', "", "x"));
        refused(
                out + "/x",
                entry("pax", 'x', "", PaxFields.field("path", out + "/x")),
                entry("x", '0', "", "x"));
        refused("../x", entry("l", 'L', "", "../x\0"), entry("x", '0', "", "x"));
        refused("./.", entry("./.", '0', "", "x"));
        refused("l", entry("l", '2', out, ""));
        refused("l", entry("l", '2', "../../work-evil", ""));
        refused("d/l", entry("d/l", '2', "x/../../../y", ""));
        refused("h", entry("h", '1', out + "/secret", ""));
        for (char type : new char[] {'3', '4', '6', 'S'}) {
            refused("special", entry("special", type, "", ""));
        }
        assertThat(world.outside).isDirectoryContaining("glob:**/secret");
        assertThat(world.outside.resolve("x")).doesNotExist();
        assertThat(world.workspace.resolve("x")).doesNotExist();
    }

    @Test
    void no_link_is_gone_through_whoever_made_it() throws Exception {
        Files.createSymbolicLink(world.workspace.resolve("b/way"), world.outside);
        Files.createSymbolicLink(world.workspace.resolve("b/leaf"), world.outside.resolve("new"));
        refused("way/x", entry("way/x", '0', "", "x"));
        refused("way/", entry("way/", '5', "", ""));
        refused("leaf", entry("leaf", '0', "", "x"));
        refused(
                "in/x",
                entry("d/", '5', "", ""),
                entry("in", '2', "d", ""),
                entry("in/x", '0', "", "x"));
        try (var names = Files.list(world.outside)) {
            assertThat(names).hasSize(1);
        }
    }

    @Test
    void what_is_broken_or_not_permitted_is_said() throws Exception {
        byte[] whole = archive(entry("x", '0', "", "hello"));
        byte[] broken = whole.clone();
        broken[0] = 'y';
        assertThatThrownBy(() -> unpack(broken)).hasMessageContaining("broken");
        assertThatThrownBy(() -> unpack(Arrays.copyOf(whole, 514))).hasMessageContaining("early");
        assertThatThrownBy(() -> unpack(new byte[10])).hasMessageContaining("early");
        refused(".git/hooks/x", entry(".git/hooks/x", '0', "", "x"));
        assertThat(world.workspace.resolve("b/x")).doesNotExist();
        assertThat(unpack(whole)).isEqualTo(1);
        assertThat(world.text("b/x")).isEqualTo("hello");
    }

    @Test
    void a_second_time_changes_nothing_and_links_give_way_to_links() throws Exception {
        byte[] first = archive(entry("x", '0', "", "1"), entry("l", '2', "x", ""));
        unpack(first);
        assertThat(unpack(first)).isEqualTo(2);
        unpack(archive(entry("l", '2', "y", "")));
        assertThat(Files.readSymbolicLink(world.workspace.resolve("b/l"))).hasToString("y");
        refused("x", entry("x", '2', "y", ""));
        assertThat(world.text("b/x")).isEqualTo("1");
    }

    @Test
    void what_is_left_out_of_a_sparse_file_is_not_taken_for_its_content() throws Exception {
        var sparse = world.workspace.resolve("a/sparse");
        try (var file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(1 << 20);
            file.seek(1 << 19);
            file.write(1);
        }
        var archive = temporary.resolve("sparse.tar");
        for (var form : new String[] {"gnu", "pax"}) {
            tar(
                    "tar",
                    "-Scf",
                    archive.toString(),
                    "--format",
                    form,
                    "-C",
                    world.workspace.resolve("a").toString(),
                    "sparse");
            assertThatThrownBy(() -> unpack(Files.readAllBytes(archive)))
                    .isInstanceOf(FileException.class);
        }
        try (var names = Files.list(world.workspace.resolve("b"))) {
            assertThat(names).isEmpty();
        }
    }

    @Test
    void names_that_are_not_text_stay_two_names() throws Exception {
        Files.delete(world.workspace.resolve("a/away"));
        String one = "n\uDCFF";
        String other = "n\uDCFE";
        files.write("a/" + one, "1".getBytes(UTF_8), Draft.Wish.ANY);
        files.write("a/" + other, "2".getBytes(UTF_8), Draft.Wish.ANY);
        for (var form : new String[] {"gnu", "pax", "ours"}) {
            String to = "b/" + form;
            files.makeFolder(to, false);
            var archive = temporary.resolve(form + ".tar");
            if (form.equals("ours")) {
                Files.write(archive, pack());
            } else {
                String from = world.workspace.resolve("a").toString();
                tar("tar", "-cf", archive.toString(), "--format", form, "-C", from, ".");
            }
            files.unpack(to, new ByteArrayInputStream(Files.readAllBytes(archive)));
            assertThat(files.read(to + "/" + one)).asString().isEqualTo("1");
            assertThat(files.read(to + "/" + other)).asString().isEqualTo("2");
        }
    }

    @Test
    void a_size_that_no_file_has_is_none() {
        assertThatThrownBy(
                        () ->
                                unpack(
                                        archive(
                                                entry(
                                                        "pax",
                                                        'x',
                                                        "",
                                                        PaxFields.field(
                                                                "size", "9223372036854775807")),
                                                entry("d", '5', "", ""))))
                .hasMessageContaining("not a size");
    }
}
