// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.Json;
import dev.writ.trust.key.Keys.Purpose;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Shows the keys that sign the record, replaces them, and gives out their public halves.
final class KeysVerb implements Verb {
    private static final Option PEM = Option.flag("pem", "export for openssl and others");

    @Override
    public Manual manual() {
        return new Manual(
                "keys",
                "show, export or rotate the keys that sign the record",
                "[--json] [export | rotate] [log | attest | token] [--pem]",
                List.of(
                        "writ keys",
                        "writ keys export > writ.pub          # for those who verify",
                        "writ keys export attest --pem",
                        "writ keys rotate log"),
                List.of(PEM, Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var words = arguments.words();
        var installation = Recorded.installation(world);
        var purposes = purposes(words.subList(Math.min(1, words.size()), words.size()));
        boolean json = arguments.has(Option.JSON);
        for (var purpose : purposes) {
            switch (words.isEmpty() ? "" : words.getFirst()) {
                case "" -> show(purpose, installation, json, world);
                case "export" -> {
                    var key = installation.keys().signing(purpose, name(purpose)).verifying();
                    world.out().print(arguments.has(PEM) ? key.pem() : key + "\n");
                }
                case "rotate" -> rotate(purpose, installation, json, world);
                default ->
                        throw new UsageException(
                                "use `writ keys`, `writ keys export` or `writ keys rotate`");
            }
        }
        return ExitCode.OK;
    }

    private static List<Purpose> purposes(List<String> words) {
        if (words.isEmpty()) {
            return List.of(Purpose.LOG, Purpose.ATTEST);
        }
        for (var purpose : Purpose.values()) {
            if (words.equals(List.of(purpose.word()))) {
                return List.of(purpose);
            }
        }
        throw new UsageException(
                "there is a key `log`, a key `attest` and a key `token`, and no `"
                        + Text.shown(String.join(" ", words))
                        + "`");
    }

    private static String name(Purpose purpose) {
        return switch (purpose) {
            case LOG -> Installation.origin();
            case ATTEST -> Installation.ATTESTER;
            case TOKEN -> "writ/token";
        };
    }

    private static void show(
            Purpose purpose, Installation installation, boolean json, World world) {
        var keys = installation.keys();
        var since = keys.since(purpose);
        if (since.isEmpty()) {
            if (!json) {
                world.out()
                        .println(
                                world.paint().bold(String.format("%-7s", purpose.word()))
                                        + " not made yet: the first run does, or `writ keys export`");
            }
            return;
        }
        var all = keys.verifying(purpose, name(purpose));
        var key = all.getFirst();
        if (json) {
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("purpose", purpose.word());
            map.put("fingerprint", key.fingerprint());
            map.put("key", key.toString());
            map.put("since", since.get().toString());
            map.put("earlier", all.size() - 1);
            world.out().println(Json.write(map));
            return;
        }
        var paint = world.paint();
        world.out().println(paint.bold(String.format("%-7s", purpose.word())) + " " + key);
        String times = all.size() == 1 ? "" : ", rotated " + (all.size() - 1) + " times";
        world.out()
                .println(
                        paint.dim(
                                "        SHA-256 "
                                        + key.fingerprint()
                                        + "\n        since "
                                        + since.get().truncatedTo(ChronoUnit.SECONDS)
                                        + times));
    }

    private static void rotate(
            Purpose purpose, Installation installation, boolean json, World world) {
        var key = installation.keys().rotate(purpose, name(purpose)).verifying();
        if (json) {
            show(purpose, installation, true, world);
            return;
        }
        world.out()
                .println(
                        world.paint().bold(String.format("%-7s", purpose.word()))
                                + " "
                                + key
                                + "\n        signs from now on; the old key has signed a hand-over"
                                + " to it and is gone.\n        Who verifies need do nothing: the"
                                + " hand-overs in `keys/handovers` lead from the old to the new.");
    }
}
