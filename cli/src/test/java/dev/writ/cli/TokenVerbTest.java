// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The example of docs/tokens.md, typed.
class TokenVerbTest {
    @TempDir Path folder;
    @TempDir Path state;

    private String out = "";
    private String err = "";

    @BeforeEach
    void real() throws IOException {
        folder = folder.toRealPath();
    }

    private int writ(Path home, String input, String... words) {
        var output = new ByteArrayOutputStream();
        var errors = new ByteArrayOutputStream();
        var world =
                new World(
                        folder,
                        Map.of(
                                "PATH",
                                "/usr/bin:/bin",
                                "HOME",
                                "/root",
                                "WRIT_HOME",
                                home.toString()),
                        new ByteArrayInputStream(input.getBytes(UTF_8)),
                        new PrintStream(output, true, UTF_8),
                        new PrintStream(errors, true, UTF_8),
                        false,
                        List.of());
        int code = new Cli(world).run(List.of(words));
        out = output.toString(UTF_8);
        err = errors.toString(UTF_8);
        return code;
    }

    private String token(String input, String... words) {
        var all = new ArrayList<>(List.of("token"));
        all.addAll(List.of(words));
        assertThat(writ(state, input, all.toArray(String[]::new))).as(err).isZero();
        return out.strip();
    }

    @Test
    void an_orchestrator_gives_less_to_a_coder_and_a_helper_that_wants_more_is_refused_by_name(
            @TempDir Path elsewhere) throws IOException {
        for (var name : List.of("orchestrator", "researcher", "coder", "helper")) {
            assertThat(token("", "holder", "new", name)).matches("ed25519/[0-9a-f]{64}");
        }
        assertThat(Files.getPosixFilePermissions(state.resolve("holders/coder.pem"))).hasSize(2);
        String all =
                token(
                        "",
                        "mint",
                        "--for",
                        "orchestrator",
                        "--ttl",
                        "1h",
                        "--allow",
                        "write:./src/**",
                        "--allow",
                        "net:GET=https://a.test",
                        "--allow",
                        "net:GET=https://b.test");
        String coder =
                token(
                        all,
                        "narrow",
                        "--by",
                        "orchestrator",
                        "--for",
                        "coder",
                        "--allow",
                        "write:./src/**");
        String helper =
                token(
                        coder,
                        "narrow",
                        "--by",
                        "coder",
                        "--for",
                        "helper",
                        "--allow",
                        "write:./src/test/**");

        String tree = token(helper, "show");
        assertThat(tree)
                .contains(
                        "the issuer",
                        "└─ orchestrator (",
                        "      └─ helper (",
                        "allow write:" + folder + "/src/test");
        assertThat(writ(state, "", "keys", "export", "token")).isZero();
        String key = out.strip();

        // with the public key alone, in another installation
        assertThat(writ(elsewhere, helper, "token", "verify", "--key", key)).isZero();
        assertThat(
                        writ(
                                elsewhere,
                                helper,
                                "token",
                                "verify",
                                "--key",
                                key,
                                "write:./src/test/a.py"))
                .isZero();
        assertThat(writ(elsewhere, helper, "token", "verify", "--key", key, "write:./src/main.py"))
                .isEqualTo(126);
        assertThat(out)
                .matches(
                        "(?s)refused +block 2, given by coder \\(.*\\) to helper \\(.*\\), does not include `write:.*/src/main.py`\n");

        assertThat(
                        writ(
                                state, coder, "token", "narrow", "--by", "coder", "--for", "helper",
                                "--allow", "write:/"))
                .isEqualTo(125);
        assertThat(err).contains("is more than orchestrator");
        assertThat(
                        writ(
                                state,
                                coder,
                                "token",
                                "narrow",
                                "--by",
                                "helper",
                                "--for",
                                "helper",
                                "--allow",
                                "write:./src/x"))
                .isEqualTo(125);

        token(coder, "revoke");
        assertThat(writ(state, helper, "token", "verify")).isEqualTo(126);
        assertThat(out).contains("block 1, given by orchestrator").contains("is revoked");
        token(all, "verify");
        token("", "revoke", "--for", "orchestrator");
        assertThat(writ(state, all, "token", "verify")).isEqualTo(126);
    }

    @Test
    void what_is_no_token_is_one_line() {
        assertThat(writ(state, "hello", "token", "verify")).isEqualTo(125);
        assertThat(err).startsWith("writ: not a token").hasLineCount(1);
        assertThat(writ(state, "", "token", "mint", "--for", "nobody", "--allow", "read:."))
                .isEqualTo(125);
        assertThat(err).contains("writ token holder new nobody");
        assertThat(
                        writ(
                                state, "", "token", "mint", "--for", "x", "--ttl", "-1", "--allow",
                                "read:."))
                .isEqualTo(125);
    }
}
