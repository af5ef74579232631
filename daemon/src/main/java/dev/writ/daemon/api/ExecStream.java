// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.daemon.http.Response;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.daemon.sandbox.Output;
import dev.writ.daemon.sandbox.RunningProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What a command does, line by line as it does it.
final class ExecStream {
    private static final int MOST_AT_ONCE = 128 * 1024;
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(500);

    private final KeptSandbox sandbox;
    private final RunningProcess process;
    private final long end;
    private final boolean yields;
    private final boolean stays;
    private long heard;

    /// @param wait how many milliseconds somebody listens; less than 0 for until the end
    /// @param stays whether it goes on when nobody listens any more
    ExecStream(KeptSandbox sandbox, RunningProcess process, long wait, boolean stays) {
        this.sandbox = sandbox;
        this.process = process;
        this.yields = wait >= 0;
        this.end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(wait, 0));
        this.stays = stays;
    }

    /// From after that piece on: up to it all was heard.
    ExecStream after(long number) {
        heard = number;
        return this;
    }

    void send(Response response) throws IOException {
        try {
            send(response.stream(200, Call.LINES));
        } catch (IOException | InterruptedException e) {
            if (!stays) {
                sandbox.forget(process);
            }
            throw e instanceof IOException gone ? gone : new IOException(e);
        }
    }

    private void send(Response.Stream stream) throws IOException, InterruptedException {
        while (true) {
            long left = yields ? end - System.nanoTime() : LOOK;
            var part = process.output().after(heard, Math.clamp(left, 0, LOOK), MOST_AT_ONCE);
            heard = part.next() - 1;
            byte[] lines = lines(part);
            if (part.over()) {
                process.output().after(heard, 0, 1); // it is all heard
                sandbox.forget(process);
                stream.close(lines);
                return;
            }
            stream.write(lines, lines.length);
            if (yields && end - System.nanoTime() <= 0) {
                stream.close(running(part.next()));
                return;
            }
            if (part.pieces().isEmpty() && stream.isGone()) {
                throw new IOException("nobody listens any more");
            }
        }
    }

    private byte[] running(long next) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("t", "running");
        map.put("process", process.id());
        map.put("next_seq", next);
        return Wire.bytes(map);
    }

    private static byte[] lines(Output.Part part) {
        var lines = new ByteArrayOutputStream();
        part.pieces().forEach(p -> lines.writeBytes(Wire.bytes(Wire.piece(p))));
        return lines.toByteArray();
    }
}
