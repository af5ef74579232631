// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Nearest;
import dev.writ.core.capability.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The words after a verb, sorted into flags, others, and what follows `--`.
///
/// @param flags in the order they were given
/// @param command what follows `--`, untouched
record Arguments(List<Given> flags, List<String> words, List<String> command) {
    private static final Map<String, String> SHORT =
            Map.of("-v", "--verbose", "-n", "--last", "-f", "--follow");

    /// A flag and its value; the value is empty if it takes none.
    record Given(Option option, String value) {}

    Arguments {
        flags = List.copyOf(flags);
        words = List.copyOf(words);
        command = List.copyOf(command);
    }

    static Arguments parse(List<String> given, List<Option> options) {
        var flags = new ArrayList<Given>();
        var words = new ArrayList<String>();
        int i = 0;
        for (; i < given.size() && !given.get(i).equals("--"); i++) {
            String word = SHORT.getOrDefault(given.get(i), given.get(i));
            if (!word.startsWith("--")) {
                words.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            var option = find(equals < 0 ? word : word.substring(0, equals), options);
            if (equals >= 0 && !option.takesValue()) {
                throw new UsageException("`--" + option.name() + "` takes no value");
            }
            if (equals < 0 && option.takesValue() && ++i >= given.size()) {
                throw new UsageException(
                        "`--" + option.name() + "` needs a value: `" + option.usage() + "`");
            }
            flags.add(
                    new Given(
                            option,
                            equals >= 0
                                    ? word.substring(equals + 1)
                                    : option.takesValue() ? given.get(i) : ""));
        }
        return new Arguments(
                flags, words, given.subList(Math.min(i + 1, given.size()), given.size()));
    }

    private static Option find(String flag, List<Option> options) {
        for (var option : options) {
            if (flag.equals("--" + option.name())) {
                return option;
            }
        }
        String nearest =
                Nearest.suggestion(flag, options.stream().map(o -> "--" + o.name()).toList());
        throw new UsageException(
                "unknown flag `"
                        + Text.shown(flag)
                        + "`"
                        + (nearest.isEmpty() ? "" : "; " + nearest));
    }

    boolean has(Option option) {
        return flags.stream().anyMatch(f -> f.option().equals(option));
    }

    /// The last value given for `option`.
    Optional<String> value(Option option) {
        return flags.stream()
                .filter(f -> f.option().equals(option))
                .map(Given::value)
                .reduce((_, last) -> last);
    }

    /// All values given for `option`, in order.
    List<String> values(Option option) {
        return flags.stream().filter(f -> f.option().equals(option)).map(Given::value).toList();
    }

    void refuseCommand() {
        if (!command.isEmpty()) {
            throw new UsageException("nothing may follow `--` here");
        }
    }
}
