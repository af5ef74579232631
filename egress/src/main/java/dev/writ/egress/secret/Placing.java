// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import dev.writ.core.capability.SecretForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Puts a value where its form says, and nowhere else.
final class Placing {
    private static final String AUTHORIZATION = "authorization";

    private Placing() {}

    /// Where in the head the value goes; empty if it goes into the body.
    static String place(Kept secret) {
        return switch (secret.definition().as()) {
            case SecretForm.Header(var name, _) -> name;
            case SecretForm.Basic _ -> AUTHORIZATION;
            case SecretForm.Query(var name) -> "?" + name;
            case SecretForm.Field _ -> "";
        };
    }

    /// Whether the placeholder stands in the place of the secret.
    static boolean isAsked(Head head, Kept secret) {
        return switch (secret.definition().as()) {
            case SecretForm.Header _, SecretForm.Basic _ ->
                    head.all(place(secret)).stream().anyMatch(h -> !secret.filled(h).equals(h));
            case SecretForm.Query(var name) ->
                    head.target().contains(name + "=" + secret.placeholder());
            case SecretForm.Field _ -> false;
        };
    }

    /// Puts the value into the head.
    static void intoHead(Head head, Kept secret) {
        switch (secret.definition().as()) {
            case SecretForm.Header(var name, var template) ->
                    header(head, name, secret, with(template, secret));
            case SecretForm.Basic(var template) ->
                    header(
                            head,
                            AUTHORIZATION,
                            secret,
                            "Basic " + Kept.encoded(with(template, secret)));
            case SecretForm.Query(var name) -> query(head, name, secret);
            case SecretForm.Field _ -> {}
        }
    }

    private static String with(String template, Kept secret) {
        return template.replace(SecretForm.VALUE, secret.value().characters());
    }

    /// A program that knows the placeholder has its own way to write the header; for one that does
    /// not it is written.
    private static void header(Head head, String name, Kept secret, String otherwise) {
        var given = head.all(name);
        var filled = given.stream().map(secret::filled).toList();
        head.set(name, filled.equals(given) ? List.of(otherwise) : filled);
    }

    private static void query(Head head, String name, Kept secret) {
        String target = head.target();
        int question = target.indexOf('?');
        var path = question < 0 ? target : target.substring(0, question);
        var parameters = new ArrayList<String>();
        var value = Spellings.percent(secret.value().bytes());
        boolean there = false;
        for (var parameter :
                question < 0 ? new String[0] : target.substring(question + 1).split("&", -1)) {
            if (!parameter.startsWith(name + "=")) {
                parameters.add(parameter);
            } else if (!there) {
                parameters.add(name + "=" + value);
                there = true;
            }
        }
        if (!there) {
            parameters.removeIf(String::isEmpty);
            parameters.add(name + "=" + value);
        }
        head.target(path + "?" + String.join("&", parameters));
    }

    /// The body with the value in place of the placeholder, wherever that is all of the field.
    static byte[] intoBody(byte[] body, String contentType, String name, Kept secret) {
        var text = new String(body, StandardCharsets.ISO_8859_1);
        String type = contentType.toLowerCase(Locale.ROOT);
        boolean form = type.startsWith("application/x-www-form-urlencoded");
        if (!form && !type.matches("application/([^;]*\\+)?json( *;.*)?")) {
            return body;
        }
        var out = new StringBuilder();
        int from = 0;
        String mark = secret.placeholder();
        for (int at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
            int end = at + mark.length();
            boolean fits = form ? isFormField(text, at, end, name) : isMember(text, at, end, name);
            out.append(text, from, at).append(fits ? written(secret, form) : mark);
            from = end;
        }
        return out.append(text, from, text.length())
                .toString()
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String written(Kept secret, boolean form) {
        return form
                ? Spellings.percent(secret.value().bytes())
                : Spellings.json(secret.value().characters());
    }

    private static boolean isFormField(String text, int at, int end, String name) {
        int begin = at - name.length() - 1;
        return begin >= 0
                && text.startsWith(name + "=", begin)
                && (begin == 0 || text.charAt(begin - 1) == '&')
                && (end == text.length() || text.charAt(end) == '&');
    }

    /// `"name": "..."`, after a brace or a comma. Within a text the quotes would be escaped.
    private static boolean isMember(String text, int at, int end, String name) {
        if (at == 0
                || text.charAt(at - 1) != '"'
                || end == text.length()
                || text.charAt(end) != '"') {
            return false;
        }
        int colon = skipBack(text, at - 1) - 1;
        if (colon < 0 || text.charAt(colon) != ':') {
            return false;
        }
        int close = skipBack(text, colon);
        int open = close - name.length() - 2;
        if (open < 0 || !text.startsWith("\"" + name + "\"", open)) {
            return false;
        }
        int before = skipBack(text, open) - 1;
        return before >= 0 && (text.charAt(before) == '{' || text.charAt(before) == ',');
    }

    private static int skipBack(String text, int at) {
        int i = at;
        while (i > 0 && " \t\r\n".indexOf(text.charAt(i - 1)) >= 0) {
            i--;
        }
        return i;
    }
}
