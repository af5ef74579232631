// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Hides fields in which something looks like a credential: a header that carries one, a password
/// in a URL, a parameter or an option with such a name, the usual beginnings of tokens. It is a
/// second line: what nobody can tell from other text stays.
public final class Credentials implements Secrecy {
    private static final int MOST_KNOWN = 500;
    private static final int LONGEST_KNOWN = 500;

    /// Texts that hold none: rules, reasons and much else come again and again.
    private final Set<String> harmless = ConcurrentHashMap.newKeySet();

    public Credentials() {}

    @Override
    public boolean hides(EventKind kind, String field, Object value) {
        if (value instanceof Number || value instanceof Boolean) {
            return false;
        }
        String text = Value.shown(value);
        if (harmless.contains(text)) {
            return false;
        }
        boolean hidden = new CredentialSearch(text).finds();
        if (!hidden && text.length() <= LONGEST_KNOWN) {
            if (harmless.size() >= MOST_KNOWN) {
                harmless.clear();
            }
            harmless.add(text);
        }
        return hidden;
    }
}
