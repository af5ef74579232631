// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.core.digest.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/// Compiles the C probes, each once for as long as its text stays the same.
final class Compiler {
    private final HostTools tools;
    private final Path scratch;
    private final Path cache;

    /// @param scratch a folder of our own for half-done work
    Compiler(HostTools tools, Path scratch) {
        this.tools = tools;
        this.scratch = scratch;
        this.cache = cache(tools).orElse(scratch);
    }

    /// The program for `source`.
    ///
    /// @throws MissingToolException if there is no compiler, or it does not know a header
    byte[] compile(String source) throws IOException, InterruptedException {
        Path program = cache.resolve(hash(source) + ".bin");
        if (!Files.isRegularFile(program)) {
            build(source, program);
        }
        return Files.readAllBytes(program);
    }

    private void build(String source, Path program) throws IOException, InterruptedException {
        Path compiler =
                tools.find("cc").orElseThrow(() -> new MissingToolException("no C compiler (cc)"));
        Path folder = Files.createTempDirectory(scratch, "cc");
        Files.writeString(folder.resolve("uring.h"), Resources.text("preludes/uring.h"));
        Files.writeString(folder.resolve("probe.c"), source);
        Process process =
                new ProcessBuilder(compiler.toString(), "-O1", "-w", "-o", "probe", "probe.c")
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new MissingToolException(
                    "does not compile here: " + said.lines().findFirst().orElse(""));
        }
        Path done = Files.createTempFile(cache, "new", ".bin");
        Files.copy(folder.resolve("probe"), done, StandardCopyOption.REPLACE_EXISTING);
        // In one step, since another run may be reading it.
        Files.move(done, program, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String hash(String source) {
        String all = System.getProperty("os.arch") + Resources.text("preludes/uring.h") + source;
        return Sha256.hex(all).substring(0, 32);
    }

    private static Optional<Path> cache(HostTools tools) {
        String root = tools.variable("XDG_CACHE_HOME");
        String home = tools.variable("HOME");
        if (root.isEmpty() && home.isEmpty()) {
            return Optional.empty();
        }
        Path parent = root.isEmpty() ? Path.of(home, ".cache") : Path.of(root);
        try {
            return Optional.of(Files.createDirectories(parent.resolve("writ/probe")));
        } catch (IOException e) {
            return Optional.empty(); // a read-only home: compile anew in every run
        }
    }
}
