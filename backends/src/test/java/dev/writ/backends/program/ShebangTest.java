// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShebangTest {
    private static Optional<Shebang> of(String text) {
        return Shebang.of(text.getBytes(UTF_8));
    }

    private static Optional<Shebang> line(String interpreter, String... argument) {
        return Optional.of(new Shebang(interpreter, List.of(argument)));
    }

    @Test
    void everything_behind_the_interpreter_is_one_argument() {
        assertThat(of("#!/bin/sh\nx")).isEqualTo(line("/bin/sh"));
        assertThat(of("#! \t/bin/sh \t\nx")).isEqualTo(line("/bin/sh"));
        assertThat(of("#!/usr/bin/env -S a  b \n")).isEqualTo(line("/usr/bin/env", "-S a  b"));
        assertThat(of("#!relative/sh\t-x")).isEqualTo(line("relative/sh", "-x"));
        assertThat(of("#!/bin/sh\r\n")).isEqualTo(line("/bin/sh\r"));
    }

    @Test
    void a_zero_ends_a_word() {
        assertThat(of("#!/bin/sh\0 -x\n")).isEqualTo(line("/bin/sh"));
        assertThat(of("#!/bin/sh -x\0y\n")).isEqualTo(line("/bin/sh", "-x"));
    }

    @Test
    void no_interpreter_is_no_script() {
        assertThat(of("")).isEmpty();
        assertThat(of("#")).isEmpty();
        assertThat(of(" #!/bin/sh\n")).isEmpty();
        assertThat(of("#! \t\n/bin/sh\n")).isEmpty();
        assertThat(of("\u007fELF")).isEmpty();
    }

    @Test
    void only_the_start_is_looked_at() {
        assertThat(of("#!/bin/sh " + "x".repeat(500)))
                .isEqualTo(line("/bin/sh", "x".repeat(255 - 10)));
    }
}
