// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.capability.SecretSource;
import dev.writ.core.file.Reason;
import dev.writ.core.policy.SecretDefinition;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Reads secrets where the operator keeps them, as the operator.
public final class SecretReader {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Map<String, String> variables;
    private final Duration longest;

    /// @param variables the operator's
    public SecretReader(Map<String, String> variables) {
        this(variables, LONGEST);
    }

    /// @param longest how long a command may take
    SecretReader(Map<String, String> variables, Duration longest) {
        this.variables = Map.copyOf(variables);
        this.longest = longest;
    }

    /// @throws SecretException if it is not there
    Value read(SecretDefinition secret) {
        var name = secret.name();
        return Value.of(
                name,
                switch (secret.from()) {
                    case SecretSource.Variable(var variable) -> variable(name, variable);
                    case SecretSource.File(var path) -> file(name, Path.of(path.toString()));
                    case SecretSource.Command(var words) -> firstLine(run(name, words));
                    case SecretSource.Keyring(var entry) -> keyring(name, entry);
                });
    }

    private byte[] variable(String name, String variable) {
        var value = variables.get(variable);
        if (value == null) {
            throw new SecretException(
                    name,
                    "the variable `" + variable + "` is not set",
                    "set it where Writ is started, or take the secret out of the policy");
        }
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] file(String name, Path path) {
        try (var in = Files.newInputStream(path)) {
            return in.readNBytes(Value.MOST_BYTES + 3);
        } catch (NoSuchFileException e) {
            throw new SecretException(
                    name, "there is no file `" + path + "`", "write it there, or correct `from`");
        } catch (IOException e) {
            throw new SecretException(name, "it cannot be read: " + Reason.of(e), "");
        }
    }

    /// The keyring of the desktop, or that of the kernel.
    private byte[] keyring(String name, String entry) {
        if (isThere("secret-tool")) {
            return firstLine(run(name, List.of("secret-tool", "lookup", "writ", entry)));
        }
        if (isThere("keyctl")) {
            return firstLine(run(name, List.of("keyctl", "pipe", "%user:writ:" + entry)));
        }
        throw new SecretException(
                name,
                "this machine has neither `secret-tool` nor `keyctl`",
                "install libsecret-tools or keyutils, or use `file:` or `command:`");
    }

    private boolean isThere(String program) {
        return Arrays.stream(variables.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(folder -> folder.startsWith("/"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private byte[] run(String name, List<String> words) {
        var builder =
                new ProcessBuilder(new ArrayList<>(words))
                        // Not where the agent can put something of the name of an argument.
                        .directory(new File("/"))
                        .redirectInput(new File("/dev/null"))
                        .redirectError(Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().putAll(variables);
        try {
            var process = builder.start();
            try {
                return output(name, words, process);
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new SecretException(
                    name,
                    "`" + words.getFirst() + "` cannot be started",
                    "name a program that is there; no shell reads `command:`");
        }
    }

    private byte[] output(String name, List<String> words, Process process) throws IOException {
        // Not waited for at the end: who holds the pipe open may hold it for ever.
        var reading =
                new FutureTask<>(() -> process.getInputStream().readNBytes(Value.MOST_BYTES + 3));
        Thread.ofVirtual().name("secret").start(reading);
        try {
            long end = System.nanoTime() + longest.toNanos();
            var bytes = reading.get(longest.toMillis(), TimeUnit.MILLISECONDS);
            if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new TimeoutException();
            }
            if (process.exitValue() != 0) {
                throw new SecretException(
                        name,
                        "`" + words.getFirst() + "` ended with " + process.exitValue(),
                        "run it by hand to see why");
            }
            return bytes;
        } catch (TimeoutException e) {
            throw new SecretException(
                    name,
                    "`"
                            + words.getFirst()
                            + "` took longer than "
                            + longest.toSeconds()
                            + " seconds",
                    "it must not wait for anybody: standard input is empty");
        } catch (ExecutionException e) {
            throw new SecretException(
                    name, "what `" + words.getFirst() + "` printed cannot be read", "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SecretException(name, "interrupted", "");
        }
    }

    private static byte[] firstLine(byte[] text) {
        int end = 0;
        while (end < text.length && text[end] != '\n') {
            end++;
        }
        var line = Arrays.copyOf(text, end);
        Arrays.fill(text, (byte) 0);
        return line;
    }
}
