// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import java.util.List;

/// Looks for credentials in one text. Whoever is watched chooses the text, so every part of it is
/// looked at only so often, however long it is.
final class CredentialSearch {
    private static final List<String> HEADERS =
            List.of("authorization", "cookie", "api-key", "auth-token");
    private static final List<String> SCHEMES = List.of("bearer", "basic");
    private static final List<String> NAMES =
            List.of(
                    "token",
                    "secret",
                    "password",
                    "passwd",
                    "pwd",
                    "apikey",
                    "api_key",
                    "api-key",
                    "accesskey",
                    "access_key",
                    "access-key",
                    "privatekey",
                    "private_key",
                    "private-key",
                    "credential",
                    "credentials",
                    "signature");
    private static final List<String> WITH_LINE =
            List.of("gho_", "ghp_", "ghs_", "ghu_", "github_pat_");
    private static final List<String> WITH_DASH =
            List.of("glpat-", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "sk-");
    private static final String KEY_BEGINS = "-----BEGIN ";
    private static final String KEY = "PRIVATE KEY";
    private static final int LEAST_AFTER_SCHEME = 8;
    private static final int LEAST_OF_TOKEN = 12;

    private final String text;

    CredentialSearch(String text) {
        this.text = text;
    }

    boolean finds() {
        for (int i = 0; i < text.length(); i++) {
            boolean found =
                    switch (text.charAt(i)) {
                        case ':' -> isBehind(HEADERS, blanksBefore(i)) || isPasswordOfUrl(i);
                        case '=' -> isBehind(NAMES, i) && isText(i + 1);
                        case ' ', '\t', '\n', 0xB, '\f', '\r' -> isValueNext(i);
                        case '_' -> isToken(WITH_LINE, i);
                        case '-' -> isToken(WITH_DASH, i) || isPrivateKey(i);
                        case 'a', 'A' -> isToken("akia", i);
                        case 'e', 'E' -> isToken("eyj", i);
                        default -> false;
                    };
            if (found) {
                return true;
            }
        }
        return false;
    }

    private boolean has(String what, int at) {
        return text.regionMatches(true, at, what, 0, what.length());
    }

    /// Whether one of `words` ends right before `end`.
    private boolean isBehind(List<String> words, int end) {
        for (var word : words) {
            if (has(word, end - word.length())) {
                return true;
            }
        }
        return false;
    }

    private boolean is(int at, Sort sort) {
        return at >= 0 && at < text.length() && sort.includes(text.charAt(at));
    }

    private boolean isText(int at) {
        return at < text.length() && !is(at, CredentialSearch::isBlank);
    }

    private int blanksBefore(int end) {
        int at = end;
        while (is(at - 1, CredentialSearch::isBlank)) {
            at--;
        }
        return at;
    }

    private int pass(int from, Sort sort) {
        int at = from;
        while (is(at, sort)) {
            at++;
        }
        return at;
    }

    /// `://user:password@`, whose first colon this is.
    private boolean isPasswordOfUrl(int colon) {
        if (!has("://", colon)) {
            return false;
        }
        int name = pass(colon + 3, c -> c != '/' && c != ':' && c != '@' && !isBlank(c));
        int password = pass(name + 1, c -> c != '/' && c != '@' && !isBlank(c));
        return is(name, c -> c == ':') && password > name + 1 && is(password, c -> c == '@');
    }

    /// `Basic dXNlcjpwYXNz` or `--token value`, the first blank of which this is.
    private boolean isValueNext(int blank) {
        if (is(blank - 1, CredentialSearch::isBlank)) {
            return false;
        }
        for (var scheme : SCHEMES) {
            int from = blank - scheme.length();
            if (has(scheme, from) && isWordBegin(from)) {
                int value = pass(blank, CredentialSearch::isBlank);
                return pass(value, CredentialSearch::isOfToken) - value >= LEAST_AFTER_SCHEME;
            }
        }
        return isBehind(NAMES, blank)
                && isOption(blank)
                && isText(pass(blank, CredentialSearch::isBlank));
    }

    /// Whether the word that ends there begins with two dashes.
    private boolean isOption(int end) {
        int at = end;
        while (is(at - 1, CredentialSearch::isOfName)) {
            at--;
        }
        return has("--", at);
    }

    private boolean isWordBegin(int at) {
        return !is(at - 1, CredentialSearch::isOfWord);
    }

    /// @param last where their last character is
    private boolean isToken(List<String> beginnings, int last) {
        for (var beginning : beginnings) {
            if (isToken(beginning, last + 1 - beginning.length())) {
                return true;
            }
        }
        return false;
    }

    private boolean isToken(String beginning, int at) {
        if (!has(beginning, at) || !isWordBegin(at)) {
            return false;
        }
        for (int i = 0; i < LEAST_OF_TOKEN; i++) {
            if (!is(at + beginning.length() + i, CredentialSearch::isOfName)) {
                return false;
            }
        }
        return true;
    }

    private boolean isPrivateKey(int at) {
        if (!has(KEY_BEGINS, at)) {
            return false;
        }
        int from = at + KEY_BEGINS.length();
        int end = pass(from, c -> c == ' ' || isLetter(c));
        for (int i = from; i + KEY.length() <= end; i++) {
            if (has(KEY, i)) {
                return true;
            }
        }
        return false;
    }

    /// A kind of characters.
    private interface Sort {
        boolean includes(char c);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isOfWord(char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || c == '_';
    }

    private static boolean isOfName(char c) {
        return isOfWord(c) || c == '-';
    }

    private static boolean isOfToken(char c) {
        return isOfName(c) || "+/=.~".indexOf(c) >= 0;
    }
}
