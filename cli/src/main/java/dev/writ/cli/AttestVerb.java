// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Text;
import dev.writ.runtime.record.RecordVerifier;
import dev.writ.runtime.record.TrustedKeys;
import dev.writ.trust.Json;
import dev.writ.trust.attest.Attestation;
import dev.writ.trust.attest.AttestationException;
import dev.writ.trust.event.Value;
import dev.writ.trust.key.KeyException;
import dev.writ.trust.log.LogException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Shows and verifies what was attested about a session. Nothing of it is shown before its
/// signature is verified.
final class AttestVerb implements Verb {
    private static final Option FOLDER =
            new Option("folder", "DIR", "verify: compare the files that were written");
    private static final int MOST = 64 << 20;

    @Override
    public Manual manual() {
        return new Manual(
                "attest",
                "show or verify the signed attestation of a session",
                "show|verify FILE|SESSION [FLAGS]",
                List.of(
                        "writ attest show last",
                        "writ attest verify last --folder .",
                        "writ attest verify run.json --key writ.pub",
                        "writ attest show --json last          # the predicate"),
                List.of(Recorded.KEY, FOLDER, Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var words = arguments.words();
        boolean show = words.size() == 2 && words.getFirst().equals("show");
        if (!show && !(words.size() == 2 && words.getFirst().equals("verify"))) {
            throw new UsageException(
                    "use `writ attest show FILE|SESSION` or `writ attest verify FILE|SESSION`");
        }
        boolean json = arguments.has(Option.JSON);
        byte[] bundle = bundle(words.getLast(), world);
        var installation = Recorded.installation(world);
        var keys = Recorded.keys(arguments, installation.state().resolve("keys"), world);
        Attestation attestation;
        try {
            attestation = RecordVerifier.verify(bundle, keys.attestation(Attestation.hint(bundle)));
        } catch (AttestationException | KeyException e) {
            return wrong(List.of(String.valueOf(e.getMessage())), json, world);
        }
        if (show) {
            world.out()
                    .print(
                            json
                                    ? new String(Json.canonical(attestation.predicate()), UTF_8)
                                            + "\n"
                                    : AttestationView.of(attestation.predicate(), world.paint()));
            return ExitCode.OK;
        }
        return verify(attestation, keys, arguments, world);
    }

    private static byte[] bundle(String word, World world) {
        if (Files.isRegularFile(PolicyOptions.path(word, world))) {
            return Recorded.read(word, MOST, world);
        }
        var installation = Recorded.installation(world);
        if (word.contains("/") || word.contains(".")) {
            throw new UsageException("there is no file `" + Text.shown(word) + "`");
        }
        var session = Recorded.session(word, installation);
        Path file = installation.attestation(session);
        if (!Files.exists(file)) {
            throw new UsageException(
                    "session `" + session + "` has no attestation: it runs, or it was killed");
        }
        return Recorded.read(file.toString(), MOST, world);
    }

    private static int verify(
            Attestation attestation, TrustedKeys keys, Arguments arguments, World world) {
        var says = new ArrayList<String>();
        var problems = new ArrayList<String>();
        String id =
                attestation.predicate().get("run") instanceof Map<?, ?> run
                        ? Value.shown(run.get("id"))
                        : "";
        try {
            if (!SessionId.isValid(id)) {
                throw new AttestationException("it names no session");
            }
            says.add(
                    new RecordVerifier(keys, _ -> {})
                            .covered(attestation, new SessionId(id), Recorded.installation(world)));
        } catch (LogException | KeyException | AttestationException e) {
            problems.add("signed, but not by what the log has: " + e.getMessage());
        }
        var folder = arguments.value(FOLDER).map(name -> PolicyOptions.path(name, world));
        var files = attestation.files();
        if (folder.isPresent()) {
            for (var file : files) {
                file.difference(folder.get())
                        .ifPresent(how -> problems.add("`" + file.name() + "` " + how));
            }
            says.add(files.size() + " files compared");
        } else if (!files.isEmpty()) {
            says.add(files.size() + " files not compared; `--folder DIR` does");
        }
        if (!problems.isEmpty()) {
            return wrong(problems, arguments.has(Option.JSON), world);
        }
        if (arguments.has(Option.JSON)) {
            var map = new LinkedHashMap<String, @Nullable Object>();
            map.put("verified", true);
            map.put("session", id);
            map.put("says", says);
            world.out().println(Json.write(map));
        } else {
            world.out()
                    .println(
                            world.paint().outcome("verified")
                                    + "  session "
                                    + Text.shown(id)
                                    + ": "
                                    + Text.shown(String.join("; ", says)));
        }
        return ExitCode.OK;
    }

    private static int wrong(List<String> problems, boolean json, World world) {
        if (json) {
            world.out().println(Json.write(Map.of("verified", false, "problems", problems)));
        } else {
            problems.forEach(
                    problem ->
                            world.out()
                                    .println(
                                            world.paint().outcome("wrong")
                                                    + "  "
                                                    + Text.shown(problem)));
        }
        return ExitCode.DIFFERENT;
    }
}
