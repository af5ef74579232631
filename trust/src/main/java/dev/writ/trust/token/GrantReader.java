// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.policy.Effect;
import dev.writ.trust.biscuit.BiscuitException;
import dev.writ.trust.biscuit.Predicate;
import dev.writ.trust.biscuit.PublicKey;
import dev.writ.trust.biscuit.Term;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// Finds a grant in facts. Whether they are all there is to it, [GrantBlock] says.
final class GrantReader {
    private static final int MOST_LINES = 500;
    private static final int LONGEST_TEXT = 200;

    private final List<Predicate> facts;

    GrantReader(List<Predicate> facts) {
        this.facts = facts;
    }

    Grant grant(String holder) {
        var single = bytes("nonce", 16).map(n -> new Grant.Single(n, bytes("arguments", 32)));
        return new Grant(
                PublicKey.ed25519(
                        find(holder, Term.Bytes.class)
                                .orElseThrow(() -> new BiscuitException("it names no " + holder))
                                .value()),
                text("name"),
                lines(),
                time("issued"),
                time("expires"),
                Math.clamp(number("depth"), -1, Grant.DEEPEST + 1),
                new Grant.Terms(text("purpose"), text("session"), text("audience"), single));
    }

    private List<Grant.Line> lines() {
        var lines = new ArrayList<Grant.Line>();
        for (var fact : facts) {
            for (var effect : Effect.values()) {
                if (fact.name().equals(effect.word())
                        && fact.terms().size() == 1
                        && fact.terms().getFirst() instanceof Term.Text(var text)) {
                    lines.add(new Grant.Line(effect, text));
                }
            }
        }
        if (lines.size() > MOST_LINES) {
            throw new BiscuitException("more than " + MOST_LINES + " capabilities");
        }
        return lines;
    }

    private Optional<String> text(String name) {
        var text = find(name, Term.Text.class).map(Term.Text::value);
        if (text.filter(t -> t.isEmpty() || t.length() > LONGEST_TEXT).isPresent()) {
            throw new BiscuitException("its " + name + " is empty or too long");
        }
        return text;
    }

    private Optional<String> bytes(String name, int length) {
        var bytes = find(name, Term.Bytes.class).map(Term.Bytes::value);
        if (bytes.filter(b -> b.length != length).isPresent()) {
            throw new BiscuitException("its " + name + " is not of " + length + " bytes");
        }
        return bytes.map(HexFormat.of()::formatHex);
    }

    private Instant time(String name) {
        long seconds =
                find(name, Term.Date.class)
                        .orElseThrow(() -> new BiscuitException("it has no time `" + name + "`"))
                        .seconds();
        if (seconds < 0 || seconds > 1L << 40) {
            throw new BiscuitException("a time that will never come");
        }
        return Instant.ofEpochSecond(seconds);
    }

    private long number(String name) {
        return find(name, Term.Int.class)
                .orElseThrow(() -> new BiscuitException("it has no number `" + name + "`"))
                .value();
    }

    private <T extends Term> Optional<T> find(String name, Class<T> type) {
        return facts.stream()
                .filter(f -> f.name().equals(name) && f.terms().size() == 1)
                .map(f -> f.terms().getFirst())
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }
}
