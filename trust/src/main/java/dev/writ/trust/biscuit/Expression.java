// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Collectors;

/// A condition: operations on a stack, in the order in which they are carried out.
public record Expression(List<Op> ops) {
    public Expression {
        ops = List.copyOf(ops);
    }

    public static Expression of(Op... ops) {
        return new Expression(List.of(ops));
    }

    /// One step.
    public sealed interface Op {}

    /// Puts a term on the stack.
    public record Value(Term term) implements Op {}

    /// Changes the topmost term.
    public enum Unary implements Op {
        NEGATE,
        PARENS,
        LENGTH,
        TYPE;

        static final List<Unary> NUMBERED = List.of(values());

        private String text(String of) {
            return switch (this) {
                case NEGATE -> "!" + of;
                case PARENS -> "(" + of + ")";
                case LENGTH -> of + ".length()";
                case TYPE -> of + ".type()";
            };
        }
    }

    /// Makes one term of two, in the order of their numbers in the format.
    public enum Binary implements Op {
        LESS("<"),
        GREATER(">"),
        LESS_OR_EQUAL("<="),
        GREATER_OR_EQUAL(">="),
        STRICT_EQUAL("==="),
        CONTAINS(".contains"),
        PREFIX(".starts_with"),
        SUFFIX(".ends_with"),
        REGEX(".matches"),
        ADD("+"),
        SUBTRACT("-"),
        MULTIPLY("*"),
        DIVIDE("/"),
        AND("&&!"),
        OR("||!"),
        INTERSECTION(".intersection"),
        UNION(".union"),
        BIT_AND("&"),
        BIT_OR("|"),
        BIT_XOR("^"),
        STRICT_NOT_EQUAL("!=="),
        EQUAL("=="),
        NOT_EQUAL("!="),
        LAZY_AND("&&"),
        LAZY_OR("||"),
        ALL(".all"),
        ANY(".any"),
        GET(".get"),
        /// functions of the host: there are none
        FOREIGN(".extern"),
        TRY_OR(".try_or");

        static final List<Binary> NUMBERED = List.of(values());

        private final String sign;

        Binary(String sign) {
            this.sign = sign;
        }

        /// How it is written between its terms, or with a dot before the second.
        public String sign() {
            return sign;
        }

        private String text(String left, String right) {
            return sign.startsWith(".")
                    ? left + sign + "(" + right + ")"
                    : left + " " + sign + " " + right;
        }
    }

    /// Puts operations on the stack that another one carries out.
    public record Closure(List<String> parameters, List<Op> ops) implements Op {
        public Closure {
            parameters = List.copyOf(parameters);
            ops = List.copyOf(ops);
        }
    }

    @Override
    public String toString() {
        return text(ops);
    }

    private static String text(List<Op> ops) {
        var stack = new ArrayDeque<String>();
        for (var op : ops) {
            int needed = op instanceof Unary ? 1 : op instanceof Binary ? 2 : 0;
            if (stack.size() < needed) {
                return "<invalid expression>";
            }
            switch (op) {
                case Value(var term) -> stack.push(term.toString());
                case Unary unary -> stack.push(unary.text(stack.pop()));
                case Binary binary -> {
                    String right = stack.pop();
                    stack.push(binary.text(stack.pop(), right));
                }
                case Closure(var parameters, var inner) ->
                        stack.push(
                                parameters.isEmpty()
                                        ? text(inner)
                                        : parameters.stream()
                                                        .map(p -> "$" + p)
                                                        .collect(Collectors.joining(", "))
                                                + " -> "
                                                + text(inner));
            }
        }
        return stack.size() == 1 ? stack.pop() : "<invalid expression>";
    }
}
