// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.broker.Asker;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.kernel.Errno;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// Does something for the host application on a thread that acts for sandboxes, which has no more
/// rights than they have. As for a program: at once where that is possible, and else on a thread of
/// its own that may wait.
///
/// @param asker who waits for it
/// @param waiting how many wait for the operator in this session
record Errand(Asker asker, AtomicInteger waiting) {
    private static final int MOST_WAITING = 64;

    /// For nobody in particular.
    Errand() {
        this(Asker.UNKNOWN, new AtomicInteger());
    }

    Errand waitedForBy(Asker someone) {
        return new Errand(someone, waiting);
    }

    /// What `work` gives.
    ///
    /// @param what it is done to, for messages
    <T> T run(String what, Function<Worker, T> work) {
        try {
            return atOnce(what, work);
        } catch (NotNow e) {
            return patiently(what, work);
        }
    }

    private static <T> T atOnce(String what, Function<Worker, T> work) {
        var result = new CompletableFuture<T>();
        Crew.reserve()
                .give(
                        worker -> {
                            complete(result, worker, what, work);
                            return true;
                        });
        return await(result);
    }

    private <T> T patiently(String what, Function<Worker, T> work) {
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            throw new FileException(
                    Kind.REFUSED,
                    "`" + what + "`: too many questions to the operator wait already");
        }
        Host.prepare(); // ORDER: before there is a thread without rights
        try {
            var result = new CompletableFuture<T>();
            Thread.ofPlatform()
                    .daemon()
                    .name("writ-waiting")
                    .start(() -> completeWaiting(result, what, work));
            return await(result);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private <T> void completeWaiting(
            CompletableFuture<T> result, String what, Function<Worker, T> work) {
        try (var worker = new Worker(true)) {
            worker.asker = asker;
            complete(result, worker, what, work);
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    private static <T> void complete(
            CompletableFuture<T> result, Worker worker, String what, Function<Worker, T> work) {
        try {
            result.complete(work.apply(worker));
        } catch (Failed e) {
            result.completeExceptionally(failure(e.errno(), what, worker));
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        } finally {
            worker.closeKept();
        }
    }

    private static <T> T await(CompletableFuture<T> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static FileException failure(int errno, String what, Worker worker) {
        var kind = kind(errno);
        var refusal =
                kind == Kind.REFUSED
                        ? Optional.ofNullable(worker.refusal)
                        : Optional.<FileException.Refusal>empty();
        String why = refusal.map(r -> r.reason().line()).orElseGet(() -> words(errno));
        return new FileException(kind, "`" + what + "`: " + why, refusal);
    }

    private static Kind kind(int errno) {
        return switch (errno) {
            case Errno.EACCES, Errno.EPERM, Errno.EROFS, Errno.EXDEV -> Kind.REFUSED;
            case Errno.ENOENT -> Kind.MISSING;
            case Errno.EEXIST -> Kind.EXISTS;
            case Errno.EISDIR -> Kind.IS_FOLDER;
            case Errno.ENOTDIR -> Kind.NO_FOLDER;
            case Errno.ENOTEMPTY -> Kind.NOT_EMPTY;
            case Errno.ENXIO -> Kind.SPECIAL;
            case Errno.ELOOP, Errno.ENAMETOOLONG, Errno.EINVAL, Errno.EBUSY -> Kind.INVALID;
            case Errno.ENOSPC, Errno.EFBIG -> Kind.NO_ROOM;
            default -> Kind.FAILED;
        };
    }

    private static String words(int errno) {
        return switch (errno) {
            case Errno.EACCES -> "refused: the system or a guard keeps it from everybody here";
            case Errno.EXDEV -> "refused: at that place the policy would treat it differently";
            case Errno.ENOENT -> "there is no such file or folder";
            case Errno.EEXIST -> "something has that name already";
            case Errno.EISDIR -> "it is a folder";
            case Errno.ENOTDIR -> "it is, or lies in, something that is no folder";
            case Errno.ENOTEMPTY -> "the folder is not empty";
            case Errno.ENXIO ->
                    "it is a pipe, a socket or a device; only files and folders are served";
            case Errno.ELOOP -> "it is a link, or there are too many of them";
            case Errno.ENAMETOOLONG -> "the path is too long";
            case Errno.EBUSY -> "its path ends in no name, or the system needs it where it is";
            default -> Errno.text(errno);
        };
    }
}
