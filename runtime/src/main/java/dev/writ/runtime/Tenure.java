// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import dev.writ.core.audit.AuditLog;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Ends everything that runs in a session when its token holds no more. The broker refuses from
/// that moment on; but a program has files and connections open, and the kernel does not take them
/// back.
///
/// @param <T> what runs
final class Tenure<T> implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(200);

    private final SessionToken token;
    private final AuditLog log;
    private final Consumer<T> stop;

    // All guarded by this.
    private final Set<T> running = Collections.newSetFromMap(new WeakHashMap<>());
    private @Nullable Thread watcher;
    private boolean over;
    private boolean closed;

    /// @param stop ends one at once
    Tenure(SessionToken token, AuditLog log, Consumer<T> stop) {
        this.token = token;
        this.log = log;
        this.stop = stop;
    }

    SessionToken token() {
        return token;
    }

    /// From now on this ends with the token.
    synchronized void add(T one) {
        running.add(one);
        if (over) {
            stop.accept(one);
        } else if (watcher == null) {
            watcher = Thread.ofPlatform().daemon().name("writ-token").start(this::watch);
        }
    }

    private void watch() {
        try {
            var why = token.ended();
            while (why.isEmpty()) {
                Thread.sleep(LOOK);
                why = token.ended();
            }
            end(why.get());
        } catch (InterruptedException e) {
            // the session is closed
        } catch (RuntimeException e) {
            end("it cannot be found out whether it still holds: " + e.getMessage());
        }
    }

    private synchronized void end(String why) {
        if (closed) {
            return;
        }
        over = true;
        // ORDER: this does not wait for the record, since nothing more is permitted by it.
        running.forEach(stop);
        log.append(token.revoked(why));
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (watcher != null) {
            watcher.interrupt();
        }
    }
}
