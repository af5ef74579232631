// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.core.capability.Text;
import dev.writ.core.file.Draft;
import dev.writ.core.file.FileException;
import dev.writ.core.file.FileException.Kind;
import dev.writ.core.file.FileStatus;
import dev.writ.daemon.api.Fields;
import dev.writ.runtime.files.SessionFiles;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/// A whole file.
final class WriteFileTool extends FileTool {
    WriteFileTool() {
        super(
                "write_file",
                "Write a file",
                "Makes a file, or replaces all that is in it. Folders that it lies in are made, too.",
                true);
    }

    @Override
    Map<String, Object> input() {
        return new Schema()
                .text("path", "absolute, or seen from the workspace")
                .text("content", "what the file is to hold")
                .text("content_base64", "the same, if it is no text")
                .requiring("path");
    }

    @Override
    Map<String, Object> output() {
        return new Schema()
                .text("path", "the file")
                .number("bytes", "how many it has now")
                .requiring("path", "bytes");
    }

    @Override
    McpSchema.CallToolResult run(SessionFiles files, Fields fields) {
        String path = path(fields);
        if (!fields.has("content") && !fields.has("content_base64")) {
            throw new IllegalArgumentException("`content` is needed; it may be empty");
        }
        byte[] bytes = fields.bytes("content", "content_base64");
        long size = write(files, path, bytes).size();
        return Result.of(
                "wrote " + size + " bytes to `" + Text.shown(path) + "`",
                Map.of("path", path, "bytes", size));
    }

    private static FileStatus write(SessionFiles files, String path, byte[] bytes) {
        try {
            return files.write(path, bytes, Draft.Wish.ANY);
        } catch (FileException e) {
            int slash = path.lastIndexOf('/');
            if (e.kind() != Kind.MISSING || slash <= 0) {
                throw e;
            }
            files.makeFolder(path.substring(0, slash), true);
            return files.write(path, bytes, Draft.Wish.ANY);
        }
    }
}
