// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Text;
import dev.writ.runtime.record.Finding;
import dev.writ.runtime.record.Finding.State;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.RecordVerifier;
import dev.writ.runtime.record.TrustedKeys;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import dev.writ.trust.log.Receipt;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Says whether the record is as it was signed. That takes a while, so one asks at a time, and it
/// does not go on for ever.
public final class RecordRoutes {
    private static final int MOST = 500;
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Installation installation;
    private final Semaphore room = new Semaphore(1);

    public RecordRoutes(Installation installation) {
        this.installation = installation;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/log", this::verify),
                Route.get("/v1/log/{session}/{entry}", this::prove));
    }

    /// That an entry is in the log of a session, for somebody who does not have the log.
    private void prove(Call call) throws IOException {
        String name = call.part("session");
        String entry = call.part("entry");
        if (!SessionId.isValid(name) || !entry.matches("[0-9]{1,18}")) {
            throw missing(name, entry);
        }
        var session = new SessionId(name);
        var log = installation.log(session);
        if (!Files.isDirectory(log)) {
            throw missing(name, entry);
        }
        try {
            var keys = TrustedKeys.of(installation).log(Installation.origin(session));
            long index = Long.parseLong(entry);
            var receipt = Receipt.of(log, index, keys);
            byte[] bytes = new LogReader(log, index).next();
            if (bytes == null) {
                throw missing(name, entry);
            }
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("entry", new String(bytes, UTF_8));
            map.put("proof", receipt.text());
            map.put("key", keys.getFirst().named(Installation.origin()).toString());
            call.answer(map);
        } catch (LogException e) {
            throw new ApiException(
                    404, "entry.not-found", Text.shown(String.valueOf(e.getMessage())));
        }
    }

    private static ApiException missing(String session, String entry) {
        return new ApiException(
                404,
                "entry.not-found",
                "there is no entry " + Text.shown(entry) + " of `" + Text.shown(session) + "`");
    }

    private void verify(Call call) throws IOException {
        call.query(List.of());
        if (!room.tryAcquire()) {
            throw new ApiException(429, "limit.reached", "the record is being verified already");
        }
        try {
            var findings = new Findings(System.nanoTime() + LONGEST.toNanos());
            boolean complete = true;
            try {
                new RecordVerifier(TrustedKeys.of(installation), findings::add)
                        .installation(installation);
            } catch (OutOfTime e) {
                complete = false;
            }
            call.answer(findings.json(installation, complete));
        } finally {
            room.release();
        }
    }

    /// It takes too long.
    private static final class OutOfTime extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /// All that is wrong, and the latest of the rest, as far as there is room.
    private static final class Findings {
        private final long end;
        private final List<Finding> wrong = new ArrayList<>();
        private final ArrayDeque<Finding> others = new ArrayDeque<>();
        private long count;
        private long wrongCount;
        private boolean unchecked;

        Findings(long end) {
            this.end = end;
        }

        void add(Finding finding) {
            count++;
            unchecked |= finding.state() == State.UNCHECKED;
            if (finding.state() == State.WRONG) {
                wrongCount++;
                if (wrong.size() < MOST) {
                    wrong.add(finding);
                }
            } else {
                others.addLast(finding);
                if (others.size() > MOST) {
                    others.removeFirst();
                }
            }
            if (System.nanoTime() - end > 0) {
                throw new OutOfTime();
            }
        }

        Map<String, @Nullable Object> json(Installation installation, boolean complete) {
            var all = new ArrayList<>(wrong);
            all.addAll(others);
            var state = wrongCount > 0 ? State.WRONG : unchecked ? State.UNCHECKED : State.VERIFIED;
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("state", state.word());
            map.put("complete", complete);
            map.put("folder", Text.shown(installation.state().toString()));
            map.put("looked_at", count);
            map.put("wrong", wrongCount);
            map.put("findings", all.stream().map(Findings::json).toList());
            return map;
        }

        private static Map<String, @Nullable Object> json(Finding finding) {
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("what", Text.shown(finding.what()));
            map.put("state", finding.state().word());
            map.put("says", Text.shown(finding.says()));
            if (finding.entry() >= 0) {
                map.put("entry", finding.entry());
            }
            return map;
        }
    }
}
