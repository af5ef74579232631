// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Unary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// What operations make of terms.
final class Operations {
    private final Budget budget;
    private final Regexes regexes;

    Operations(Budget budget) {
        this.budget = budget;
        this.regexes = new Regexes(budget);
    }

    static EvaluationException wrongType(String what, Term term) {
        return new EvaluationException(what + " is not for a " + term.type());
    }

    static <T extends Term> T typed(Term term, Class<T> type) {
        if (type.isInstance(term)) {
            return type.cast(term);
        }
        throw new EvaluationException("not for a " + term.type());
    }

    Term unary(Unary op, Term term) {
        return switch (op) {
            case NEGATE -> Term.Bool.of(!typed(term, Term.Bool.class).value());
            case PARENS -> term;
            case TYPE -> new Term.Text(term.type());
            case LENGTH ->
                    new Term.Int(
                            switch (term) {
                                case Term.Text(var value) -> {
                                    budget.spend(value.length() / 16);
                                    yield value.getBytes(UTF_8).length;
                                }
                                case Term.Bytes bytes -> bytes.value().length;
                                case Term.Compound compound -> compound.size();
                                default -> throw wrongType("length", term);
                            });
        };
    }

    Term binary(Binary op, Term left, Term right) {
        budget.spend(left.weight() + right.weight());
        return switch (op) {
            case EQUAL -> Term.Bool.of(left.equals(right));
            case NOT_EQUAL -> Term.Bool.of(!left.equals(right));
            case STRICT_EQUAL -> Term.Bool.of(sameType(op, left, right).equals(right));
            case STRICT_NOT_EQUAL -> Term.Bool.of(!sameType(op, left, right).equals(right));
            default ->
                    switch (left) {
                        case Term.Int(var a) when right instanceof Term.Int(var b) ->
                                numbers(op, a, b);
                        case Term.Date(var a) when right instanceof Term.Date(var b) ->
                                compared(op, Long.compareUnsigned(a, b), left);
                        case Term.Text(var a) when right instanceof Term.Text(var b) ->
                                texts(op, a, b);
                        case Term.Bool(var a) when right instanceof Term.Bool(var b) ->
                                truths(op, a, b);
                        case Term.Set set -> sets(op, set, right);
                        case Term.Array array -> arrays(op, array, right);
                        case Term.Dictionary map -> maps(op, map, right);
                        default -> throw wrongType(op.sign(), left);
                    };
        };
    }

    private static Term sameType(Binary op, Term left, Term right) {
        if (!left.type().equals(right.type())) {
            throw wrongType(op.sign(), right);
        }
        return left;
    }

    private static Term compared(Binary op, int order, Term left) {
        return Term.Bool.of(
                switch (op) {
                    case LESS -> order < 0;
                    case GREATER -> order > 0;
                    case LESS_OR_EQUAL -> order <= 0;
                    case GREATER_OR_EQUAL -> order >= 0;
                    default -> throw wrongType(op.sign(), left);
                });
    }

    private static Term numbers(Binary op, long a, long b) {
        try {
            return switch (op) {
                case ADD -> new Term.Int(Math.addExact(a, b));
                case SUBTRACT -> new Term.Int(Math.subtractExact(a, b));
                case MULTIPLY -> new Term.Int(Math.multiplyExact(a, b));
                case DIVIDE -> new Term.Int(Math.divideExact(a, b));
                case BIT_AND -> new Term.Int(a & b);
                case BIT_OR -> new Term.Int(a | b);
                case BIT_XOR -> new Term.Int(a ^ b);
                default -> compared(op, Long.compare(a, b), new Term.Int(a));
            };
        } catch (ArithmeticException e) {
            throw new EvaluationException("a number out of bounds, or divided by zero");
        }
    }

    private Term texts(Binary op, String a, String b) {
        budget.spend((a.length() + b.length()) / 16);
        return switch (op) {
            case PREFIX -> Term.Bool.of(a.startsWith(b));
            case SUFFIX -> Term.Bool.of(a.endsWith(b));
            case CONTAINS -> Term.Bool.of(contains(a, b));
            case REGEX -> Term.Bool.of(regexes.matches(a, b));
            case ADD -> {
                if (a.length() + b.length() > Biscuit.LONGEST) {
                    throw new Budget.Spent("it makes a text longer than " + Biscuit.LONGEST);
                }
                yield new Term.Text(a + b);
            }
            default -> throw wrongType(op.sign(), new Term.Text(a));
        };
    }

    /// The JDK looks anew at each place, so that some pairs cost as much as their lengths
    /// multiplied.
    private boolean contains(String a, String b) {
        budget.spend((int) Math.min((long) a.length() * b.length() / 256, Integer.MAX_VALUE));
        return a.contains(b);
    }

    private static Term truths(Binary op, boolean a, boolean b) {
        return switch (op) {
            case AND -> Term.Bool.of(a && b);
            case OR -> Term.Bool.of(a || b);
            default -> throw wrongType(op.sign(), Term.Bool.of(a));
        };
    }

    private static Term sets(Binary op, Term.Set set, Term right) {
        if (op == Binary.CONTAINS
                && !(right instanceof Term.Compound)
                && !(right instanceof Term.Null)) {
            return Term.Bool.of(set.elements().contains(right));
        }
        var other = typed(right, Term.Set.class);
        return switch (op) {
            case CONTAINS ->
                    Term.Bool.of(new HashSet<>(set.elements()).containsAll(other.elements()));
            case INTERSECTION -> {
                var both = new HashSet<>(set.elements());
                both.retainAll(new HashSet<>(other.elements()));
                yield new Term.Set(both);
            }
            case UNION -> {
                var all = new ArrayList<>(set.elements());
                all.addAll(other.elements());
                yield new Term.Set(all);
            }
            default -> throw wrongType(op.sign(), set);
        };
    }

    private static Term arrays(Binary op, Term.Array array, Term right) {
        var elements = array.elements();
        return switch (op) {
            case CONTAINS -> Term.Bool.of(elements.contains(right));
            case PREFIX, SUFFIX -> {
                List<Term> part = typed(right, Term.Array.class).elements();
                int from = op == Binary.PREFIX ? 0 : elements.size() - part.size();
                yield Term.Bool.of(
                        part.size() <= elements.size()
                                && elements.subList(from, from + part.size()).equals(part));
            }
            case GET -> {
                long index = typed(right, Term.Int.class).value();
                yield index < 0 || index >= elements.size()
                        ? new Term.Null()
                        : elements.get((int) index);
            }
            default -> throw wrongType(op.sign(), array);
        };
    }

    private static Term maps(Binary op, Term.Dictionary map, Term right) {
        return switch (op) {
            case CONTAINS -> Term.Bool.of(map.entries().containsKey(right));
            case GET -> {
                if (!(right instanceof Term.Int) && !(right instanceof Term.Text)) {
                    throw wrongType(op.sign(), right);
                }
                yield map.entries().getOrDefault(right, new Term.Null());
            }
            default -> throw wrongType(op.sign(), map);
        };
    }
}
