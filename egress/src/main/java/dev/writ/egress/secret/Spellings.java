// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The ways in which programs write the same bytes. They agree on what has to be escaped, and each
/// escapes something else besides; so there is one spelling for each of those that are known.
final class Spellings {
    private static final HexFormat HEX = HexFormat.of();

    /// What is left as it is in a URL: by most, by JavaScript, by Python, by Java and forms, by Go
    /// in a path.
    private static final List<String> PLAIN_IN_URLS =
            List.of("-_.~", "-_.~!*'()", "-_.~/", "-_.*", "-_.~$&+=:@");

    /// What is written as a number in JSON: by Go and Rails, Gson.
    private static final List<String> NUMBERS_IN_JSON = List.of("<>&", "<>&='");

    /// The same in capitals: by PHP if it is told to, .NET.
    private static final List<String> CAPITAL_NUMBERS_IN_JSON = List.of("<>&'\"", "<>&'\"+`");

    /// What is written as a number in HTML: by most, by Go.
    private static final List<String> NUMBERS_IN_HTML = List.of("'", "'\"", "'\"+");

    /// The same with the number in hexadecimal: by Python, .NET, Underscore, Handlebars, Mustache.
    private static final List<String> HEX_NUMBERS_IN_HTML = List.of("'", "'+", "'`", "'`=", "`=/");

    private Spellings() {}

    /// Every spelling of `bytes` that is looked for.
    static List<byte[]> of(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        Set<String> spellings = new HashSet<>(inBase64(bytes));
        spellings.add(text);
        spellings.add(HEX.formatHex(bytes));
        spellings.add(HEX.formatHex(bytes).toUpperCase(Locale.ROOT));
        for (var plain : PLAIN_IN_URLS) {
            var percent = percent(bytes, plain);
            spellings.add(percent);
            spellings.add(lowerEscapes(percent));
            spellings.add(percent.replace("%20", "+"));
            spellings.add(lowerEscapes(percent).replace("%20", "+"));
        }
        for (var json : inJson(text)) {
            spellings.add(json);
            spellings.add(json.replace("/", "\\/"));
        }
        spellings.addAll(inHtml(text));
        return spellings.stream()
                .map(s -> s.getBytes(StandardCharsets.ISO_8859_1))
                .collect(Collectors.toList());
    }

    /// In the middle of something longer the same bytes have three forms. What depends on their
    /// neighbours is left out.
    static Set<String> inBase64(byte[] bytes) {
        Set<String> forms = new HashSet<>();
        for (int before = 0; before < 3; before++) {
            var shifted = new byte[before + bytes.length];
            System.arraycopy(bytes, 0, shifted, before, bytes.length);
            var all = Base64.getEncoder().withoutPadding().encodeToString(shifted);
            int begin = before == 0 ? 0 : before + 1;
            int end = shifted.length * 8 / 6;
            var form = all.substring(begin, end);
            forms.add(form);
            forms.add(form.replace('+', '-').replace('/', '_'));
            Arrays.fill(shifted, (byte) 0);
        }
        return forms;
    }

    static String percent(byte[] bytes) {
        return percent(bytes, PLAIN_IN_URLS.getFirst());
    }

    /// @param plain what is not escaped besides letters and digits
    private static String percent(byte[] bytes, String plain) {
        var out = new StringBuilder();
        for (byte b : bytes) {
            char c = (char) (b & 0xFF);
            boolean kept = c < 128 && (Character.isLetterOrDigit(c) || plain.indexOf(c) >= 0);
            out.append(kept ? String.valueOf(c) : "%" + HEX.withUpperCase().toHexDigits(b));
        }
        return out.toString();
    }

    private static String lowerEscapes(String percent) {
        var out = new StringBuilder(percent);
        for (int i = 0; i + 2 < out.length(); i++) {
            if (out.charAt(i) == '%') {
                out.setCharAt(i + 1, Character.toLowerCase(out.charAt(i + 1)));
                out.setCharAt(i + 2, Character.toLowerCase(out.charAt(i + 2)));
            }
        }
        return out.toString();
    }

    static String json(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static Set<String> inJson(String text) {
        Set<String> all = new HashSet<>();
        all.add(json(text));
        NUMBERS_IN_JSON.forEach(n -> all.add(json(text, n, "\\u%04x")));
        CAPITAL_NUMBERS_IN_JSON.forEach(n -> all.add(json(text, n, "\\u%04X")));
        return all;
    }

    private static String json(String text, String numbers, String form) {
        return written(text, numbers, form, Map.of('\\', "\\\\", '"', "\\\""));
    }

    private static Set<String> inHtml(String text) {
        Set<String> all = new HashSet<>();
        NUMBERS_IN_HTML.forEach(n -> all.add(html(text, n, "&#%d;")));
        HEX_NUMBERS_IN_HTML.forEach(n -> all.add(html(text, n, "&#x%X;")));
        all.add(html(text, "", ""));
        return all;
    }

    private static String html(String text, String numbers, String form) {
        return written(
                text, numbers, form, Map.of('&', "&amp;", '<', "&lt;", '>', "&gt;", '"', "&quot;"));
    }

    /// @param numbers what becomes a number
    /// @param form of the number
    /// @param others what is written otherwise
    private static String written(
            String text, String numbers, String form, Map<Character, String> others) {
        var out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            out.append(
                    numbers.indexOf(c) >= 0
                            ? String.format(Locale.ROOT, form, (int) c)
                            : others.getOrDefault(c, String.valueOf(c)));
        }
        return out.toString();
    }
}
