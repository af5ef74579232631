// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a server has answered so far. May be looked at while more comes.
final class Answer implements BodyHandler<Void> {
    private final long most;

    // Both guarded by this.
    private final Excerpt body;
    private @Nullable ResponseInfo head;

    /// @param half how much of the beginning of the body is kept, and how much of its end
    /// @param most after how many bytes nobody reads on
    Answer(int half, long most) {
        this.body = new Excerpt(half);
        this.most = most;
    }

    @Override
    public BodySubscriber<Void> apply(ResponseInfo info) {
        synchronized (this) {
            head = info;
        }
        return BodySubscribers.ofByteArrayConsumer(bytes -> bytes.ifPresent(this::take));
    }

    private synchronized void take(byte[] bytes) {
        body.write(bytes);
        if (body.length() > most) {
            throw new UncheckedIOException(
                    new IOException("a body of more than " + most + " bytes"));
        }
    }

    synchronized Optional<ResponseInfo> head() {
        return Optional.ofNullable(head);
    }

    synchronized String text() {
        return body.text();
    }

    synchronized long length() {
        return body.length();
    }

    synchronized boolean isCut() {
        return body.isCut();
    }
}
