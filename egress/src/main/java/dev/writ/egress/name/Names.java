// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.name;

import dev.writ.core.capability.Address;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.SyntaxException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/// Answers questions for names, and asks nobody: what is looked up in a sandbox says nothing to
/// anybody outside.
///
/// A known name gets an address that stands for it here and nowhere else, so that a later
/// connection says by its address which name it means. It has no IPv6 address and no other records.
/// Any other name does not exist. That is the answer after which glibc, musl and Go stop at once:
/// after a refusal or a failure they ask the next server, and each of them again.
///
/// May be used from several threads.
public final class Names {
    /// 198.18.0.0/15, which is for measuring networks and reached by nobody.
    private static final long FIRST = 0xC612_0000L;

    /// Far fewer than there are addresses: who makes names up fills no more memory than this.
    private static final int MOST = 1 << 15;

    private final Predicate<Host> known;
    private final int most;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<Integer, String> names = new HashMap<>();

    /// @param known whether a name is to be answered
    public Names(Predicate<Host> known) {
        this(known, MOST);
    }

    Names(Predicate<Host> known, int most) {
        this.known = known;
        this.most = most;
    }

    /// The answer to `message`; empty if that is no question.
    public Optional<byte[]> answer(byte[] message) {
        return Question.read(message).map(this::answer);
    }

    private byte[] answer(Question question) {
        if (question.problem() != Question.NO_PROBLEM) {
            return question.reply(question.problem());
        }
        var name = name(question);
        if (name.isEmpty() || !known.test(name.get())) {
            return question.reply(Question.NO_SUCH_NAME);
        }
        if (question.type() != Question.A) {
            return question.reply(Question.NO_PROBLEM);
        }
        var address = address(name.get().toString());
        return address.isPresent()
                ? question.reply(Question.NO_PROBLEM, (int) address.getAsLong())
                : question.reply(Question.FAILURE);
    }

    /// The host that is asked for. Numbers have no names here: those below `arpa` lead to none.
    private static Optional<Host.Name> name(Question question) {
        try {
            return question.name()
                    .filter(name -> !name.isEmpty())
                    .map(name -> Host.parse(name, 0))
                    .filter(Host.Name.class::isInstance)
                    .map(Host.Name.class::cast)
                    .filter(name -> !name.labels().getLast().equals("arpa"));
        } catch (SyntaxException e) {
            return Optional.empty();
        }
    }

    /// The address that stands for `name`: the same each time; none if all are used.
    private synchronized OptionalLong address(String name) {
        var number = numbers.get(name);
        if (number == null) {
            if (numbers.size() >= most) {
                return OptionalLong.empty();
            }
            number = numbers.size() + 1;
            numbers.put(name, number);
            names.put(number, name);
        }
        return OptionalLong.of(FIRST + number);
    }

    /// Which host `address` stands for: a name, if it was the answer for one, or itself.
    public synchronized Host meant(Address address) {
        long number = address.isV6() ? 0 : address.low() - FIRST;
        var name = number > 0 && number <= most ? names.get((int) number) : null;
        return name == null ? new Host.Literal(address) : Host.parse(name, 0);
    }
}
