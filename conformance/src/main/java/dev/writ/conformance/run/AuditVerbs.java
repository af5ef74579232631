// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.run;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.conformance.harness.Harness.Audit;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The verbs of group L.
record AuditVerbs(Audit audit) implements Verbs.Answers {
    @Override
    public @Nullable Object answer(String verb, List<byte[]> words) throws IOException {
        return switch (verb) {
            case "write" ->
                    nothing(() -> audit.write(words.stream().map(AuditVerbs::text).toList()));
            case "raw" -> Base64.getEncoder().encodeToString(audit.raw());
            case "ordered" -> Base64.getEncoder().encodeToString(audit.ordered());
            case "put" -> nothing(() -> audit.put(words.getFirst(), false));
            case "forge" -> nothing(() -> audit.put(words.getFirst(), true));
            case "wrong" -> audit.wrong().orElse(null);
            case "path" -> audit.path().toString();
            case "next" -> audit.next().toString();
            case "rotate" -> nothing(audit::rotate);
            case "programs" -> audit.programs();
            case "run" ->
                    Base64.getEncoder()
                            .encodeToString(audit.run(text(words.getFirst())).getBytes(UTF_8));
            case "made" -> Files.exists(audit.workspace().resolve(text(words.getFirst())));
            case "fill" -> nothing(audit::fill);
            case "jump" ->
                    nothing(
                            () ->
                                    audit.jump(
                                            Duration.ofSeconds(
                                                    Long.parseLong(text(words.getFirst())))));
            default -> throw new IOException("no such verb: " + verb);
        };
    }

    private static @Nullable Object nothing(Runnable verb) {
        verb.run();
        return null;
    }

    /// As the system gives names: a byte that is not ASCII is a lone surrogate.
    private static String text(byte[] bytes) {
        var text = new StringBuilder();
        for (char c : new String(bytes, ISO_8859_1).toCharArray()) {
            text.append(c < 0x80 ? c : (char) (0xDC00 + c));
        }
        return text.toString();
    }

    @Override
    public void close() {
        audit.close();
    }
}
