// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SecretForm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// One request with its answer. Belongs to one thread at a time.
public final class Exchange implements Sending {
    /// More than this of a body that a secret is put into is not waited for.
    public static final int MOST_BODY_BYTES = 1 << 20;

    /// Something that stands for a secret is where it does not belong.
    public static final String MISPLACED = "secret.misplaced";

    /// An answer cannot be looked through for secrets.
    public static final String UNREADABLE = "secret.unreadable";

    /// A program is finding out a secret.
    public static final String PROBED = "secret.probed";

    /// What asks for an answer in pieces or packed, in which a value would not be found.
    private static final List<String> KEPT_FROM_SERVERS =
            List.of(
                    "accept-encoding",
                    "range",
                    "if-range",
                    "te",
                    "a-im",
                    "sec-websocket-extensions");

    /// The secrets of the session and how to find them.
    record Known(List<Kept> kept, Automaton marks, Automaton values, Probes probes) {}

    private final Known known;
    private final List<Kept> bound;
    private final Set<String> permitted;
    private final List<String> used = new ArrayList<>();
    private final String contentType;
    private int state = Automaton.START;

    private Exchange(Known known, Head head, List<Kept> bound, Set<String> permitted) {
        this.known = known;
        this.bound = bound;
        this.permitted = Set.copyOf(permitted);
        this.contentType = head.all("content-type").stream().findFirst().orElse("");
    }

    static Sending begin(Known known, Head head, List<Kept> bound, Set<String> permitted) {
        var exchange = new Exchange(known, head, bound, permitted);
        var probed = exchange.probed();
        if (probed.isPresent()) {
            return probed.get();
        }
        exchange.fill(head);
        if (!bound.isEmpty()) {
            KEPT_FROM_SERVERS.forEach(name -> head.set(name, List.of()));
            head.set("accept-encoding", List.of("identity"));
        }
        var left = exchange.carriedIn(head);
        return left.isPresent() ? left.get() : exchange;
    }

    /// Of several secrets for one place the one that the program asks for is taken, or else the
    /// first.
    private void fill(Head head) {
        var may =
                bound.stream()
                        .filter(k -> permitted.contains(k.definition().name()))
                        .filter(k -> !Placing.place(k).isEmpty())
                        .toList();
        var asked = may.stream().filter(k -> Placing.isAsked(head, k)).toList();
        Set<String> taken = new HashSet<>();
        Stream.concat(asked.stream(), may.stream().filter(k -> !asked.contains(k)))
                .filter(k -> taken.add(Placing.place(k)))
                .forEach(
                        k -> {
                            Placing.intoHead(head, k);
                            used.add(k.definition().name());
                        });
    }

    private Optional<Refused> carriedIn(Head head) {
        var target =
                carriedIn(
                        List.of(
                                head.target(),
                                unescaped(head.target()),
                                unescaped(unescaped(head.target()))));
        return target.isPresent() ? target : look(head);
    }

    /// Looks at headers or trailers of the request, before they are sent.
    public Optional<Refused> look(Fields fields) {
        var texts = new ArrayList<String>(fields.names());
        fields.names().forEach(name -> texts.addAll(fields.all(name)));
        return carriedIn(texts);
    }

    private Optional<Refused> carriedIn(List<String> texts) {
        for (var text : texts) {
            var found = lookAlone(bytes(text));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /// Looks at something that is no piece of the body, before it is sent.
    public Optional<Refused> lookAlone(ByteBuffer bytes) {
        int before = state;
        state = Automaton.START;
        var found = look(bytes);
        state = before;
        return found;
    }

    private static String unescaped(String target) {
        var out = new StringBuilder();
        for (int i = 0; i < target.length(); i++) {
            int high = i + 2 < target.length() ? Character.digit(target.charAt(i + 1), 16) : -1;
            int low = i + 2 < target.length() ? Character.digit(target.charAt(i + 2), 16) : -1;
            if (target.charAt(i) == '%' && high >= 0 && low >= 0) {
                out.append((char) (16 * high + low));
                i += 2;
            } else {
                out.append(target.charAt(i));
            }
        }
        return out.toString();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// The names of the secrets that were put in, for the record.
    public List<String> used() {
        return List.copyOf(used);
    }

    /// Whether the body is needed in one piece, up to [#MOST_BODY_BYTES], for [#body]. If not, each
    /// of its pieces is to be shown to [#look].
    public boolean wantsWholeBody() {
        return bound.stream().anyMatch(k -> k.definition().as() instanceof SecretForm.Field);
    }

    /// A body with secrets in it. Show it to [#look] afterwards; its length may have changed.
    public byte[] body(byte[] whole) {
        byte[] body = whole;
        for (var secret : bound) {
            if (secret.definition().as() instanceof SecretForm.Field(var name)
                    && permitted.contains(secret.definition().name())) {
                byte[] filled = Placing.intoBody(body, contentType, name, secret);
                if (!Arrays.equals(filled, body)) {
                    used.add(secret.definition().name());
                }
                body = filled;
            }
        }
        return body;
    }

    /// Looks at the next piece of the request's body, before it is sent. What it has begun with in
    /// earlier pieces counts.
    public Optional<Refused> look(ByteBuffer piece) {
        for (int i = piece.position(); i < piece.limit(); i++) {
            state = known.marks().step(state, piece.get(i));
            if (known.marks().found(state) > 0) {
                return Optional.of(misplaced(known.kept().get(known.marks().group(state))));
            }
        }
        return Optional.empty();
    }

    private Refused misplaced(Kept secret) {
        var definition = secret.definition();
        String name = definition.name();
        String to = definition.to().text(Scope.SPELLED_OUT);
        String place = to.substring(to.indexOf('@') + 1);
        String begin = "the request carries what stands for the secret `" + name + "`, ";
        if (!bound.contains(secret)) {
            return refused(
                    name, MISPLACED, begin + "which is for " + place + " only", "send it there");
        }
        if (!permitted.contains(name)) {
            return refused(name, MISPLACED, begin + "which must not be used here", "");
        }
        return refused(
                name,
                MISPLACED,
                begin + "in another place than `" + definition.as().text() + "`",
                "leave it out: it is put in by itself, or stands where that says");
    }

    private static Refused refused(String name, String code, String sentence, String hint) {
        return new Refused(name, new Reason(code, sentence, hint));
    }

    /// Whether the answer has to be looked through: everything that such a destination says.
    public boolean masks() {
        return !bound.isEmpty();
    }

    /// Why nothing more must be passed on from there, if a program is finding out a secret by what
    /// is kept back of answers.
    public Optional<Refused> probed() {
        return masks() && known.probes().areTooMany()
                ? Optional.of(
                        refused(
                                bound.getFirst().definition().name(),
                                PROBED,
                                "too many answers were cut in the middle of what begins like a secret, by which a program could find out the secret `"
                                        + bound.getFirst().definition().name()
                                        + "`; nothing more is passed on from there in this session",
                                ""))
                : Optional.empty();
    }

    /// Takes secrets out of the head of the answer.
    ///
    /// @return why the answer must not be passed on, if its body cannot be looked through
    public Optional<Refused> answer(Fields head) {
        if (!masks()) {
            return Optional.empty();
        }
        mask(head);
        boolean packed =
                head.all("content-encoding").stream()
                        .map(e -> e.strip().toLowerCase(Locale.ROOT))
                        .anyMatch(e -> !e.isEmpty() && !e.equals("identity"));
        boolean piece = !head.all("content-range").isEmpty();
        return packed || piece
                ? Optional.of(
                        refused(
                                bound.getFirst().definition().name(),
                                UNREADABLE,
                                "the answer is "
                                        + (packed ? "packed" : "a piece")
                                        + " although it must not be, so it cannot be looked through for the secret `"
                                        + bound.getFirst().definition().name()
                                        + "`",
                                ""))
                : Optional.empty();
    }

    /// Takes secrets out of headers or trailers of the answer.
    public void mask(Fields fields) {
        if (masks()) {
            for (var name : Set.copyOf(fields.names())) {
                var given = fields.all(name);
                var masked = given.stream().map(this::mask).toList();
                if (!masked.equals(given)) {
                    fields.set(name, masked);
                }
            }
        }
    }

    /// Takes secrets out of a text of the answer.
    public String mask(String text) {
        var masker = masker();
        return new String(masker.next(bytes(text)), StandardCharsets.ISO_8859_1)
                + new String(masker.last(), StandardCharsets.ISO_8859_1);
    }

    /// What takes secrets out of the body of the answer.
    public Masker masker() {
        return new Masker(known.values(), known.probes());
    }
}
