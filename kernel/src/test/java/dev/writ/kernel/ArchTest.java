// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ArchTest {
    @Test
    void every_name_that_a_jdk_uses_is_known() {
        assertThat(Arch.named("amd64")).isEqualTo(Arch.X86_64);
        assertThat(Arch.named("x86_64")).isEqualTo(Arch.X86_64);
        assertThat(Arch.named("aarch64")).isEqualTo(Arch.AARCH64);
    }

    @Test
    void another_architecture_is_refused_by_name() {
        assertThatThrownBy(() -> Arch.named("riscv64"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("amd64 or aarch64")
                .hasMessageEndingWith("`riscv64`");
    }
}
