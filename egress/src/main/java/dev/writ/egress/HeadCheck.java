// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.buffer.ByteBuf;

/// Looks at the bytes of one head as they come, and accepts it only as RFC 9112 has it: lines that
/// end in CR LF, names right before their colon, nothing folded, no control characters.
final class HeadCheck {
    private int seen;
    private int last = -1; // the byte before
    private int lineStart;
    private int line;
    private int spaces; // in the first line
    private boolean named; // whether the colon of this line has come

    boolean hasBegun() {
        return seen > 0;
    }

    /// Whether the whole head is there.
    ///
    /// @param in begins with the head
    /// @throws BadRequest as soon as it cannot become one
    boolean isWhole(ByteBuf in, int most) {
        int from = in.readerIndex();
        int size = in.readableBytes();
        while (seen < size) {
            if (seen >= most) {
                throw new BadRequest("the head of a request has at most " + most + " bytes");
            }
            int b = in.getUnsignedByte(from + seen);
            seen++;
            if (b == '\n' && last == '\r') {
                if (endLine()) {
                    return true;
                }
            } else if (b == '\n' || last == '\r') {
                throw new BadRequest("a line ends in CR LF, and neither stands alone");
            } else if (b != '\r') {
                look(b);
            }
            last = b;
        }
        return false;
    }

    /// Whether it was the empty one.
    private boolean endLine() {
        boolean empty = seen - lineStart == 2;
        if (line == 0 && spaces != 2) {
            throw new BadRequest("a request begins with METHOD TARGET VERSION");
        }
        if (line > 0 && !empty && !named) {
            throw new BadRequest("a header has a name and a colon");
        }
        line++;
        lineStart = seen;
        named = false;
        return empty;
    }

    private void look(int b) {
        if ((b < ' ' && b != '\t') || b == 0x7F) {
            throw new BadRequest("a control character in the head of a request");
        }
        if (line == 0) {
            if (b == '\t' || b > '~') {
                throw new BadRequest("the first line of a request is printable ASCII");
            }
            if (b == ' ') {
                spaces++;
            }
        } else if (!named) {
            if (b == ':' && seen - lineStart > 1) {
                named = true;
            } else if (!isToken(b)) {
                throw new BadRequest(
                        "the name of a header is a word, right before its colon, on a line of its own");
            }
        }
    }

    private static boolean isToken(int b) {
        return (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || (b >= '0' && b <= '9')
                || "!#$%&'*+-.^_`|~".indexOf(b) >= 0;
    }
}
