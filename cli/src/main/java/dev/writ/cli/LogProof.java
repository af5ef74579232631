// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.core.json.JsonException;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.TrustedKeys;
import dev.writ.trust.Json;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventLine;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.key.Note;
import dev.writ.trust.log.Checkpoint;
import dev.writ.trust.log.LogException;
import dev.writ.trust.log.LogReader;
import dev.writ.trust.log.Receipt;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `writ log prove` and `writ log check`: that one entry is in a log, shown to somebody who does
/// not have the log.
final class LogProof {
    private static final Pattern ENTRY = Pattern.compile("([\\w-]+):([0-9]{1,18})");
    private static final int MOST = 100_000;

    private LogProof() {}

    static int prove(List<String> words, Arguments arguments, World world) {
        var entry = ENTRY.matcher(words.size() == 1 ? words.getFirst() : "");
        if (!entry.matches()) {
            throw new UsageException(
                    "say which entry, as `writ log` shows it: `writ log prove SESSION:INDEX`");
        }
        var installation = Recorded.installation(world);
        var session = Recorded.session(entry.group(1), installation);
        var log = installation.log(session);
        long index = Long.parseLong(entry.group(2));
        var keys = TrustedKeys.of(installation).log(Installation.origin(session));
        var receipt = Receipt.of(log, index, keys);
        byte[] bytes = new LogReader(log, index).next();
        if (bytes == null) {
            throw new UsageException("entry " + index + " is missing");
        }
        String out = arguments.value(LogVerb.OUT).orElse(session + "-" + index + ".proof");
        var file = PolicyOptions.path(out, world);
        var beside = file.resolveSibling(file.getFileName() + ".entry");
        try {
            WholeFile.replaceDurably(file, receipt.text().getBytes(UTF_8));
            WholeFile.replaceDurably(beside, bytes);
        } catch (IOException e) {
            throw new UsageException(
                    "`" + Text.shown(out) + "` cannot be written: " + Reason.of(e));
        }
        String shown = Text.shown(out);
        world.out()
                .println(
                        "wrote the receipt "
                                + shown
                                + " and what it is about, "
                                + shown
                                + ".entry\nto check them anywhere: writ log check "
                                + shown
                                + " "
                                + shown
                                + ".entry --key "
                                + keys.getFirst().named(Installation.origin()));
        return ExitCode.OK;
    }

    static int check(List<String> words, Arguments arguments, World world) {
        if (words.size() != 2) {
            throw new UsageException(
                    "name the receipt and the entry: `writ log check PROOF ENTRY --key PUB`");
        }
        byte[] proof = Recorded.read(words.getFirst(), MOST, world);
        byte[] entry = Recorded.read(words.getLast(), MOST, world);
        var keys =
                Recorded.keys(
                        arguments, Recorded.installation(world).state().resolve("keys"), world);
        boolean json = arguments.has(Option.JSON);
        try {
            var receipt = Receipt.parse(proof);
            var origin =
                    Note.unverifiedText(receipt.checkpoint().getBytes(UTF_8))
                            .lines()
                            .findFirst()
                            .orElse("");
            var signed = receipt.check(entry, keys.log(origin));
            world.out()
                    .println(
                            json ? json(receipt, signed) : sentence(receipt, signed, entry, world));
            return ExitCode.OK;
        } catch (LogException | KeyException e) {
            String why = Text.shown(String.valueOf(e.getMessage()));
            if (json) {
                world.out().println(Json.write(Map.of("verified", false, "says", why)));
            } else {
                world.out().println(world.paint().outcome("wrong") + "  " + why);
            }
            return ExitCode.DIFFERENT;
        }
    }

    private static String json(Receipt receipt, Checkpoint signed) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("verified", true);
        map.put("log", signed.origin());
        map.put("entry", receipt.index());
        map.put("entries", signed.size());
        return Json.write(map);
    }

    private static String sentence(Receipt receipt, Checkpoint signed, byte[] entry, World world) {
        String line;
        try {
            line = EventLine.of(Event.read(entry));
        } catch (JsonException e) {
            line = "(no event that is known here)";
        }
        return world.paint().outcome("verified")
                + "  this is entry "
                + receipt.index()
                + " of the "
                + signed.size()
                + " in "
                + Text.shown(signed.origin())
                + "\n           "
                + line;
    }
}
