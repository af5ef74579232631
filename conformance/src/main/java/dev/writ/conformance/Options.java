// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/// What `writ probe` was asked for.
final class Options {
    /// What to probe.
    sealed interface Target {
        /// Writ with one of its backends; empty for the one it chooses.
        record Backend(String name) implements Target {}

        /// `none`, `@name` or a command line.
        record Line(String text) implements Target {}

        /// A command that is already in words.
        record Command(List<String> words) implements Target {}
    }

    /// A flag that cannot be used like this.
    static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    private static final int MOST_JOBS = 256;

    private Optional<Target> target = Optional.empty();
    private final List<String> words = new ArrayList<>();
    private Optional<Path> junit = Optional.empty();
    private Optional<Path> html = Optional.empty();
    private Optional<Integer> jobs = Optional.empty();
    private Optional<Duration> limit = Optional.empty();
    private String user = "";
    private List<String> without = List.of();
    private boolean json;
    private boolean commands;
    private boolean list;

    private Options() {}

    /// @throws UsageException if they make no sense
    static Options read(List<String> arguments) {
        var options = new Options();
        var rest = arguments.iterator();
        while (rest.hasNext()) {
            options.take(rest.next(), rest);
        }
        return options;
    }

    private void take(String word, Iterator<String> rest) {
        switch (word) {
            case "--json" -> json = true;
            case "--list" -> list = true;
            case "--commands" -> commands = true;
            case "--launcher" -> target(new Target.Line(value(word, rest)));
            case "--backend" -> target(new Target.Backend(value(word, rest)));
            case "--without" -> without = List.of(value(word, rest).split(","));
            case "--user" -> user = value(word, rest);
            case "--jobs" -> jobs = Optional.of(number(word, value(word, rest), MOST_JOBS));
            case "--time-limit" ->
                    limit = Optional.of(Duration.ofSeconds(number(word, value(word, rest), 3600)));
            case "--junit" -> junit = Optional.of(Path.of(value(word, rest)));
            case "--html" -> html = Optional.of(Path.of(value(word, rest)));
            case "--" -> command(rest);
            default -> selection(word);
        }
    }

    private void selection(String word) {
        if (word.startsWith("-")) {
            throw new UsageException("unknown flag `" + word + "`, see `writ help probe`");
        }
        words.add(word);
    }

    private void command(Iterator<String> rest) {
        var command = new ArrayList<String>();
        rest.forEachRemaining(command::add);
        if (command.isEmpty()) {
            throw new UsageException("no command after `--`");
        }
        target(new Target.Command(List.copyOf(command)));
    }

    private void target(Target given) {
        if (target.isPresent()) {
            throw new UsageException("one of --launcher, --backend and -- is enough");
        }
        target = Optional.of(given);
    }

    private static String value(String flag, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new UsageException("a value must follow `" + flag + "`");
        }
        return rest.next();
    }

    private static int number(String flag, String text, int most) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(flag + " takes a number from 1 to " + most + ": `" + text + "`");
    }

    Target target() {
        return target.orElse(new Target.Backend(""));
    }

    List<String> words() {
        return List.copyOf(words);
    }

    Optional<Path> junit() {
        return junit;
    }

    Optional<Path> html() {
        return html;
    }

    int jobs(int usual) {
        return jobs.orElse(usual);
    }

    Duration limit(Duration usual) {
        return limit.orElse(usual);
    }

    String user() {
        return user;
    }

    List<String> without() {
        return without;
    }

    boolean isJson() {
        return json;
    }

    boolean hasCommandRules() {
        return commands;
    }

    boolean isList() {
        return list;
    }
}
