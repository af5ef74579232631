// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
    private static Config of(Map<String, String> variables) {
        return Config.of(Path.of("/ws"), variables);
    }

    /// What is guarded below the home lies there whether or not somebody says where that is.
    @ParameterizedTest
    @ValueSource(strings = {"", "/", "//", "here", "./here"})
    void a_home_that_is_none_is_that_of_the_account(String said) {
        var account = FilePath.of(System.getProperty("user.home"));

        assertThat(of(Map.of("HOME", said)).home()).isEqualTo(account);
        assertThat(of(Map.of()).home()).isEqualTo(account);
        assertThat(of(Map.of()).state()).isEqualTo(account.resolve(".local/state/writ"));
    }

    @Test
    void a_home_that_is_said_is_the_home() {
        assertThat(of(Map.of("HOME", "/home/me")).home()).isEqualTo(FilePath.of("/home/me"));
    }
}
