// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScreenStateTest {
    private final ScreenState state = new ScreenState();

    private void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        state.watch(bytes, bytes.length);
    }

    private String taken() {
        return new String(state.take(), StandardCharsets.US_ASCII);
    }

    private String givenBack() {
        return new String(state.giveBack(), StandardCharsets.US_ASCII);
    }

    @Test
    void a_question_gets_a_screen_of_its_own_and_the_other_comes_back() {
        assertThat(taken()).contains("\u001b[?1049h");
        assertThat(givenBack()).endsWith("\u001b[?1049l").contains("\u001b[?2004l");
    }

    @Test
    void the_screen_of_a_full_screen_program_is_not_left() {
        write("\u001b[?1049h\u001b[22;0;0t");

        assertThat(state.isFullScreen()).isTrue();
        assertThat(taken()).doesNotContain("1049");
        assertThat(givenBack()).doesNotContain("1049");
        write("\u001b[?1049l");
        assertThat(state.isFullScreen()).isFalse();
    }

    @Test
    void what_a_program_has_set_is_set_again() {
        write("\u001b[?1000;1006h\u001b[?25l\u001b[?2004h\u001b[2;20r\u001b[4h\u001b[>4;2m");

        assertThat(taken()).contains("\u001b[?1000l", "\u001b[?25h", "\u001b[r", "\u001b[4l");
        assertThat(givenBack())
                .contains(
                        "\u001b[?1000h", "\u001b[?25l", "\u001b[2;20r", "\u001b[4h", "\u001b[>4;2m")
                .doesNotContain("2004");
    }

    @Test
    void a_reset_forgets_it() {
        write("\u001b[?1049h\u001b[?1000h\u001bc");

        assertThat(state.isFullScreen()).isFalse();
        assertThat(givenBack()).doesNotContain("1000h");
    }

    @Test
    void sequences_may_come_in_parts_and_strings_hide_none() {
        write("\u001b[?10");
        write("49h");
        assertThat(state.isFullScreen()).isTrue();
        write("\u001b]0;title [?1049l\u0007 [?1049l");
        assertThat(state.isFullScreen()).isTrue();
        write("\u001b]0;never ended");

        assertThat(taken()).startsWith("\u0018\u001b\\");
    }
}
