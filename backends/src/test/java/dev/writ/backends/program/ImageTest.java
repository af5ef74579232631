// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageTest {
    @TempDir Path temporary;
    private Path process;
    private Path program;

    @BeforeEach
    void process() throws IOException {
        process = Files.createDirectory(temporary.toRealPath().resolve("process"));
        program = Files.writeString(process.resolve("program"), "x");
        Files.createSymbolicLink(process.resolve("exe"), program);
        Files.writeString(process.resolve("cmdline"), "p\0a\0\0b c\0");
        Files.write(process.resolve("auxv"), vector(3, 0x40, 31, 0x7ff0, 0, 0));
    }

    private static byte[] vector(long... words) {
        var bytes = ByteBuffer.allocate(words.length * 8).order(ByteOrder.nativeOrder());
        Arrays.stream(words).forEach(bytes::putLong);
        return bytes.array();
    }

    private static Memory holding(long address, String text) {
        return (at, _) -> at == address ? text.getBytes(UTF_8) : new byte[0];
    }

    @Test
    void it_has_every_word_empty_ones_too() throws IOException {
        assertThat(Image.of(process, holding(0x7ff0, "./s\0PATH=/")))
                .isEqualTo(
                        new Image(
                                new ProgramFile(
                                        FilePath.of(program.toString()), process.resolve("exe")),
                                "p",
                                List.of("a", "", "b c"),
                                "./s",
                                process));
    }

    @Test
    void an_empty_zeroth_word_is_a_word() throws IOException {
        Files.writeString(process.resolve("cmdline"), "\0");

        var image = Image.of(process, holding(0x7ff0, "x\0"));

        assertThat(image.zeroth()).isEmpty();
        assertThat(image.arguments()).isEmpty();
    }

    @Test
    void words_that_are_no_text_stay_apart() throws IOException {
        Files.write(
                process.resolve("cmdline"), new byte[] {'p', 0, (byte) 0xfe, 0, (byte) 0xff, 0});

        assertThat(Image.of(process, holding(0x7ff0, "x\0")).arguments())
                .containsExactly("\uDCFE", "\uDCFF");
    }

    @Test
    void a_process_that_has_ended_is_no_image() throws IOException {
        Files.writeString(process.resolve("cmdline"), "");

        assertThatThrownBy(() -> Image.of(process, holding(0x7ff0, "x\0")))
                .hasMessage("the process has ended");
    }

    @Test
    void without_a_name_there_is_no_image() throws IOException {
        assertThatThrownBy(() -> Image.of(process, holding(0x7ff0, "no end")))
                .isInstanceOf(UnclearException.class);

        Files.write(process.resolve("auxv"), vector(3, 0x40, 0, 0));
        assertThatThrownBy(() -> Image.of(process, holding(0x7ff0, "x\0")))
                .isInstanceOf(UnclearException.class);
    }

    @Test
    void a_deleted_file_has_a_former_path() {
        var gone = new ProgramFile(FilePath.of("/a/gone (deleted)"), program);
        assertThat(gone.formerPath()).contains(FilePath.of("/a/gone"));
        assertThat(new ProgramFile(FilePath.of("/a/b"), program).formerPath()).isEmpty();
        assertThat(new ProgramFile(FilePath.of("/a/ (deleted)"), program).formerPath()).isEmpty();
    }

    @Test
    void a_variable_is_the_first_of_its_name() throws IOException {
        Files.writeString(process.resolve("environ"), "XPATH=/x\0PATH=/a:/b\0PATH=/c\0");

        assertThat(Image.of(process, holding(0x7ff0, "x\0")).variable("PATH")).contains("/a:/b");
        assertThat(Image.of(process, holding(0x7ff0, "x\0")).variable("P")).isEmpty();
    }
}
