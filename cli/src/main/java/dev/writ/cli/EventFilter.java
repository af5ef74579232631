// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.policy.Source;
import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventKind;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/// Which events somebody wants to see.
final class EventFilter {
    static final Option KIND =
            new Option("kind", "WORD", "only these, such as `judged`; repeatable");
    static final Option VERDICT =
            new Option("verdict", "WORD", "only what was `permitted`, or `refused`");
    static final Option PATH = new Option("path", "PATTERN", "only what is about such a path");
    static final Option HOST = new Option("host", "HOST", "only this one, or `*.` and a domain");
    static final Option SINCE =
            new Option("since", "WHEN", "a time, a date, or how long ago: `2h`");

    private static final List<Option> ALL = List.of(KIND, VERDICT, PATH, HOST, SINCE);

    private Predicate<Event> wanted = _ -> true;

    static List<Option> options() {
        return ALL;
    }

    static Predicate<Event> of(Arguments arguments, World world) {
        var filter = new EventFilter();
        var kinds = arguments.values(KIND);
        kinds.forEach(EventFilter::known);
        if (!kinds.isEmpty()) {
            filter.and(event -> kinds.contains(event.word()));
        }
        arguments.value(VERDICT).ifPresent(word -> filter.and(verdict(word)));
        arguments.value(PATH).ifPresent(text -> filter.and(path(text, world)));
        arguments.value(HOST).ifPresent(text -> filter.and(host(text)));
        arguments
                .value(SINCE)
                .map(EventFilter::since)
                .ifPresent(from -> filter.and(event -> !event.at().isBefore(from)));
        return filter.wanted;
    }

    private void and(Predicate<Event> more) {
        wanted = wanted.and(more);
    }

    private static void known(String kind) {
        var words = Arrays.stream(EventKind.values()).map(EventKind::word).toList();
        if (!words.contains(kind)) {
            String nearest = Nearest.suggestion(kind, words);
            throw new UsageException(
                    "no event is of the kind `"
                            + Text.shown(kind)
                            + "`; "
                            + (nearest.isEmpty()
                                    ? "there are " + String.join(", ", words)
                                    : nearest));
        }
    }

    private static Predicate<Event> verdict(String word) {
        if (!word.equals("permitted") && !word.equals("refused")) {
            throw new UsageException("`--verdict` is `permitted` or `refused`");
        }
        return event ->
                event.kind().filter(k -> k == EventKind.JUDGED).isPresent()
                        && event.is("permitted") == word.equals("permitted");
    }

    /// As in a rule: a folder means all below it, and patterns are those of the policy.
    private static Predicate<Event> path(String text, World world) {
        var config = world.config();
        Policy policy;
        try {
            var scope = config.scope(config.folder());
            var rule = Rule.parse(Effect.ALLOW, "read:" + text, scope, Source.of("--path"));
            policy = Policy.of(scope, List.of(rule), List.of());
        } catch (SyntaxException e) {
            throw new UsageException("`--path`: " + e.getMessage());
        }
        return event ->
                pathOf(event)
                        .filter(
                                path ->
                                        policy.decide(new Action.ReadFile(path))
                                                instanceof Decision.Allow)
                        .isPresent();
    }

    private static Optional<FilePath> pathOf(Event event) {
        String plain = event.text(event.fields().containsKey("program") ? "program" : "path");
        if (plain.startsWith("/") && !event.fields().containsKey("host")) {
            return Optional.of(FilePath.of(plain));
        }
        return action(event)
                .flatMap(
                        action ->
                                switch (action) {
                                    case Action.OnPath on -> Optional.of(on.path());
                                    case Action.StartProgram start -> Optional.of(start.program());
                                    default -> Optional.empty();
                                });
    }

    private static Optional<Action> action(Event event) {
        try {
            String text = event.text("action");
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Action.parse(text, Scope.SPELLED_OUT));
        } catch (SyntaxException e) {
            return Optional.empty(); // cut, hidden, or of a newer Writ
        }
    }

    private static Predicate<Event> host(String text) {
        String wanted = text.toLowerCase(Locale.ROOT);
        return event ->
                hostOf(event)
                        .filter(
                                host ->
                                        wanted.startsWith("*.")
                                                ? host.endsWith(wanted.substring(1))
                                                : host.equals(wanted))
                        .isPresent();
    }

    private static Optional<String> hostOf(Event event) {
        if (event.fields().containsKey("host")) {
            return Optional.of(event.text("host").toLowerCase(Locale.ROOT));
        }
        return action(event)
                .flatMap(
                        action ->
                                switch (action) {
                                    case Action.Connect to -> Optional.of(to.host().toString());
                                    case Action.Request to -> Optional.of(to.host().toString());
                                    case Action.UseSecret to -> Optional.of(to.host().toString());
                                    default -> Optional.empty();
                                });
    }

    private static Instant since(String text) {
        try {
            if (text.matches("[0-9]{1,9}[smhd]")) {
                long amount = Long.parseLong(text.substring(0, text.length() - 1));
                var ago =
                        switch (text.charAt(text.length() - 1)) {
                            case 's' -> Duration.ofSeconds(amount);
                            case 'm' -> Duration.ofMinutes(amount);
                            case 'h' -> Duration.ofHours(amount);
                            default -> Duration.ofDays(amount);
                        };
                return InstantSource.system().instant().minus(ago);
            }
            return text.length() == 10
                    ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                    : Instant.parse(text);
        } catch (DateTimeException e) {
            throw new UsageException(
                    "`--since` is a time such as `2026-01-31T10:00:00Z`, a date, or how long ago:"
                            + " `90s`, `10m`, `2h`, `7d`");
        }
    }
}
