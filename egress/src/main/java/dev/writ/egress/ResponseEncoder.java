// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/// Writes answers; one to a HEAD request has no body, whatever its headers say.
final class ResponseEncoder extends HttpResponseEncoder {
    private boolean toHead;

    void toHead(boolean toHead) {
        this.toHead = toHead;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse answer) {
        return toHead || super.isContentAlwaysEmpty(answer);
    }
}
