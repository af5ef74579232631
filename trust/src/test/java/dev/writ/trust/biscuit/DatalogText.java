// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.biscuit;

import dev.writ.trust.biscuit.Expression.Binary;
import dev.writ.trust.biscuit.Expression.Closure;
import dev.writ.trust.biscuit.Expression.Op;
import dev.writ.trust.biscuit.Expression.Unary;
import dev.writ.trust.biscuit.Expression.Value;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads Datalog as people write it: for the samples, whose authorizers are texts.
final class DatalogText {
    private static final Pattern DATE =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+(Z|[+-]\\d\\d:\\d\\d)");
    private static final List<List<String>> LEVELS =
            List.of(
                    List.of("||"),
                    List.of("&&"),
                    List.of("<=", ">=", "<", ">", "===", "!==", "==", "!="),
                    List.of("^"),
                    List.of("|"),
                    List.of("&"),
                    List.of("+", "-"),
                    List.of("*", "/"));

    private final String text;
    private int at;
    final List<Predicate> facts = new ArrayList<>();
    final List<Rule> rules = new ArrayList<>();
    final List<Check> checks = new ArrayList<>();
    final List<Scope> scopes = new ArrayList<>();
    final List<LogicPolicy> policies = new ArrayList<>();

    DatalogText(String text) {
        this.text = text;
        while (skip() < text.length()) {
            statement();
        }
    }

    Block block() {
        return new Block(facts, rules, checks, scopes, null);
    }

    Authorizer authorizer() {
        return new Authorizer(block(), policies, Limits.DEFAULT);
    }

    private void statement() {
        if (take("trusting ")) {
            scopes.addAll(scopes());
        } else if (take("check if ")) {
            checks.add(new Check(Check.Kind.IF, queries()));
        } else if (take("check all ")) {
            checks.add(new Check(Check.Kind.ALL, queries()));
        } else if (take("reject if ")) {
            checks.add(new Check(Check.Kind.REJECT, queries()));
        } else if (take("allow if ")) {
            policies.add(new LogicPolicy(true, queries()));
        } else if (take("deny if ")) {
            policies.add(new LogicPolicy(false, queries()));
        } else {
            var head = predicate();
            if (take("<-")) {
                var body = query();
                rules.add(new Rule(head, body.body(), body.expressions(), body.scopes()));
            } else {
                facts.add(head);
            }
        }
        expect(";");
    }

    private List<Rule> queries() {
        var queries = new ArrayList<Rule>();
        do {
            queries.add(query());
        } while (take("or "));
        return queries;
    }

    private Rule query() {
        var body = new ArrayList<Predicate>();
        var expressions = new ArrayList<Expression>();
        do {
            if (Pattern.compile("[a-z][A-Za-z0-9_:]*\\(")
                    .matcher(text)
                    .region(skip(), text.length())
                    .lookingAt()) {
                body.add(predicate());
            } else {
                var ops = new ArrayList<Op>();
                expression(0, ops);
                expressions.add(new Expression(ops));
            }
        } while (take(","));
        return Rule.query(body, expressions, take("trusting ") ? scopes() : List.of());
    }

    private List<Scope> scopes() {
        var found = new ArrayList<Scope>();
        do {
            String word = word("[a-z0-9/]+");
            found.add(
                    switch (word) {
                        case "authority" -> new Scope.Authority();
                        case "previous" -> new Scope.Previous();
                        default -> new Scope.Key(key(word));
                    });
        } while (take(","));
        return found;
    }

    static PublicKey key(String text) {
        String[] parts = text.split("/", 2);
        var algorithm = PublicKey.Algorithm.valueOf(parts[0].toUpperCase(Locale.ROOT));
        return new PublicKey(algorithm, HexFormat.of().parseHex(parts[1]));
    }

    private Predicate predicate() {
        String name = word("[A-Za-z0-9_:]+");
        expect("(");
        return new Predicate(name, terms(")"));
    }

    private List<Term> terms(String end) {
        var terms = new ArrayList<Term>();
        while (!take(end)) {
            terms.add(term());
            take(",");
        }
        return terms;
    }

    private void expression(int level, List<Op> out) {
        if (level == LEVELS.size()) {
            unary(out);
            return;
        }
        expression(level + 1, out);
        for (var op = operator(level); op != null; op = level == 2 ? null : operator(level)) {
            var right = new ArrayList<Op>();
            expression(level + 1, right);
            if (level < 2) {
                out.add(new Closure(List.of(), right));
            } else {
                out.addAll(right);
            }
            out.add(op);
        }
    }

    private @Nullable Binary operator(int level) {
        skip();
        for (var sign : LEVELS.get(level)) {
            boolean longer =
                    sign.length() == 1 && (text.startsWith(sign + sign, at) && "|&".contains(sign));
            if (!longer && take(sign)) {
                return binary(sign);
            }
        }
        return null;
    }

    private static Binary binary(String sign) {
        return Arrays.stream(Binary.values())
                .filter(b -> b.sign().equals(sign))
                .findFirst()
                .orElseThrow();
    }

    private void unary(List<Op> out) {
        if (take("!")) {
            expression(6, out);
            out.add(Unary.NEGATE);
            return;
        }
        int start = out.size();
        if (take("(")) {
            expression(0, out);
            expect(")");
            out.add(Unary.PARENS);
        } else {
            out.add(new Value(term()));
        }
        while (at < text.length() && text.charAt(at) == '.') {
            method(start, out);
        }
    }

    private void method(int start, List<Op> out) {
        at++;
        String name = word("[a-z_:]+");
        expect("(");
        if (name.equals("length") || name.equals("type")) {
            expect(")");
            out.add(name.equals("length") ? Unary.LENGTH : Unary.TYPE);
            return;
        }
        var op = binary("." + name);
        var argument = new ArrayList<Op>();
        if (op == Binary.ALL || op == Binary.ANY) {
            expect("$");
            String parameter = word("[A-Za-z0-9_:]+");
            expect("->");
            expression(0, argument);
            out.add(new Closure(List.of(parameter), argument));
        } else {
            expression(0, argument);
            if (op == Binary.TRY_OR) {
                var tried = List.copyOf(out.subList(start, out.size()));
                out.subList(start, out.size()).clear();
                out.add(new Closure(List.of(), tried));
            }
            out.addAll(argument);
        }
        expect(")");
        out.add(op);
    }

    private Term term() {
        char c = text.charAt(skip());
        if (c == '$') {
            at++;
            return new Term.Variable(word("[A-Za-z0-9_:]+"));
        }
        if (c == '"') {
            return new Term.Text(string());
        }
        if (take("hex:")) {
            return new Term.Bytes(HexFormat.of().parseHex(word("[0-9a-f]*")));
        }
        if (take("[")) {
            return new Term.Array(terms("]"));
        }
        if (take("{")) {
            return braces();
        }
        for (var word : List.of("true", "false", "null")) {
            if (take(word)) {
                return word.equals("null") ? new Term.Null() : Term.Bool.of(word.equals("true"));
            }
        }
        var date = DATE.matcher(text).region(at, text.length());
        if (date.lookingAt()) {
            at = date.end();
            return new Term.Date(OffsetDateTime.parse(date.group()).toEpochSecond());
        }
        return new Term.Int(Long.parseLong(word("-?[0-9]+")));
    }

    private Term braces() {
        if (take(",")) {
            expect("}");
            return new Term.Set(List.of());
        }
        if (take("}")) {
            return new Term.Dictionary(new HashMap<>());
        }
        var first = term();
        if (!take(":")) {
            take(",");
            var elements = terms("}");
            elements.add(first);
            return new Term.Set(elements);
        }
        var entries = new HashMap<Term, Term>();
        entries.put(first, term());
        while (take(",")) {
            var key = term();
            expect(":");
            entries.put(key, term());
        }
        expect("}");
        return new Term.Dictionary(entries);
    }

    private String string() {
        var out = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char c = text.charAt(at);
            if (c == '\\') {
                c = text.charAt(++at) == 'n' ? '\n' : text.charAt(at);
            }
            out.append(c);
        }
        at++;
        return out.toString();
    }

    private String word(String pattern) {
        var found = Pattern.compile(pattern).matcher(text).region(skip(), text.length());
        if (!found.lookingAt()) {
            throw new IllegalArgumentException(pattern + " expected: " + text.substring(at));
        }
        at = found.end();
        return found.group();
    }

    private int skip() {
        while (at < text.length()
                && (Character.isWhitespace(text.charAt(at)) || text.startsWith("//", at))) {
            at = text.startsWith("//", at) ? text.indexOf('\n', at) : at + 1;
        }
        return at;
    }

    private boolean take(String what) {
        if (!text.startsWith(what, skip())) {
            return false;
        }
        at += what.length();
        return true;
    }

    private void expect(String what) {
        if (!take(what)) {
            throw new IllegalArgumentException("`" + what + "` expected: " + text.substring(at));
        }
    }
}
