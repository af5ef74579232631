// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.daemon.api.Fields;
import dev.writ.daemon.sandbox.Command;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.daemon.sandbox.RunningProcess;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs a command to its end. Nothing of it is left afterwards.
final class ShellTool implements Tool {
    private static final int MOST_WORDS = 100_000; // characters; the kernel takes little more
    private static final int HALF = 32 * 1024;
    private static final long TIME = Duration.ofMinutes(2).toMillis();
    private static final long MOST_TIME = Duration.ofHours(1).toMillis();
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long TELL = TimeUnit.SECONDS.toNanos(2);
    private static final int AT_ONCE = 1 << 20;

    @Override
    public McpSchema.Tool description() {
        return McpSchema.Tool.builder(
                        "shell",
                        new Schema()
                                .text("command", "a command line for /bin/sh")
                                .texts("argv", "or a program and its arguments, without a shell")
                                .text("cwd", "the folder to start in; otherwise the workspace")
                                .text("stdin", "what it is to read")
                                .number(
                                        "timeout_ms",
                                        1,
                                        MOST_TIME,
                                        "after that everything is ended; otherwise " + TIME)
                                .requiring())
                .title("Run a command")
                .description(
                        """
                        Runs a command in the sandbox and waits for its end. What it leaves running \
                        is ended with it. The policy decides what it may read, write, start and \
                        reach; what was refused is listed with the rule and what to ask for. \
                        Of long output the beginning and the end are given.""")
                .outputSchema(
                        new Schema()
                                .number(
                                        "exit_code",
                                        "124: out of time, 126: denied, 127: not found")
                                .text("stdout", "what it wrote")
                                .text("stderr", "what it wrote to standard error")
                                .flag("timed_out", "whether its time was over")
                                .flag("cut", "whether part of the output is left out")
                                .texts("limits", "limits that were reached")
                                .objects("refused", "what was refused, by which rule")
                                .requiring("exit_code", "stdout", "stderr"))
                .annotations(Tool.hints(true, true))
                .build();
    }

    @Override
    public McpSchema.CallToolResult call(ToolCall call) throws InterruptedException {
        var fields = call.fields("command", "argv", "cwd", "stdin", "timeout_ms");
        var process = call.sandbox().start(command(fields, call.sandbox()));
        process.listen(); // before it can have written anything that would be lost
        try {
            call.ongoing().whenCancelled(process::stop);
            process.awaitStart();
            return new Hearing(process, call.progress()).result();
        } catch (CompletionException e) {
            var cause = Optional.ofNullable(e.getCause()).orElse(e);
            return Result.failed("could not be started: " + cause.getMessage());
        } finally {
            process.leave();
            call.sandbox().forget(process);
        }
    }

    private static Command command(Fields fields, KeptSandbox sandbox) {
        if (fields.has("argv") == fields.has("command")) {
            throw new IllegalArgumentException("one of `command` and `argv` is needed");
        }
        var words =
                fields.has("argv")
                        ? fields.texts("argv")
                        : List.of("/bin/sh", "-c", fields.text("command").orElse(""));
        if (words.isEmpty() || words.getFirst().isEmpty()) {
            throw new IllegalArgumentException("`argv` has at least one word");
        }
        if (words.stream().mapToInt(String::length).sum() > MOST_WORDS) {
            throw new IllegalArgumentException(
                    "a command has at most "
                            + MOST_WORDS
                            + " characters; what is longer goes to `stdin`, or into a file");
        }
        var folder = fields.path("cwd", Optional.of(sandbox.session().folder()));
        if (folder.isPresent() && !Files.isDirectory(Path.of(folder.get().toString()))) {
            throw new IllegalArgumentException(
                    "`cwd` is no folder: `" + Text.shown(folder.get().toString()) + "`");
        }
        return new Command(
                words,
                folder,
                Map.of(),
                fields.text("stdin").orElse("").getBytes(UTF_8),
                false,
                false,
                fields.number("timeout_ms", TIME, 1, MOST_TIME),
                Long.MAX_VALUE);
    }

    /// Hears a process to its end.
    private static final class Hearing {
        private final RunningProcess process;
        private final ToolCall.Progress progress;
        private final Excerpt output = new Excerpt(HALF);
        private final Excerpt errors = new Excerpt(HALF);
        private final List<String> limits = new ArrayList<>();
        private Map<String, @Nullable Object> exit = Map.of();

        Hearing(RunningProcess process, ToolCall.Progress progress) {
            this.process = process;
            this.progress = progress;
        }

        McpSchema.CallToolResult result() throws InterruptedException {
            long begun = System.nanoTime();
            long told = begun;
            long heard = 0;
            boolean over = false;
            while (!over) {
                var part = process.output().after(heard, LOOK, AT_ONCE);
                heard = part.next() - 1;
                over = part.over();
                for (var piece : part.pieces()) {
                    switch (piece.type()) {
                        case "stdout" -> output.write(piece.bytes());
                        case "stderr" -> errors.write(piece.bytes());
                        case "limit" -> limits.add(String.valueOf(piece.fields().get("reason")));
                        case "exit" -> exit = piece.fields();
                        default -> {}
                    }
                }
                long now = System.nanoTime();
                if (now - told > TELL) {
                    told = now;
                    progress.tell(
                            (now - begun) / 1e9,
                            output.length() + errors.length() + " bytes written so far");
                }
            }
            process.output().after(heard, 0, 1); // it is all heard
            int code = process.exitCode();
            return Result.of(text(code), fields(code), code != 0);
        }

        private Map<String, @Nullable Object> fields(int code) {
            var fields = new LinkedHashMap<String, @Nullable Object>();
            fields.put("exit_code", code);
            fields.put("stdout", output.text());
            fields.put("stderr", errors.text());
            fields.put("timed_out", exit.containsKey("timed_out"));
            fields.put("cut", output.isCut() || errors.isCut());
            fields.put("limits", limits);
            fields.put("refused", refused());
            return fields;
        }

        private List<?> refused() {
            return exit.get("refused") instanceof List<?> list ? list : List.of();
        }

        private String text(int code) {
            var text = new StringBuilder(output.text());
            section(text, errors.text());
            if (code != 0) {
                section(text, "exit code " + code);
            }
            if (exit.containsKey("timed_out")) {
                section(text, "writ: its time was over; `timeout_ms` says how long it may take");
            }
            limits.forEach(l -> section(text, "writ: limit reached: " + l));
            for (var one : refused()) {
                if (one instanceof Map<?, ?> refusal) {
                    section(text, line(refusal));
                }
            }
            return text.isEmpty() ? "(no output)" : text.toString();
        }

        private static String line(Map<?, ?> refusal) {
            var remedy = String.valueOf(refusal.get("remedy"));
            return "writ: denied: `"
                    + refusal.get("action")
                    + "`: "
                    + refusal.get("reason")
                    + (remedy.isEmpty() ? "" : "; to change that: " + remedy);
        }

        private static void section(StringBuilder text, String more) {
            if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
                text.append('\n');
            }
            text.append(more);
        }
    }
}
