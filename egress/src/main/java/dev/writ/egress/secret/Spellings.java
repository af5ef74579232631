// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// The ways in which programs write the same bytes.
final class Spellings {
    private static final HexFormat HEX = HexFormat.of();

    private Spellings() {}

    /// Every spelling of `bytes` that is looked for.
    static List<byte[]> of(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        Set<String> spellings = new HashSet<>(inBase64(bytes));
        spellings.add(text);
        spellings.add(HEX.formatHex(bytes));
        spellings.add(HEX.formatHex(bytes).toUpperCase(Locale.ROOT));
        var percent = percent(bytes, false);
        spellings.add(percent);
        spellings.add(percent.replace("%20", "+"));
        spellings.add(lowerEscapes(percent));
        spellings.add(percent(bytes, true));
        spellings.add(lowerEscapes(percent(bytes, true)));
        var json = json(text);
        spellings.add(json);
        spellings.add(json.replace("/", "\\/"));
        spellings.add(json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"));
        spellings.add(html(text, "&#39;", "&quot;"));
        spellings.add(html(text, "&#x27;", "&#34;"));
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

    static String percent(byte[] bytes, boolean asScriptsDo) {
        var kept = asScriptsDo ? "-_.~!*'()" : "-_.~";
        var out = new StringBuilder();
        for (byte b : bytes) {
            char c = (char) (b & 0xFF);
            boolean plain = c < 128 && (Character.isLetterOrDigit(c) || kept.indexOf(c) >= 0);
            out.append(plain ? String.valueOf(c) : "%" + HEX.withUpperCase().toHexDigits(b));
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

    private static String html(String text, String apostrophe, String quote) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("'", apostrophe)
                .replace("\"", quote);
    }
}
