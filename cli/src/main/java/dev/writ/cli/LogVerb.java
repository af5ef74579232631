// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.cli.SessionEvents.Numbered;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Text;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.event.Event;
import dev.writ.trust.export.Format;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/// Shows what happened, verifies that nobody changed it, and gives it to others.
final class LogVerb implements Verb {
    static final Option ANCHOR =
            new Option("anchor", "FILE", "verify: a checkpoint that was kept elsewhere");
    static final Option OUT = new Option("out", "FILE", "prove: where the receipt goes");
    static final Option TO = new Option("to", "PLACE", "anchor: a file, a URL, or `git`");

    private static final Option FOLLOW = Option.flag("follow", "go on with what happens next (-f)");
    private static final Option LAST = new Option("last", "N", "the last N only (-n N)");
    private static final Option FORMAT =
            new Option("format", "FORM", "export: ocsf, otlp or jsonl");
    private static final int MOST_LAST = 100_000;

    @Override
    public Manual manual() {
        var options = new ArrayList<>(EventFilter.options());
        options.addAll(List.of(LAST, FOLLOW, Option.JSON, FORMAT, Recorded.KEY, ANCHOR, OUT, TO));
        return new Manual(
                "log",
                "show what happened; verify it, prove it, give it to others",
                "[SESSION | verify | prove | check | export | anchor]",
                List.of(
                        "writ log last --verdict refused",
                        "writ log verify",
                        "writ log verify COPY --key writ.pub --anchor kept",
                        "writ log prove last:3 --out r        # then: writ log check r r.entry",
                        "writ log export --format ocsf last",
                        "writ log anchor --to kept            # or a URL, or git"),
                options);
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var words = arguments.words();
        var rest = words.subList(Math.min(1, words.size()), words.size());
        return switch (words.isEmpty() ? "" : words.getFirst()) {
            case "verify" -> LogVerify.run(rest, arguments, world);
            case "prove" -> LogProof.prove(rest, arguments, world);
            case "check" -> LogProof.check(rest, arguments, world);
            case "anchor" -> LogAnchor.run(rest, arguments, world);
            case "export" -> export(rest, arguments, world);
            default -> show(words, arguments, world);
        };
    }

    private static int show(List<String> words, Arguments arguments, World world) {
        if (arguments.has(FOLLOW)) {
            return follow(words, arguments, world);
        }
        var installation = Recorded.installation(world);
        var sessions = sessions(words, installation);
        if (sessions.isEmpty() && !arguments.has(Option.JSON)) {
            world.out().println("nothing is recorded yet");
            return ExitCode.OK;
        }
        var listing = listing(arguments, installation, world);
        int last = last(arguments);
        return last < 0 ? listing.print(sessions) : listing.printLast(sessions, last);
    }

    private static int follow(List<String> words, Arguments arguments, World world) {
        var installation = Recorded.installation(world);
        Predicate<SessionId> which = _ -> true;
        if (!words.isEmpty()) {
            which = sessions(words, installation).getFirst()::equals;
        }
        try {
            return listing(arguments, installation, world).follow(which, last(arguments));
        } catch (InterruptedException e) {
            return ExitCode.OK;
        }
    }

    private static LogListing listing(Arguments arguments, Installation installation, World world) {
        var line =
                arguments.has(Option.JSON)
                        ? exported(Format.JSONL)
                        : LogListing.forPeople(world.paint());
        return new LogListing(installation, EventFilter.of(arguments, world), line, world);
    }

    private static Function<Numbered, String> exported(Format format) {
        return numbered -> format.line(numbered.event());
    }

    private static List<SessionId> sessions(List<String> words, Installation installation) {
        if (words.size() > 1) {
            throw new UsageException("name one session, or none to see all");
        }
        return words.isEmpty()
                ? installation.sessions()
                : List.of(Recorded.session(words.getFirst(), installation));
    }

    private static int last(Arguments arguments) {
        var given = arguments.value(LAST);
        if (given.isEmpty()) {
            return -1;
        }
        if (!given.get().matches("[0-9]{1,6}") || Integer.parseInt(given.get()) > MOST_LAST) {
            throw new UsageException("`--last` is a number up to " + MOST_LAST);
        }
        return Integer.parseInt(given.get());
    }

    private static int export(List<String> words, Arguments arguments, World world) {
        var installation = Recorded.installation(world);
        var format = format(arguments.value(FORMAT).orElse(""));
        Predicate<Event> wanted = EventFilter.of(arguments, world);
        return new LogListing(installation, wanted, exported(format), world)
                .print(sessions(words, installation));
    }

    private static Format format(String word) {
        var names = Arrays.stream(Format.values()).map(Format::word).toList();
        for (var format : Format.values()) {
            if (format.word().equals(word)) {
                return format;
            }
        }
        String nearest = Nearest.suggestion(word, names);
        throw new UsageException(
                word.isEmpty()
                        ? "say in which form: `--format ocsf`, `otlp` or `jsonl`"
                        : "unknown format `"
                                + Text.shown(word)
                                + "`; "
                                + (nearest.isEmpty() ? "there are " + names : nearest));
    }
}
