// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.file.Draft;
import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFile;
import dev.writ.daemon.sandbox.Sandboxes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Whole files of a sandbox, as bytes.
public final class FileRoutes {
    static final String BYTES = "application/octet-stream";
    private static final String FILES = "/v1/sandboxes/{id}/files";
    private static final int PIECE = 1 << 16;

    private final Sandboxes sandboxes;

    public FileRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(FILES, this::read),
                Route.put(FILES, this::write),
                Route.delete(FILES, this::delete));
    }

    private FileWork work(Call call) {
        return new FileWork(SandboxRoutes.find(sandboxes, call), call.response());
    }

    static String path(Map<String, String> query) {
        return Optional.ofNullable(query.get("path"))
                .orElseThrow(() -> ApiException.invalid("`path` is missing"));
    }

    private void read(Call call) throws IOException {
        String path = path(call.query(List.of("path")));
        var work = work(call);
        try (var file = work.ask(files -> files.open(path))) {
            var fields = new LinkedHashMap<String, String>();
            fields.put("content-type", BYTES);
            fields.put("accept-ranges", "bytes");
            fields.put("etag", tag(file.status()));
            long size = file.status().size();
            // A part is worth something to who has the rest of the same file.
            String of = call.header("if-range");
            boolean same = of.isEmpty() || of.equals(tag(file.status()));
            var range = ByteRange.of(same ? call.header("range") : "", size);
            range.ifPresent(
                    r ->
                            fields.put(
                                    "content-range",
                                    "bytes " + r.start() + "-" + (r.end() - 1) + "/" + size));
            // Not as many as it says: what the system makes up as it is read says nothing.
            var wanted = range.orElse(new ByteRange(0, Long.MAX_VALUE));
            send(work, file, wanted, call.response().stream(range.isEmpty() ? 200 : 206, fields));
        }
    }

    private static void send(
            FileWork work,
            OpenFile file,
            ByteRange range,
            dev.writ.daemon.http.Response.Stream stream)
            throws IOException {
        byte[] piece = new byte[PIECE];
        long at = range.start();
        while (at < range.end()) {
            work.goOn();
            var into = ByteBuffer.wrap(piece, 0, (int) Math.min(PIECE, range.end() - at));
            int read = file.channel().read(into, at);
            if (read < 0) {
                break;
            }
            stream.write(piece, read);
            at += read;
        }
        stream.close(new byte[0]);
    }

    private void write(Call call) throws IOException {
        var query = call.query(List.of("path", "executable"));
        String path = path(query);
        String none = call.header("if-none-match");
        if (!none.isEmpty() && !none.equals("*")) {
            throw ApiException.invalid("`if-none-match` can only be `*`");
        }
        var wish =
                new Draft.Wish(
                        unquoted(call.header("if-match")),
                        !none.isEmpty(),
                        "true".equals(query.get("executable")));
        var work = work(call);
        try (var draft = work.ask(files -> files.write(path, wish))) {
            byte[] piece = new byte[PIECE];
            work.run(
                    _ -> {
                        for (int n = call.body().read(piece); n >= 0; n = call.body().read(piece)) {
                            work.goOn();
                            draft.write(ByteBuffer.wrap(piece, 0, n));
                        }
                    });
            var status = work.ask(_ -> draft.commit());
            call.response()
                    .send(
                            200,
                            Map.of("content-type", Call.JSON, "etag", tag(status)),
                            Wire.bytes(FsRoutes.status(status)));
        }
    }

    private void delete(Call call) throws IOException {
        var query = call.query(List.of("path", "recursive"));
        String path = path(query);
        boolean recursive = "true".equals(query.get("recursive"));
        if (!call.header("if-match").isEmpty() || !call.header("if-none-match").isEmpty()) {
            throw ApiException.invalid("what is removed cannot be bound to a tag");
        }
        work(call)
                .ask(
                        files -> {
                            files.delete(path, recursive);
                            return true;
                        });
        call.nothing();
    }

    private static String tag(FileStatus status) {
        return '"' + status.tag() + '"';
    }

    private static Optional<String> unquoted(String tag) {
        if (tag.isEmpty()) {
            return Optional.empty();
        }
        boolean any = tag.equals(Draft.Wish.SOME); // no tag has one in it
        return Optional.of(any ? tag : tag.replace("\"", "").replace(Draft.Wish.SOME, ""));
    }
}
