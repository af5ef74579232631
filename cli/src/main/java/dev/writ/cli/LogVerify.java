// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.runtime.record.Finding;
import dev.writ.runtime.record.Finding.State;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.RecordVerifier;
import dev.writ.trust.Json;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `writ log verify`: says of each log, session and attestation whether it is as it was signed.
final class LogVerify {
    private static final int MOST_ANCHORS = 10 << 20;

    private final boolean json;
    private final World world;
    private long problems;
    private boolean unchecked;
    private @Nullable Finding first;

    private LogVerify(boolean json, World world) {
        this.json = json;
        this.world = world;
    }

    static int run(List<String> words, Arguments arguments, World world) {
        if (words.size() > 1) {
            throw new UsageException("name one folder, or none to verify this installation");
        }
        var state = Recorded.installation(world).state();
        var folder = words.isEmpty() ? state : PolicyOptions.path(words.getFirst(), world);
        boolean log = Files.exists(folder.resolve("checkpoint"), LinkOption.NOFOLLOW_LINKS);
        boolean record = isThere(folder, "log") || isThere(folder, "sessions");
        if (!words.isEmpty() && !log && !record) {
            throw new UsageException(
                    "`"
                            + Text.shown(words.getFirst())
                            + "` is neither a log nor a folder of logs: it has no `checkpoint`, no"
                            + " `log` and no `sessions`");
        }
        return new LogVerify(arguments.has(Option.JSON), world).verify(folder, record, arguments);
    }

    private static boolean isThere(Path folder, String name) {
        return Files.isDirectory(folder.resolve(name));
    }

    private int verify(Path folder, boolean record, Arguments arguments) {
        var anchor = arguments.value(LogVerb.ANCHOR);
        boolean nothing = !record && !Files.exists(folder.resolve("checkpoint"));
        if (nothing && anchor.isEmpty()) {
            world.out().println(json ? last(true) : "nothing is recorded yet");
            return ExitCode.OK;
        }
        byte[] kept = anchor.isEmpty() ? null : Recorded.read(anchor.get(), MOST_ANCHORS, world);
        var trusted = Recorded.keys(arguments, folder.resolve("keys"), world);
        var verifier = new RecordVerifier(trusted, this::found);
        var installation = new Installation(folder);
        if (record || nothing) {
            verifier.installation(installation);
        } else {
            verifier.log(folder);
        }
        if (kept != null) {
            verifier.anchor(record || nothing ? installation.log() : folder, kept);
        }
        world.out().println(json ? last(problems == 0) : summary());
        return problems == 0 ? ExitCode.OK : ExitCode.DIFFERENT;
    }

    private void found(Finding finding) {
        if (finding.state() == State.WRONG) {
            problems++;
            first = first == null ? finding : first;
        }
        unchecked |= finding.state() == State.UNCHECKED;
        if (json) {
            world.out().println(Json.write(describe(finding)));
            return;
        }
        var paint = world.paint();
        world.out()
                .println(
                        paint.outcome(finding.state().word())
                                + "  "
                                + paint.bold(Text.shown(finding.what()))
                                + ": "
                                + Text.shown(finding.says())
                                + (finding.entry() < 0 ? "" : " (entry " + finding.entry() + ")"));
    }

    private static Map<String, @Nullable Object> describe(Finding finding) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("what", finding.what());
        map.put("state", finding.state().word());
        map.put("says", finding.says());
        map.put("entry", finding.entry() < 0 ? null : finding.entry());
        return map;
    }

    private String last(boolean verified) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("verified", verified);
        map.put("problems", problems);
        map.put("first", first == null ? null : describe(first));
        return Json.write(map);
    }

    private String summary() {
        if (problems == 0) {
            return unchecked
                    ? "nothing is wrong; what is unchecked has nothing to be compared with"
                    : "everything is as it was signed";
        }
        return (problems == 1 ? "one thing is" : problems + " things are")
                + " not as signed: keep a copy of the folder as it is now, and trust nothing in it"
                + " from there on";
    }
}
