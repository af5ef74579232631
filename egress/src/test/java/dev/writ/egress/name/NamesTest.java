// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.name;

import static dev.writ.egress.name.Messages.question;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.Address;
import dev.writ.core.capability.Host;
import dev.writ.egress.name.Messages.Reply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    private static final int A = 1;
    private static final int PTR = 12;
    private static final int AAAA = 28;
    private static final int HTTPS = 65;

    private final List<String> asked = new ArrayList<>();
    private final Names names = new Names(this::isKnown);

    private boolean isKnown(Host host) {
        asked.add(host.toString());
        return host.toString().endsWith("example.com");
    }

    private Reply ask(byte[] message) {
        return Messages.read(names.answer(message).orElseThrow());
    }

    private String meant(String address) {
        var literal = (Host.Literal) Host.parse(address, 0);
        return names.meant(literal.address()).toString();
    }

    @Test
    void a_known_name_has_an_address_that_means_it() {
        var reply = ask(question("api.example.com", A));

        assertThat(reply.code()).isZero();
        assertThat(reply.addresses()).containsExactly("198.18.0.1");
        assertThat(meant("198.18.0.1")).isEqualTo("api.example.com");
        assertThat(meant("[::ffff:198.18.0.1]")).isEqualTo("api.example.com");
    }

    @Test
    void each_name_keeps_its_own_address() {
        ask(question("a.example.com", A));
        ask(question("b.example.com", A));

        assertThat(ask(question("a.example.com", A)).addresses()).containsExactly("198.18.0.1");
        assertThat(ask(question("b.example.com", A)).addresses()).containsExactly("198.18.0.2");
    }

    @Test
    void case_makes_no_other_name_and_comes_back_as_it_was() {
        byte[] odd = question("aPi.ExAmPlE.cOm", A);
        ask(question("api.example.com", A));

        assertThat(ask(odd).addresses()).containsExactly("198.18.0.1");
        assertThat(new String(names.answer(odd).orElseThrow(), ISO_8859_1))
                .contains("\3aPi\7ExAmPlE\3cOm\0");
    }

    @Test
    void other_addresses_mean_themselves() {
        ask(question("api.example.com", A));

        for (var other :
                List.of("198.18.0.0", "198.18.0.2", "198.19.255.255", "1.2.3.4", "[2001:db8::1]")) {
            assertThat(meant(other)).isEqualTo(other);
        }
        assertThat(names.meant(new Address(true, 0xC612_0001L, 0xC612_0001L)))
                .isInstanceOf(Host.Literal.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {AAAA, HTTPS, PTR, 2, 5, 6, 15, 16, 33, 64, 252, 255})
    void a_known_name_has_nothing_else(int type) {
        var reply = ask(question("api.example.com", type));

        assertThat(reply.code()).isZero();
        assertThat(reply.addresses()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {A, AAAA, PTR, HTTPS})
    void another_name_does_not_exist(int type) {
        assertThat(ask(question("evil.test", type)).code()).isEqualTo(3);
        assertThat(ask(question("example.com.evil.test", type)).code()).isEqualTo(3);
    }

    @Test
    void numbers_have_no_names() {
        var all = new Names(_ -> true);
        for (var name :
                List.of(
                        "1.0.18.198.in-addr.arpa",
                        "127.0.0.1",
                        "0x7f.1",
                        "2130706433",
                        "1.ip6.arpa")) {
            var reply = Messages.read(all.answer(question(name, A)).orElseThrow());
            assertThat(reply.code()).as(name).isEqualTo(3);
        }
    }

    @Test
    void labels_with_dots_zeros_and_other_bytes_in_them_are_no_known_name() {
        for (var label :
                List.of("api.example", "api\0", "a b", "äpi", "*", "-api", "a/b", "%61pi")) {
            var reply = ask(question(List.of(label, "example", "com"), A));
            assertThat(reply.code()).as(label).isEqualTo(3);
        }
        assertThat(ask(question(List.of("api.example.com"), A)).code()).isEqualTo(3);
        assertThat(ask(question(List.of(), A)).code()).isEqualTo(3);
    }

    @Test
    void when_all_addresses_are_used_a_new_name_fails_and_the_old_ones_stay() {
        var few = new Names(_ -> true, 2);
        for (var name : List.of("a.test", "b.test")) {
            assertThat(Messages.read(few.answer(question(name, A)).orElseThrow()).code()).isZero();
        }

        assertThat(Messages.read(few.answer(question("c.test", A)).orElseThrow()).code())
                .isEqualTo(2);
        assertThat(Messages.read(few.answer(question("b.test", A)).orElseThrow()).addresses())
                .containsExactly("198.18.0.2");
    }

    @Test
    void a_word_about_size_gets_one_back() {
        byte[] message = Messages.withSize(question("api.example.com", A), 0);
        var reply = ask(message);

        assertThat(reply.addresses()).hasSize(1);
        assertThat(reply.extended()).isTrue();
        assertThat(ask(question("api.example.com", A)).extended()).isFalse();
    }

    @Test
    void another_version_of_it_is_not_known() {
        var reply = ask(Messages.withSize(question("api.example.com", A), 1));

        assertThat(reply.code()).isEqualTo(16);
        assertThat(reply.addresses()).isEmpty();
    }

    @Test
    void replies_and_scraps_get_no_answer() {
        byte[] reply = names.answer(question("api.example.com", A)).orElseThrow();

        assertThat(names.answer(reply)).isEmpty();
        assertThat(names.answer(new byte[0])).isEmpty();
        assertThat(names.answer(new byte[11])).isEmpty();
    }

    @Test
    void anything_but_one_plain_question_is_malformed_or_not_done() {
        byte[] good = question("api.example.com", A);
        assertThat(ask(put(good, 5, 2)).code()).as("two questions").isEqualTo(1);
        assertThat(ask(put(good, 5, 0)).code()).as("no question").isEqualTo(1);
        assertThat(ask(put(good, 7, 1)).code()).as("an answer").isEqualTo(1);
        assertThat(ask(put(good, 9, 1)).code()).as("an authority").isEqualTo(1);
        assertThat(ask(put(good, 11, 1)).code()).as("a record that is not there").isEqualTo(1);
        assertThat(ask(put(good, 2, 0x28)).code()).as("an update").isEqualTo(4);
        assertThat(ask(put(good, good.length - 1, 3)).code()).as("another class").isEqualTo(4);
        assertThat(ask(Arrays.copyOf(good, good.length - 1)).code()).as("cut").isEqualTo(1);
        assertThat(ask(Arrays.copyOf(good, good.length + 1)).code()).as("more").isEqualTo(1);
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c00c", // a pointer to itself
                "c000", // into the header
                "01 61 c00c", // a loop
                "40 00",
                "80 00" // kinds of labels that never came to be
            })
    void names_that_point_anywhere_are_malformed(String name) {
        byte[] label = HexFormat.of().parseHex(name.replace(" ", ""));
        byte[] message =
                ByteBuffer.allocate(12 + label.length + 4)
                        .put(question(List.of(), A), 0, 12)
                        .put(label)
                        .putShort((short) A)
                        .putShort((short) 1)
                        .array();

        assertThat(ask(message).code()).isEqualTo(1);
        assertThat(asked).isEmpty();
    }

    @Test
    void names_are_as_long_as_names_may_be_and_no_longer() {
        var label = "a".repeat(63);
        var longest = List.of(label, label, label, "a".repeat(49), "example", "com");
        var longer = List.of(label, label, label, "a".repeat(50), "example", "com");

        assertThat(ask(question(longest, A)).addresses()).hasSize(1);
        assertThat(meant("198.18.0.1")).hasSize(253);
        assertThat(ask(question(longer, A)).code()).isEqualTo(1);
    }

    private static byte[] put(byte[] message, int at, int value) {
        byte[] changed = message.clone();
        changed[at] = (byte) value;
        return changed;
    }
}
