// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OracleReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "output",
                "output()",
                "output(secrets)",
                "output(secret",
                "output(secret))",
                "output(secret) and",
                "output(secret) output(secret)",
                "not",
                "exists(here)",
                "exists(\"a\", \"b\")",
                "size(\"a\", many)",
                "elapsed(soon)",
                "heard(\"tcp\")",
                "heard(nobody)",
                "canary-gone(1)",
                "exists(\"a\\n\")",
                "alive()",
                "says(ALLOWED) && says(ALLOWED)",
            })
    void what_is_no_oracle_is_refused(String text) {
        assertThatThrownBy(() -> OracleReader.read(text))
                .isInstanceOf(UnknownOracleException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALLOWED 7|true",
                "x\\nALLOWED|true",
                "echo ALLOWED|false",
                "ALLOWEDNESS|false",
                "allowed|false",
            })
    void the_word_of_a_probe_counts_only_at_the_start_of_a_line(String output, boolean holds)
            throws IOException, InterruptedException {
        var oracle = OracleReader.read("says(ALLOWED)");

        assertThat(oracle.holds(new PrintedOnly(output.translateEscapes()))).isEqualTo(holds);
    }

    @ParameterizedTest
    @CsvSource({"ALLOWED 164,false", "ALLOWED 252,true", "ALLOWED many,false", "BLOCKED 252,false"})
    void more_addresses_than_loopback_has_are_the_hosts(String output, boolean holds)
            throws IOException, InterruptedException {
        var oracle = OracleReader.read("interfaces()");

        assertThat(oracle.holds(new PrintedOnly(output))).isEqualTo(holds);
    }

    @Test
    void and_binds_tighter_than_or() throws IOException, InterruptedException {
        var oracle = OracleReader.read("output(\"a\") or output(\"b\") and not output(\"c\")");

        assertThat(oracle.holds(new PrintedOnly("a c"))).isTrue();
        assertThat(oracle.holds(new PrintedOnly("b"))).isTrue();
        assertThat(oracle.holds(new PrintedOnly("b c"))).isFalse();
    }
}
