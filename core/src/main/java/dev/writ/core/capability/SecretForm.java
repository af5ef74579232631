// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import java.util.Locale;

/// Where in a request the value of a secret stands.
public sealed interface SecretForm {
    /// What stands for the value.
    String VALUE = "{}";

    /// What holds where nothing else is said.
    static SecretForm usual() {
        return new Header("authorization", "Bearer {}");
    }

    /// In a header.
    ///
    /// @param name in lower case
    /// @param template its value, with `{}`
    record Header(String name, String template) implements SecretForm {}

    /// In `Authorization: Basic`, which is written in base64.
    ///
    /// @param template user and password, with `{}`
    record Basic(String template) implements SecretForm {}

    /// As a parameter of the query.
    record Query(String name) implements SecretForm {}

    /// As a field of the body: of a form, or of a JSON object at any depth.
    record Field(String name) implements SecretForm {}

    /// @throws SyntaxException if it is none
    static SecretForm parse(String text) {
        int value = text.indexOf(VALUE);
        if (value < 0 || value != text.lastIndexOf(VALUE)) {
            throw SyntaxException.at(
                    Math.max(0, text.lastIndexOf(VALUE)),
                    "`as` must say once where the value goes",
                    "write `{}` for it: \"Authorization: Bearer {}\"");
        }
        if (text.startsWith("?")) {
            return new Query(parameter(text, 1));
        }
        if (text.startsWith("body ")) {
            return new Field(parameter(text, 5));
        }
        if (text.startsWith("basic ")) {
            return basic(text);
        }
        return header(text);
    }

    private static String parameter(String text, int from) {
        int equals = text.indexOf('=');
        boolean good =
                equals > from
                        && text.substring(equals + 1).equals(VALUE)
                        && text.substring(from, equals).chars().allMatch(SecretForm::isToken);
        if (!good) {
            throw SyntaxException.at(
                    from,
                    "a name and the value are needed, nothing more",
                    "write it like `?key={}` or `body key={}`");
        }
        return text.substring(from, equals);
    }

    private static SecretForm basic(String text) {
        String template = text.substring(6);
        int colon = template.indexOf(':');
        if (colon < 0 || !isPrintable(template) || template.indexOf(' ') >= 0) {
            throw SyntaxException.at(
                    6, "a user and a password are needed", "write it like `basic user:{}`");
        }
        return new Basic(template);
    }

    private static SecretForm header(String text) {
        int colon = text.indexOf(": ");
        String name = colon < 0 ? "" : text.substring(0, colon).toLowerCase(Locale.ROOT);
        if (name.isEmpty() || !name.chars().allMatch(SecretForm::isToken)) {
            throw SyntaxException.at(
                    0,
                    "not a header: `" + Text.shown(text) + "`",
                    "write it like \"Authorization: Bearer {}\", \"basic user:{}\", \"?key={}\" or \"body key={}\"");
        }
        if (isReserved(name)) {
            throw SyntaxException.at(
                    0,
                    "the header `" + name + "` says how a request is sent, so it holds no secret",
                    "");
        }
        String template = text.substring(colon + 2).strip();
        if (!isPrintable(template) || template.indexOf(VALUE) < 0) {
            throw SyntaxException.at(colon + 2, "a header holds visible ASCII only", "");
        }
        return new Header(name, template);
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c < 127);
    }

    private static boolean isToken(int c) {
        return Text.isPlain(c) || c == '-' || c == '_' || c == '.';
    }

    private static boolean isReserved(String name) {
        return switch (name) {
            case "host",
                    "connection",
                    "content-length",
                    "content-type",
                    "expect",
                    "keep-alive",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade" ->
                    true;
            default -> name.startsWith("proxy-");
        };
    }

    /// As it is written in a policy.
    default String text() {
        return switch (this) {
            case Header(var name, var template) -> name + ": " + template;
            case Basic(var template) -> "basic " + template;
            case Query(var name) -> "?" + name + "=" + VALUE;
            case Field(var name) -> "body " + name + "=" + VALUE;
        };
    }
}
