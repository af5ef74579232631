// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.egress.secret.Exchange;
import dev.writ.egress.secret.Masker;
import dev.writ.egress.secret.Sending;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is done to one request and its answer so that secrets get where they belong, and nowhere
/// else. Nothing, in a session that has none.
final class Concealing {
    private static final Concealing NOTHING = new Concealing(null, false);

    private final @Nullable Exchange exchange;
    private final @Nullable Masker masker;
    private final @Nullable ByteArrayOutputStream whole; // the body, if it is needed in one piece

    private Concealing(@Nullable Exchange exchange, boolean collects) {
        this.exchange = exchange;
        this.masker = exchange != null && exchange.masks() ? exchange.masker() : null;
        this.whole = collects ? new ByteArrayOutputStream() : null;
    }

    static Concealing nothing() {
        return NOTHING;
    }

    /// Puts secrets into the head of a request.
    ///
    /// @param out the request as it is to be sent
    /// @param permitted the names of the secrets that may be used
    /// @throws Misplaced if what stands for a secret is elsewhere in it
    static Concealing begin(
            Service service, RequestHead wanted, HttpRequest out, Set<String> permitted) {
        if (service.secrets().isEmpty()) {
            return NOTHING;
        }
        var to = wanted.to();
        var scheme = wanted.action().scheme();
        var head = new HttpFields.OfRequest(out);
        return switch (service.secrets()
                .get()
                .begin(head, scheme, to.host(), to.port(), permitted)) {
            case Sending.Refused refused -> throw new Misplaced(refused);
            case Exchange exchange ->
                    new Concealing(exchange, wanted.hasBody() && exchange.wantsWholeBody());
        };
    }

    /// Whether the body of the request has to be [#collect]ed before anything is sent.
    boolean collects() {
        return whole != null;
    }

    /// @return the whole body, with secrets in it, if this was the last part; `out` then says how
    /// long it is
    /// @throws Misplaced if what stands for a secret is elsewhere in it
    /// @throws BadRequest if it is too large
    Optional<LastHttpContent> collect(HttpContent part, HttpRequest out) {
        if (exchange == null || whole == null) {
            throw new IllegalStateException("the body is not collected");
        }
        var bytes = new byte[part.content().readableBytes()];
        part.content().getBytes(part.content().readerIndex(), bytes);
        if (whole.size() + bytes.length > Exchange.MOST_BODY_BYTES) {
            throw new BadRequest(
                    "a body that a secret is put into has at most "
                            + Exchange.MOST_BODY_BYTES
                            + " bytes");
        }
        whole.writeBytes(bytes);
        if (!(part instanceof LastHttpContent)) {
            return Optional.empty();
        }
        var filled = exchange.body(whole.toByteArray());
        refuse(exchange.look(ByteBuffer.wrap(filled)));
        out.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
        out.headers().set(HttpHeaderNames.CONTENT_LENGTH, filled.length);
        return Optional.of(new DefaultLastHttpContent(Unpooled.wrappedBuffer(filled)));
    }

    /// Looks at a part of the body of the request, before it is sent.
    ///
    /// @throws Misplaced if what stands for a secret is in it
    void look(HttpContent part) {
        if (exchange == null) {
            return;
        }
        look(part.content());
        if (part instanceof LastHttpContent last && !last.trailingHeaders().isEmpty()) {
            refuse(exchange.look(new HttpFields(last.trailingHeaders())));
        }
    }

    /// The same for bytes without a form.
    void look(ByteBuf bytes) {
        if (exchange != null) {
            for (var piece : bytes.nioBuffers()) {
                refuse(exchange.look(piece));
            }
        }
    }

    /// The same for bytes that others may come before and after.
    void lookAlone(ByteBuf bytes) {
        if (exchange != null) {
            refuse(exchange.lookAlone(bytes.nioBuffer()));
        }
    }

    private static void refuse(Optional<Sending.Refused> refused) {
        if (refused.isPresent()) {
            throw new Misplaced(refused.get());
        }
    }

    /// Takes secrets out of the head of an answer.
    ///
    /// @throws Misplaced if its body could not be looked through
    void answer(HttpHeaders head) {
        if (exchange != null) {
            refuse(exchange.answer(new HttpFields(head)));
        }
    }

    /// Takes secrets out of a part of the body of an answer, which is given away.
    ///
    /// @throws Misplaced if a program is finding out a secret; then it is not
    HttpContent masked(HttpContent part) {
        if (exchange == null || masker == null) {
            return part;
        }
        requireUnprobed();
        try {
            if (!(part instanceof LastHttpContent last)) {
                return new DefaultHttpContent(masked(part.content(), false));
            }
            var out = new DefaultLastHttpContent(masked(part.content(), true));
            out.trailingHeaders().add(last.trailingHeaders());
            exchange.mask(new HttpFields(out.trailingHeaders()));
            return out;
        } finally {
            part.release();
        }
    }

    /// @throws Misplaced if a program is finding out a secret
    void requireUnprobed() {
        if (exchange != null) {
            refuse(exchange.probed());
        }
    }

    /// The same for bytes without a form, which are not given away.
    ///
    /// @param last whether nothing comes after them that they could be the beginning of
    ByteBuf masked(ByteBuf bytes, boolean last) {
        if (masker == null) {
            return bytes.retain();
        }
        var ready = Unpooled.wrappedBuffer(masker.next(bytes.nioBuffer()));
        return last ? Unpooled.wrappedBuffer(ready, Unpooled.wrappedBuffer(masker.last())) : ready;
    }

    /// Whether bytes of the answer are kept back that may be the beginning of a secret.
    boolean keeps() {
        return masker != null && masker.keeps();
    }

    /// These bytes, because the server says nothing more for now.
    HttpContent letGo() {
        return new DefaultHttpContent(
                masker == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(masker.letGo()));
    }

    /// Takes secrets out of bytes that others may come before and after.
    ByteBuf maskedAlone(ByteBuf bytes) {
        if (exchange == null || masker == null) {
            return bytes.retain();
        }
        var alone = exchange.masker();
        return Unpooled.wrappedBuffer(
                Unpooled.wrappedBuffer(alone.next(bytes.nioBuffer())),
                Unpooled.wrappedBuffer(alone.last()));
    }

    /// Whether there is anything to look at or to take out.
    boolean isNothing() {
        return exchange == null;
    }

    /// The names of the secrets that were put in.
    String used() {
        return exchange == null ? "" : String.join(",", exchange.used());
    }
}
