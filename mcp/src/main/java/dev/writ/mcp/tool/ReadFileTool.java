// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.daemon.api.Fields;
import dev.writ.runtime.files.SessionFiles;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Map;

/// Lines of a text.
final class ReadFileTool extends FileTool {
    private static final int LINES = 2000;
    private static final int MOST_LINES = 100_000;
    private static final int MOST_TEXT = 256 * 1024;

    ReadFileTool() {
        super(
                "read_file",
                "Read a file",
                "Gives the lines of a text file, at most 256 KB at a time; `offset` goes on from there.",
                false);
    }

    @Override
    Map<String, Object> input() {
        return new Schema()
                .text("path", "absolute, or seen from the workspace")
                .number("offset", 1, Integer.MAX_VALUE, "the first line; otherwise 1")
                .number("limit", 1, MOST_LINES, "how many lines; otherwise " + LINES)
                .requiring("path");
    }

    @Override
    Map<String, Object> output() {
        return new Schema()
                .text("content", "the lines")
                .number("lines", "how many lines the file has, as far as it was read")
                .flag("cut", "whether there is more after these")
                .requiring("content", "lines", "cut");
    }

    @Override
    McpSchema.CallToolResult run(SessionFiles files, Fields fields) {
        String path = path(fields);
        int first = (int) fields.number("offset", 1, 1, Integer.MAX_VALUE);
        int limit = (int) fields.number("limit", LINES, 1, MOST_LINES);
        byte[] bytes = files.read(path, 0, SessionFiles.MOST_BYTES);
        var lines = lines(text(path, bytes));
        var wanted = lines.stream().skip(first - 1L).limit(limit).toList();
        var content = new StringBuilder();
        int given = 0;
        for (var line : wanted) {
            if (given > 0 && content.length() + line.length() > MOST_TEXT) {
                break;
            }
            content.append(line, 0, Math.min(line.length(), MOST_TEXT));
            given++;
        }
        boolean cut = first - 1L + given < lines.size() || bytes.length == SessionFiles.MOST_BYTES;
        String note =
                cut ? "\n[writ: there is more; go on with offset " + (first + given) + "]" : "";
        return Result.of(
                content.isEmpty() && note.isEmpty() ? "(nothing)" : content + note,
                Map.of("content", content.toString(), "lines", lines.size(), "cut", cut));
    }

    /// Each with its end.
    private static List<String> lines(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("(?<=\n)"));
    }

    private static String text(String path, byte[] bytes) {
        try {
            // Of a long file the last character may not be whole.
            int end = bytes.length;
            while (bytes.length == SessionFiles.MOST_BYTES
                    && end > 0
                    && (bytes[end - 1] & 0x80) != 0) {
                end--;
            }
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, end)).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "`" + Text.shown(path) + "` is no text; a command can look at it", e);
        }
    }
}
