// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Closure;
import dev.writ.trust.biscuit.Expression.Op;
import dev.writ.trust.biscuit.Expression.Unary;
import dev.writ.trust.biscuit.Expression.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Finds the value of expressions.
final class Evaluator {
    private final Budget budget;
    private final Operations operations;

    Evaluator(Budget budget) {
        this.budget = budget;
        this.operations = new Operations(budget);
    }

    /// Whether the expression is true.
    ///
    /// @throws EvaluationException if it has no value, or one that is neither true nor false
    boolean holds(Expression expression, Map<String, Term> values) {
        return truth(evaluate(expression.ops(), values));
    }

    private static boolean truth(Term term) {
        if (term instanceof Term.Bool(var value)) {
            return value;
        }
        throw new EvaluationException("neither true nor false: " + term);
    }

    private Term evaluate(List<Op> ops, Map<String, Term> values) {
        var stack = new ArrayDeque<Object>();
        for (var op : ops) {
            budget.spend(1);
            switch (op) {
                case Value(Term.Variable(var name)) -> {
                    var term = values.get(name);
                    if (term == null) {
                        throw new EvaluationException("nothing is known of $" + name);
                    }
                    stack.push(term);
                }
                case Value(var term) -> stack.push(term);
                case Closure closure -> stack.push(closure);
                case Unary unary -> stack.push(operations.unary(unary, term(stack)));
                case Binary binary -> stack.push(binary(binary, stack, values));
            }
        }
        var result = term(stack);
        if (!stack.isEmpty()) {
            throw unbalanced();
        }
        return result;
    }

    private static Term term(ArrayDeque<Object> stack) {
        if (stack.poll() instanceof Term term) {
            return term;
        }
        throw unbalanced();
    }

    private static EvaluationException unbalanced() {
        return new EvaluationException("an expression that is not well made");
    }

    private Term binary(Binary op, ArrayDeque<Object> stack, Map<String, Term> values) {
        var right = stack.poll();
        var left = stack.poll();
        if (left instanceof Term one && right instanceof Term other) {
            return operations.binary(op, one, other);
        }
        if (left instanceof Term one && right instanceof Closure closure) {
            return closure(op, one, closure, values);
        }
        if (left instanceof Closure closure && right instanceof Term other) {
            return closure(op, other, closure, values);
        }
        throw unbalanced();
    }

    private Term closure(Binary op, Term term, Closure closure, Map<String, Term> values) {
        for (var parameter : closure.parameters()) {
            if (values.containsKey(parameter)) {
                throw new EvaluationException("$" + parameter + " has a value already");
            }
        }
        int parameters = closure.parameters().size();
        if (parameters == 0 && op == Binary.TRY_OR) {
            return tried(closure, term, values);
        }
        if (parameters == 0 && (op == Binary.LAZY_AND || op == Binary.LAZY_OR)) {
            boolean first = Operations.typed(term, Term.Bool.class).value();
            return first == (op == Binary.LAZY_OR) ? term : evaluate(closure.ops(), values);
        }
        if (parameters == 1 && (op == Binary.ALL || op == Binary.ANY)) {
            return Term.Bool.of(each(op == Binary.ANY, elements(term), closure, values));
        }
        throw Operations.wrongType(op.sign(), term);
    }

    private Term tried(Closure closure, Term otherwise, Map<String, Term> values) {
        try {
            return evaluate(closure.ops(), values);
        } catch (EvaluationException e) {
            return otherwise;
        }
    }

    /// Whether one element is `wanted`, or, if that is false, none is.
    private boolean each(
            boolean wanted, List<Term> elements, Closure closure, Map<String, Term> values) {
        var inner = new HashMap<>(values);
        budget.spend(values.size());
        for (var element : elements) {
            inner.put(closure.parameters().getFirst(), element);
            if (truth(evaluate(closure.ops(), inner)) == wanted) {
                return wanted;
            }
        }
        return !wanted;
    }

    private List<Term> elements(Term term) {
        return switch (term) {
            case Term.Set set -> set.elements();
            case Term.Array array -> array.elements();
            case Term.Dictionary map -> {
                budget.spend(map.weight());
                var pairs = new ArrayList<Term>();
                map.entries().forEach((k, v) -> pairs.add(new Term.Array(List.of(k, v))));
                yield pairs;
            }
            default -> throw Operations.wrongType("all or any", term);
        };
    }
}
