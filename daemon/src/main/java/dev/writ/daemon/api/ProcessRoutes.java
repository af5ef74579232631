// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.daemon.sandbox.Command;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.daemon.sandbox.RunningProcess;
import dev.writ.daemon.sandbox.Sandboxes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Starts commands in sandboxes, and has to do with them while they run.
public final class ProcessRoutes {
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final long MOST_WAIT = Duration.ofMinutes(2).toMillis();
    private static final int MOST_READ = 1 << 20;
    private static final Map<String, Integer> SIGNALS =
            Map.ofEntries(
                    Map.entry("HUP", 1),
                    Map.entry("INT", 2),
                    Map.entry("QUIT", 3),
                    Map.entry("KILL", 9),
                    Map.entry("USR1", 10),
                    Map.entry("USR2", 12),
                    Map.entry("TERM", 15),
                    Map.entry("CONT", 18),
                    Map.entry("STOP", 19),
                    Map.entry("TSTP", 20),
                    Map.entry("WINCH", 28));

    private final Sandboxes sandboxes;

    public ProcessRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    public List<Route> routes() {
        String processes = "/v1/sandboxes/{id}/processes";
        String one = processes + "/{process}";
        return List.of(
                Route.post("/v1/sandboxes/{id}/exec", this::exec),
                Route.get(processes, this::list),
                Route.get(one, c -> c.answer(Wire.process(find(c)))),
                Route.delete(one, this::remove),
                Route.get(one + "/attach", this::attach),
                Route.post(one + "/read", this::read),
                Route.post(one + "/write", this::write),
                Route.post(one + "/signal", this::signal),
                Route.post(one + "/resize", this::resize));
    }

    private RunningProcess find(Call call) {
        return SandboxRoutes.find(sandboxes, call)
                .process(call.part("process"))
                .orElseThrow(() -> ApiException.notFound("process", call.part("process")));
    }

    private void exec(Call call) throws IOException {
        var sandbox = SandboxRoutes.find(sandboxes, call);
        var fields =
                call.fields(
                        "argv",
                        "shell",
                        "cwd",
                        "env",
                        "stdin",
                        "stdin_base64",
                        "stdin_open",
                        "tty",
                        "timeout_ms",
                        "yield_ms",
                        "detach",
                        "max_output_bytes");
        var command = command(fields, sandbox);
        long wait = fields.number("yield_ms", -1, 0, MOST_WAIT);
        var process = sandbox.start(command);
        process.listen(); // before it can have written anything that would be lost
        try {
            awaitStart(sandbox, process);
            new ExecStream(sandbox, process, wait, fields.is("detach") || wait >= 0)
                    .send(call.response());
        } finally {
            process.leave();
        }
    }

    private static void awaitStart(KeptSandbox sandbox, RunningProcess process) {
        try {
            process.awaitStart();
        } catch (CompletionException e) {
            sandbox.forget(process);
            throw e;
        }
    }

    private static Command command(Fields fields, KeptSandbox sandbox) {
        if (fields.has("argv") == fields.has("shell")) {
            throw ApiException.invalid("one of `argv` and `shell` is needed");
        }
        var words =
                fields.has("argv")
                        ? fields.texts("argv")
                        : List.of("/bin/sh", "-c", fields.text("shell").orElse(""));
        if (words.isEmpty() || words.getFirst().isEmpty()) {
            throw ApiException.invalid("`argv` has at least one word");
        }
        var folder = fields.path("cwd", Optional.of(sandbox.ask().workspace()));
        if (folder.isPresent() && !Files.isDirectory(Path.of(folder.get().toString()))) {
            throw ApiException.invalid("`cwd` is no folder: `" + folder.get() + "`");
        }
        var variables = fields.map("env");
        if (variables.keySet().stream().anyMatch(n -> n.isEmpty() || n.indexOf('=') >= 0)) {
            throw ApiException.invalid("a name in `env` is not empty and has no `=`");
        }
        return new Command(
                words,
                folder,
                variables,
                fields.bytes("stdin", "stdin_base64"),
                fields.is("stdin_open") || fields.is("tty"),
                fields.is("tty"),
                fields.number("timeout_ms", 0, 1, DAY),
                fields.number("max_output_bytes", Long.MAX_VALUE, 0, Long.MAX_VALUE));
    }

    private void list(Call call) throws IOException {
        var all = SandboxRoutes.find(sandboxes, call).processes();
        call.answer(
                Map.of(
                        "processes",
                        all.stream()
                                .sorted(Comparator.comparing(RunningProcess::id))
                                .map(Wire::process)
                                .toList()));
    }

    private void remove(Call call) throws IOException {
        var process = find(call);
        SandboxRoutes.find(sandboxes, call).forget(process);
        call.nothing();
    }

    private void read(Call call) throws IOException {
        var process = find(call);
        var fields = call.fields("after_seq", "wait_ms", "max_bytes");
        long after = fields.number("after_seq", 0, 0, Long.MAX_VALUE - 1);
        long wait = fields.number("wait_ms", 0, 0, MOST_WAIT);
        int most = (int) fields.number("max_bytes", MOST_READ, 1, MOST_READ);
        try {
            var part = process.output().after(after, TimeUnit.MILLISECONDS.toNanos(wait), most);
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("events", part.pieces().stream().map(Wire::piece).toList());
            map.put("next_seq", part.next());
            map.put("lost", part.lost());
            map.put("running", process.isRunning());
            map.put("over", part.over());
            call.answer(map);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /// Listens to a command that was started before. It goes on if this listener leaves.
    private void attach(Call call) throws IOException {
        String after = call.query(List.of("after_seq")).getOrDefault("after_seq", "0");
        if (!after.matches("[0-9]{1,18}")) {
            throw ApiException.invalid("`after_seq` is a number");
        }
        var sandbox = SandboxRoutes.find(sandboxes, call);
        var process = find(call);
        process.listen();
        try {
            new ExecStream(sandbox, process, -1, true)
                    .after(Long.parseLong(after))
                    .send(call.response());
        } finally {
            process.leave();
        }
    }

    private void write(Call call) throws IOException {
        var process = find(call);
        var fields = call.fields("text", "base64", "eof");
        if (!process.write(fields.bytes("text", "base64"), fields.is("eof"))) {
            throw new ApiException(
                    409, "process.input-closed", "the process does not read any more");
        }
        call.nothing();
    }

    private void signal(Call call) throws IOException {
        var process = find(call);
        String name = call.fields("signal").text("signal").orElse("TERM");
        var number = SIGNALS.get(name.startsWith("SIG") ? name.substring(3) : name);
        if (number == null) {
            throw ApiException.invalid(
                    "`signal` must be one of "
                            + String.join(", ", SIGNALS.keySet().stream().sorted().toList()));
        }
        process.signal(number);
        call.nothing();
    }

    private void resize(Call call) throws IOException {
        var process = find(call);
        var fields = call.fields("rows", "columns");
        process.resize(
                (int) fields.number("rows", 24, 1, 1000),
                (int) fields.number("columns", 80, 1, 1000));
        call.nothing();
    }
}
