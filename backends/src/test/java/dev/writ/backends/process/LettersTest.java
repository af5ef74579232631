// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LettersTest {
    @Test
    void the_other_name_has_each_letter_in_the_other_case() {
        assertThat(Letters.other(".Git-7")).isEqualTo(".gIT-7");
        assertThat(Letters.other("123")).isEqualTo("123");
    }
}
