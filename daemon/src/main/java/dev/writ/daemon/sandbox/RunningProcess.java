// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.sandbox.NotStartedException;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.core.sandbox.SpentException;
import dev.writ.runtime.Refusals;
import dev.writ.runtime.Session;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One command in a sandbox, with everything that it starts: while it runs, and until what it wrote
/// has been read.
public final class RunningProcess {
    private static final int TIME_OVER = 124;
    private static final int DENIED = 126;
    private static final int SIGKILL = 9;
    private static final int MOST_REFUSALS = 20;
    private static final int BUFFER = 32 * 1024;
    private static final byte[] END_OF_INPUT = {4};

    private final String id;
    private final Command command;
    private final Session session;
    private final Instant at;
    private final ExecutorService threads;
    private final Output output = new Output();
    private final Input input;
    private final Refusals refusals = new Refusals();
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private volatile @Nullable Sandbox sandbox;
    private volatile boolean timeOver;
    private volatile boolean unwanted;
    private volatile int exitCode = -1;

    RunningProcess(
            String id, Command command, Session session, Instant at, ExecutorService threads) {
        this.id = id;
        this.command = command;
        this.session = session;
        this.at = at;
        this.threads = threads;
        this.input = new Input(threads);
    }

    public String id() {
        return id;
    }

    public Command command() {
        return command;
    }

    public Instant at() {
        return at;
    }

    public Output output() {
        return output;
    }

    /// Its exit code; less than 0 while it runs.
    public int exitCode() {
        return exitCode;
    }

    public boolean isRunning() {
        return exitCode < 0;
    }

    /// Waits until it has been started.
    ///
    /// @throws java.util.concurrent.CompletionException if it could not be
    public void awaitStart() {
        started.join();
    }

    /// Runs it to its end. On a platform thread: to start a sandbox and to read from pipes holds on
    /// to one.
    void run() {
        var folder = command.folder().orElse(session.folder());
        try {
            var program = session.program(command.words().getFirst(), folder);
            var arguments = command.words().subList(1, command.words().size());
            var refusal = session.refusal(program, arguments);
            if (refusal.isPresent()) {
                started.complete(null);
                denied();
                end(
                        "writ: denied: `"
                                + Text.shown(String.join(" ", command.words()))
                                + "`: "
                                + refusal.get().line()
                                + "\n",
                        DENIED);
                return;
            }
            run(program, folder);
        } catch (SpentException e) {
            started.complete(null);
            output.note("limit", limit(String.valueOf(e.getMessage()), false));
            end("writ: denied: " + e.getMessage() + "\n", DENIED);
        } catch (NotStartedException e) {
            started.complete(null);
            end("writ: " + e.getMessage() + "\n", e.exitCode());
        } catch (RuntimeException | Error e) {
            started.completeExceptionally(e);
            end("writ: " + e.getMessage() + "\n", 125);
        }
    }

    private void run(FilePath program, FilePath folder) {
        var streams = command.terminal() ? Streams.TERMINAL : Streams.PIPED;
        try (var running =
                session.start(
                        program,
                        command.words(),
                        folder,
                        command.variables(),
                        streams,
                        command::described)) {
            try {
                attend(running);
            } finally {
                input.close(); // ORDER: before its streams are
            }
        } finally {
            sandbox = null;
        }
    }

    private void attend(Sandbox running) {
        sandbox = running;
        if (unwanted) {
            running.stop();
        }
        output.note("started", Map.of("process", id));
        started.complete(null);
        input.open(running.input());
        write(command.input(), !command.inputGoesOn());
        var errors =
                command.terminal()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.runAsync(
                                () -> pump(running.errors(), "stderr"), threads);
        pump(running.output(), "stdout");
        errors.join();
        int code = await(running);
        running.reached().forEach(r -> output.note("limit", limit(r.line(), r.ended())));
        if (code == DENIED) {
            denied();
        }
        end("", timeOver ? TIME_OVER : code);
    }

    private static int await(Sandbox running) {
        while (true) {
            try {
                return running.await();
            } catch (InterruptedException e) {
                running.stop();
            }
        }
    }

    /// Passes on what comes, never cut inside of a character.
    private void pump(InputStream in, String stream) {
        byte[] buffer = new byte[BUFFER];
        int kept = 0;
        long passed = 0;
        try {
            for (int read = in.read(buffer, 0, BUFFER);
                    read >= 0;
                    read = in.read(buffer, kept, BUFFER - kept)) {
                int length = kept + read;
                kept = Characters.incomplete(buffer, length);
                passed += pass(stream, Arrays.copyOf(buffer, length - kept), passed);
                System.arraycopy(buffer, length - kept, buffer, 0, kept);
            }
        } catch (IOException e) {
            // Its end is all that can be said of it.
        }
        pass(stream, Arrays.copyOf(buffer, kept), passed);
    }

    private int pass(String stream, byte[] bytes, long before) {
        long room = command.mostOutput() - before;
        try {
            if (bytes.length > 0 && bytes.length <= room) {
                output.write(stream, bytes);
            } else if (bytes.length > 0 && room > 0) {
                output.write(stream, Arrays.copyOf(bytes, (int) room));
                output.note("truncated", Map.of("stream", stream, "bytes", command.mostOutput()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return bytes.length;
    }

    private static Map<String, @Nullable Object> limit(String reason, boolean ended) {
        return Map.of("reason", reason, "ended", ended);
    }

    /// What of the session's events concerns this one. Called by threads that act for a sandbox, so
    /// it wakes up nobody.
    void count(AuditEvent event) {
        refusals.append(event);
    }

    /// What somebody who listens to this one has to know at once.
    void tell(AuditEvent event) {
        if (event instanceof AuditEvent.Asked asked && isRunning()) {
            var fields = new LinkedHashMap<String, @Nullable Object>();
            fields.put("action", asked.action().text(session.policy().scope()));
            fields.put("rule", asked.rule().written());
            output.note("approval", fields);
        }
    }

    private void denied() {
        for (var refusal : refusals.all()) {
            if (refusal.action() instanceof Action.StartProgram) {
                output.note("denied", Denial.of(session, refusal.action(), refusal.reason()));
                return;
            }
        }
    }

    private List<Map<String, @Nullable Object>> refused() {
        var all = new ArrayList<Map<String, @Nullable Object>>();
        for (var refusal : refusals.all()) {
            if (all.size() < MOST_REFUSALS) {
                var fields = Denial.of(session, refusal.action(), refusal.reason());
                fields.put("times", refusal.times());
                all.add(fields);
            }
        }
        return all;
    }

    private void end(String line, int code) {
        if (!line.isEmpty()) {
            try {
                output.write("stderr", line.getBytes(UTF_8));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        exitCode = code;
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("code", code);
        if (timeOver) {
            fields.put("timed_out", true);
        }
        var refused = refused();
        if (!refused.isEmpty()) {
            fields.put("refused", refused);
        }
        output.end("exit", fields);
    }

    /// Somebody begins to listen: until [#leave] it is held back rather than cut.
    public void listen() {
        output.listen();
    }

    public void leave() {
        output.leave();
    }

    /// Gives it more to read.
    ///
    /// @return false if it reads no more
    public boolean write(byte[] bytes, boolean last) {
        try {
            long patience = TimeUnit.SECONDS.toNanos(30);
            if (!command.terminal()) {
                return input.write(bytes, last, patience);
            }
            // A terminal has no end; a key says that this is all.
            boolean written = input.write(bytes, false, patience);
            return written && (!last || input.write(END_OF_INPUT, false, patience));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public void signal(int number) {
        var running = sandbox;
        if (running != null && number == SIGKILL) {
            running.stop();
        } else if (running != null) {
            running.signal(number);
        }
    }

    public void resize(int rows, int columns) {
        var running = sandbox;
        if (running != null) {
            var size = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
            running.resize(size.putShort((short) rows).putShort((short) columns).array());
        }
    }

    /// Its time is over.
    void timeOut() {
        if (isRunning()) {
            timeOver = true;
            stop();
        }
    }

    /// Ends it at once, with all that it has started.
    public void stop() {
        unwanted = true;
        output.letGo();
        var running = sandbox;
        if (running != null) {
            running.stop();
        }
    }
}
