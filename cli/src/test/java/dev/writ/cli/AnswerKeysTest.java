// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerKeysTest {
    private final AnswerKeys keys = new AnswerKeys();

    private AnswerKeys.Key type(String text) {
        AnswerKeys.Key last = AnswerKeys.Key.NOTHING;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            last = keys.type(b & 0xff);
        }
        return last;
    }

    @Test
    void a_letter_and_enter_are_an_answer() {
        assertThat(type("o")).isEqualTo(AnswerKeys.Key.CHANGED);
        assertThat(keys.line()).isEqualTo("o");
        assertThat(type("\r")).isEqualTo(AnswerKeys.Key.ENTER);
    }

    @Test
    void a_slip_can_be_taken_back() {
        type("x\u007fn");

        assertThat(keys.line()).isEqualTo("n");
    }

    /// What terminals send by themselves. In each, what would be an answer if it were typed.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[24;80R",
                "\u001b[?1;2c",
                "\u001b[0n",
                "\u001b]lo\r\u001b\\",
                "\u001b]2;o\r\u0007",
                "\u001bP1$ro\r\u001b\\",
                "\u001b_o\r\u001b\\",
                "\u001b[Mo\r\r",
                "\u001b[<0;1;1M",
                "\u001b[I",
                "\u001bOM",
                "\u001b[200~o\r\n\u001b[201~",
                "\u001b[200~o\u001b[201\r\u001b[201~",
                "\u001b[111;5u"
            })
    void what_a_terminal_sends_is_no_answer(String sent) {
        for (byte b : sent.getBytes(StandardCharsets.UTF_8)) {
            assertThat(keys.type(b & 0xff)).isEqualTo(AnswerKeys.Key.NOTHING);
        }
        assertThat(keys.line()).isEmpty();
        assertThat(type("n")).isEqualTo(AnswerKeys.Key.CHANGED);
        assertThat(keys.line()).isEqualTo("n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\u0003", "\u0004", "\u001c", "o\u0003", "\u001b\u0003", "\u001b[\u0003"})
    void keys_to_get_out_are_always_heard(String typed) {
        assertThat(type(typed)).isEqualTo(AnswerKeys.Key.STOP);
    }

    @Test
    void a_lone_escape_key_does_not_swallow_the_answer_for_good() {
        type("\u001b]");
        keys.pause();

        assertThat(type("o")).isEqualTo(AnswerKeys.Key.CHANGED);
        assertThat(keys.line()).isEqualTo("o");
    }

    @Test
    void more_than_a_letter_stays_more_than_a_letter() {
        type("hello o");

        assertThat(keys.line()).isEqualTo("hello?o");
    }
}
