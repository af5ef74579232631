// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.event;

import dev.writ.core.audit.AuditEvent;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An event as it goes into a record: within its bound, and without what is secret.
///
/// @param bytes its canonical form, at most [Event#MOST_BYTES]
/// @param disclosures what it commits to, to be kept apart; mostly none
public record Entry(Event event, byte[] bytes, List<Disclosure> disclosures) {
    // A path that the system can hold is kept whole. Only if an event has several values of that
    // size is less kept of each.
    private static final int MOST_OF_A_VALUE = 6 * 1024;
    private static final int LESS_OF_A_VALUE = 1024;
    private static final Set<String> OPEN = Set.of("v", "at", "session", "event");

    public Entry {
        disclosures = List.copyOf(disclosures);
    }

    /// With nothing hidden.
    public static Entry of(AuditEvent event) {
        return bounded(Event.of(event), List.of());
    }

    /// With what `secrecy` hides as commitments.
    public static Entry of(AuditEvent event, Secrecy secrecy, SecureRandom salts) {
        var whole = Event.of(event);
        var kind = whole.kind().orElseThrow();
        var disclosures = new ArrayList<Disclosure>();
        whole.fields()
                .forEach(
                        (name, value) -> {
                            if (value != null
                                    && !OPEN.contains(name)
                                    && secrecy.hides(kind, name, value)) {
                                byte[] salt = new byte[Disclosure.SALT];
                                salts.nextBytes(salt);
                                disclosures.add(new Disclosure(name, salt, value));
                            }
                        });
        if (disclosures.isEmpty()) {
            return bounded(whole, disclosures); // as nearly all are
        }
        var fields = new LinkedHashMap<String, @Nullable Object>(whole.fields());
        disclosures.forEach(d -> fields.put(d.field(), Map.of("hidden", d.commitment())));
        return bounded(with(whole, fields), disclosures);
    }

    private static Entry bounded(Event whole, List<Disclosure> disclosures) {
        byte[] bytes = whole.canonical();
        if (bytes.length <= MOST_OF_A_VALUE) {
            return new Entry(whole, bytes, disclosures); // as nearly all are
        }
        var most = bounded(whole, MOST_OF_A_VALUE);
        bytes = most.canonical();
        if (bytes.length <= Event.MOST_BYTES) {
            return new Entry(most, bytes, disclosures);
        }
        var less = bounded(whole, LESS_OF_A_VALUE);
        return new Entry(less, less.canonical(), disclosures);
    }

    private static Event bounded(Event whole, int most) {
        var fields = new LinkedHashMap<String, @Nullable Object>();
        whole.fields().forEach((name, value) -> fields.put(name, Value.bounded(value, most)));
        return with(whole, fields);
    }

    private static Event with(Event whole, Map<String, @Nullable Object> fields) {
        return new Event(whole.at(), whole.session(), whole.word(), fields);
    }
}
