// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The first message of TLS (RFC 8446, 4.1.2), as far as it says for whom it is.
final class ClientHello {
    /// The first byte of a TLS connection.
    static final int HANDSHAKE = 0x16;

    private static final int MOST = 64 * 1024;
    private static final int RECORD_HEAD = 5;
    private static final int LONGEST_RECORD = 16 * 1024;
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_NAME = 0;
    private static final int RANDOM = 34; // with the version before it

    private ClientHello() {}

    /// @param name whom it is for, as it is written there; empty if it does not say
    record Hello(Optional<String> name) {}

    /// Reads it, without taking anything out of `bytes`.
    ///
    /// @return empty if there is more to come
    /// @throws BadRequest if this is none
    static Optional<Hello> read(ByteBuf bytes) {
        var in = bytes.duplicate();
        var message = Unpooled.buffer(in.readableBytes());
        while (in.isReadable()) {
            if (in.getUnsignedByte(in.readerIndex()) != HANDSHAKE
                    || (in.readableBytes() > 1 && in.getByte(in.readerIndex() + 1) != 3)) {
                throw new BadRequest("this is not TLS");
            }
            if (in.readableBytes() < RECORD_HEAD) {
                break;
            }
            int length = in.getUnsignedShort(in.readerIndex() + 3);
            if (length == 0 || length > LONGEST_RECORD) {
                throw new BadRequest("this is not TLS");
            }
            in.skipBytes(RECORD_HEAD);
            message.writeBytes(in, Math.min(length, in.readableBytes()));
            if (message.isReadable() && message.getByte(0) != CLIENT_HELLO) {
                throw new BadRequest("TLS does not begin like this");
            }
            if (message.readableBytes() >= 4) {
                int size = message.getUnsignedMedium(1);
                if (size > MOST) {
                    throw new BadRequest("the first message of TLS is too long");
                }
                if (message.readableBytes() >= 4 + size) {
                    return Optional.of(hello(message.slice(4, size)));
                }
            }
        }
        if (bytes.readableBytes() > MOST) {
            throw new BadRequest("the first message of TLS is too long");
        }
        return Optional.empty();
    }

    private static Hello hello(ByteBuf in) {
        try {
            in.skipBytes(RANDOM);
            in.skipBytes(in.readUnsignedByte()); // session
            in.skipBytes(in.readUnsignedShort()); // ciphers
            in.skipBytes(in.readUnsignedByte()); // compression
            var name = Optional.<String>empty();
            if (in.isReadable()) {
                var extensions = whole(in, in.readUnsignedShort());
                while (extensions.isReadable()) {
                    int type = extensions.readUnsignedShort();
                    var body = extensions.readSlice(extensions.readUnsignedShort());
                    if (type == SERVER_NAME) {
                        if (name.isPresent()) {
                            throw new BadRequest("TLS names two servers");
                        }
                        name = Optional.of(name(body));
                    }
                }
            }
            return new Hello(name);
        } catch (IndexOutOfBoundsException e) {
            throw new BadRequest("the first message of TLS is malformed");
        }
    }

    /// The rest of `in`, which has to be of that length.
    private static ByteBuf whole(ByteBuf in, int length) {
        if (length != in.readableBytes()) {
            throw new BadRequest("the first message of TLS is malformed");
        }
        return in;
    }

    private static String name(ByteBuf body) {
        var list = whole(body, body.readUnsignedShort());
        if (list.readUnsignedByte() != 0) {
            throw new BadRequest("TLS names a server in an unknown way");
        }
        return whole(list, list.readUnsignedShort()).toString(StandardCharsets.ISO_8859_1);
    }
}
