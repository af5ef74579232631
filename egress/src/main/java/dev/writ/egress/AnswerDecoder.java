// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;

/// Reads what a server answers. Knows what it is the answer to, and whether anything came behind
/// it.
final class AnswerDecoder extends HttpResponseDecoder {
    private boolean toHead;

    AnswerDecoder(int mostHead) {
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(mostHead)
                        .setMaxHeaderSize(4 * mostHead)
                        .setMaxChunkSize(64 * 1024)
                        .setAllowDuplicateContentLengths(false)
                        // Old servers and scripts end lines in LF alone. Nobody else reads what
                        // they say: it is written anew.
                        .setStrictLineParsing(false));
    }

    /// @param toHead whether the next answer is one to HEAD, which has no body
    void expect(boolean toHead) {
        this.toHead = toHead;
    }

    /// Whether all that has come was read.
    boolean isEmpty() {
        return actualReadableBytes() == 0;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        boolean answer =
                message instanceof HttpResponse response
                        && response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
        return (answer && toHead) || super.isContentAlwaysEmpty(message);
    }
}
