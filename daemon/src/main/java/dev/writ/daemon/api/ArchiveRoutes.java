// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.daemon.http.Response;
import dev.writ.daemon.sandbox.Sandboxes;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Folders of a sandbox as tar archives, in and out, bit by bit.
public final class ArchiveRoutes {
    static final String TAR = "application/x-tar";
    private static final String ARCHIVE = "/v1/sandboxes/{id}/archive";
    private static final int PIECE = 1 << 16;

    private final Sandboxes sandboxes;

    public ArchiveRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    public List<Route> routes() {
        return List.of(Route.get(ARCHIVE, this::read), Route.put(ARCHIVE, this::write));
    }

    private FileWork work(Call call) {
        return new FileWork(SandboxRoutes.find(sandboxes, call), call.response());
    }

    private void read(Call call) throws IOException {
        var query = call.query(List.of("path", "exclude"));
        var exclude = Optional.ofNullable(query.get("exclude"));
        var work = work(call);
        var out = new Sent(call.response(), work);
        work.run(files -> files.pack(FileRoutes.path(query), exclude, out));
        out.close();
    }

    private void write(Call call) throws IOException {
        String path = FileRoutes.path(call.query(List.of("path")));
        var work = work(call);
        var in =
                new FilterInputStream(call.body()) {
                    @Override
                    public int read(byte[] to, int offset, int length) throws IOException {
                        work.goOn();
                        return super.read(to, offset, length);
                    }
                };
        int[] count = new int[1];
        work.run(files -> count[0] = files.unpack(path, in));
        call.answer(Map.of("entries", (long) count[0]));
    }

    /// Begins the answer with the first bytes: what is refused before them has an answer of its
    /// own.
    private static final class Sent extends OutputStream {
        private final Response response;
        private final FileWork work;
        private final byte[] piece = new byte[PIECE];
        private int length;
        private Response.@Nullable Stream stream;

        Sent(Response response, FileWork work) {
            this.response = response;
            this.work = work;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            int done = 0;
            while (done < count) {
                int part = Math.min(count - done, PIECE - length);
                System.arraycopy(bytes, offset + done, piece, length, part);
                length += part;
                done += part;
                if (length == PIECE) {
                    send();
                }
            }
        }

        private void send() throws IOException {
            work.goOn();
            if (stream == null) {
                stream = response.stream(200, TAR);
            }
            stream.write(piece, length);
            length = 0;
        }

        @Override
        public void close() throws IOException {
            send();
            Objects.requireNonNull(stream).close(new byte[0]);
        }
    }
}
