// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads oracles. The grammar: `and` binds tighter than `or`, `not` tighter than both, and a
/// question is `name(argument, ...)` with words, numbers and texts in double quotes.
public final class OracleReader {
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?:([A-Za-z0-9][\\w-]*)|\"([^\"\\\\]*)\"|([(),]))");

    private record Token(String text, boolean quoted) {
        boolean is(String mark) {
            return !quoted && text.equals(mark);
        }
    }

    private static final Token END = new Token("", false);

    private final List<Token> tokens;
    private int next;

    private OracleReader(List<Token> tokens) {
        this.tokens = tokens;
    }

    /// @throws UnknownOracleException if `text` is not an oracle
    public static Oracle read(String text) {
        var reader = new OracleReader(tokens(text));
        Oracle oracle = reader.any();
        if (!reader.peek().equals(END)) {
            throw new UnknownOracleException("unexpected `" + reader.peek().text() + "`: " + text);
        }
        return oracle;
    }

    private Oracle any() {
        var parts = new ArrayList<>(List.of(all()));
        while (take("or")) {
            parts.add(all());
        }
        return parts.size() == 1 ? parts.getFirst() : new Oracle.Any(parts);
    }

    private Oracle all() {
        var parts = new ArrayList<>(List.of(one()));
        while (take("and")) {
            parts.add(one());
        }
        return parts.size() == 1 ? parts.getFirst() : new Oracle.All(parts);
    }

    private Oracle one() {
        return take("not") ? new Oracle.Not(one()) : question();
    }

    private Oracle question() {
        String name = next().text();
        var arguments = new ArrayList<Token>();
        expect("(");
        while (!take(")")) {
            if (!arguments.isEmpty()) {
                expect(",");
            }
            arguments.add(next());
        }
        return new Question(name, arguments).oracle();
    }

    private record Question(String name, List<Token> arguments) {
        Oracle oracle() {
            return switch (name) {
                case "says" -> new OutputOracle.Says(word(0, 1));
                case "output" ->
                        is(0, 1).quoted()
                                ? new OutputOracle.Shows(text(0, 1))
                                : OutputOracle.secretNamed(word(0, 1));
                case "output-size" -> new OutputOracle.Size(number(0, 1));
                case "descriptors" -> none(new OutputOracle.Descriptors());
                case "interfaces" -> none(new OutputOracle.Interfaces());
                case "heard" -> HostOracle.Heard.named(word(0, 1));
                case "canary-gone" -> none(new HostOracle.CanaryGone());
                case "canary-nice" -> new HostOracle.CanaryNice((int) number(0, 1));
                case "canary-oom" -> new HostOracle.CanaryOom((int) number(0, 1));
                case "typed" -> new HostOracle.Typed(text(0, 1));
                case "displayed" -> new HostOracle.Displayed(text(0, 1));
                case "elapsed" -> new HostOracle.Elapsed((int) number(0, 1));
                default -> file();
            };
        }

        private Oracle file() {
            var question =
                    Arrays.stream(FileOracle.Question.values())
                            .filter(q -> q.spelling().equals(name))
                            .findAny()
                            .orElseThrow(
                                    () ->
                                            new UnknownOracleException(
                                                    "no such oracle: `" + name + "`"));
            if (!question.hasDetail()) {
                return new FileOracle(question, text(0, 1), "");
            }
            String detail =
                    question == FileOracle.Question.SIZE
                            ? String.valueOf(number(1, 2))
                            : is(1, 2).text();
            return new FileOracle(question, text(0, 2), detail);
        }

        private Token is(int index, int count) {
            if (arguments.size() != count) {
                throw new UnknownOracleException("`" + name + "` takes " + count + " arguments");
            }
            return arguments.get(index);
        }

        private String text(int index, int count) {
            if (!is(index, count).quoted()) {
                throw new UnknownOracleException("`" + name + "` takes a text in quotes");
            }
            return arguments.get(index).text();
        }

        private String word(int index, int count) {
            if (is(index, count).quoted()) {
                throw new UnknownOracleException("`" + name + "` takes a word without quotes");
            }
            return arguments.get(index).text();
        }

        private long number(int index, int count) {
            try {
                return Long.parseLong(word(index, count));
            } catch (NumberFormatException e) {
                throw new UnknownOracleException("`" + name + "` takes a number");
            }
        }

        private Oracle none(Oracle oracle) {
            if (!arguments.isEmpty()) {
                throw new UnknownOracleException("`" + name + "` takes no arguments");
            }
            return oracle;
        }
    }

    private Token peek() {
        return next < tokens.size() ? tokens.get(next) : END;
    }

    private Token next() {
        Token token = peek();
        if (token.equals(END)) {
            throw new UnknownOracleException("the oracle ends too early");
        }
        next++;
        return token;
    }

    private boolean take(String mark) {
        boolean taken = !peek().equals(END) && peek().is(mark);
        next += taken ? 1 : 0;
        return taken;
    }

    private void expect(String mark) {
        if (!take(mark)) {
            throw new UnknownOracleException(
                    "expected `" + mark + "` but found `" + peek().text() + "`");
        }
    }

    private static List<Token> tokens(String text) {
        var tokens = new ArrayList<Token>();
        Matcher matcher = TOKEN.matcher(text.strip());
        int at = 0;
        while (at < text.strip().length()) {
            if (!matcher.find(at) || matcher.start() != at) {
                throw new UnknownOracleException("cannot read oracle: " + text);
            }
            String quoted = matcher.group(2);
            tokens.add(
                    quoted == null
                            ? new Token(matcher.group().strip(), false)
                            : new Token(quoted, true));
            at = matcher.end();
        }
        return tokens;
    }
}
