// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The files of the console. They hold nothing that is secret.
final class Pages {
    /// Nothing comes from elsewhere, goes elsewhere, or is put around it; no text becomes a script.
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src"
                    + " 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';"
                    + " require-trusted-types-for 'script'; trusted-types 'none'";

    private static final Map<String, String> ALWAYS =
            Map.of(
                    "content-security-policy", POLICY,
                    "referrer-policy", "no-referrer",
                    "cross-origin-opener-policy", "same-origin",
                    "cross-origin-resource-policy", "same-origin",
                    "cross-origin-embedder-policy", "require-corp",
                    "permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()",
                    "x-frame-options", "DENY");

    private static final List<String> NAMES =
            List.of(
                    "index.html",
                    "icon.svg",
                    "style.css",
                    "views.css",
                    "app.js",
                    "api.js",
                    "dom.js",
                    "events.js",
                    "inbox.js",
                    "question.js",
                    "sessions.js",
                    "egress.js",
                    "policy.js",
                    "record.js",
                    "tokens.js");

    private static final Map<String, Page> PAGES = read();

    /// One file.
    record Page(Map<String, String> fields, byte[] bytes) {}

    private Pages() {}

    static Optional<Page> find(String target) {
        return Optional.ofNullable(PAGES.get(target.equals("/") ? "/index.html" : target));
    }

    private static Map<String, Page> read() {
        var pages = new HashMap<String, Page>();
        for (var name : NAMES) {
            try (var in = Objects.requireNonNull(Pages.class.getResourceAsStream(name), name)) {
                var fields = new HashMap<>(ALWAYS);
                fields.put("content-type", type(name));
                pages.put("/" + name, new Page(fields, in.readAllBytes()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return pages;
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".html" -> "text/html; charset=utf-8";
            case ".css" -> "text/css; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> "text/javascript; charset=utf-8";
        };
    }
}
