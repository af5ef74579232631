// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.token;

import dev.writ.core.capability.Capability;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Kind;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scope;
import dev.writ.core.capability.SyntaxException;
import dev.writ.core.pattern.Pattern;
import dev.writ.trust.biscuit.BiscuitException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The capabilities of one token. Each text is read once, however often a stranger repeats it.
final class SpelledOut {
    private static final int MOST = 256;

    private static final Scope ELSEWHERE =
            new Scope(FilePath.of("/somewhere/else"), FilePath.of("/home/else"), List.of());

    private final Map<String, Set<String>> known = new HashMap<>();

    /// The words for the kinds of action that a capability is about.
    ///
    /// @throws SyntaxException if the text is no capability
    /// @throws BiscuitException if it is one in a short form, or there are too many
    Set<String> kinds(String capability) {
        var kinds = known.get(capability);
        if (kinds == null) {
            if (known.size() == MOST) {
                throw new BiscuitException("more than " + MOST + " different capabilities");
            }
            kinds = kinds(read(capability));
            known.put(capability, kinds);
        }
        return kinds;
    }

    private static Capability read(String text) {
        var capability = Capability.parse(text, Scope.SPELLED_OUT);
        // What means something else in another folder has no meaning here. Hosts know no folders.
        if (!(capability instanceof Net) && !capability.equals(Capability.parse(text, ELSEWHERE))) {
            throw new BiscuitException("a capability in a short form");
        }
        return capability;
    }

    private static Set<String> kinds(Capability capability) {
        var words = new TreeSet<String>();
        words.add(capability.kind().word());
        if (capability.kind() == Kind.SHELL) {
            words.add(Kind.EXEC.word());
        }
        for (var pattern : capability.grants()) {
            if (pattern.items().getFirst() instanceof Pattern.Item.Literal(var word)) {
                words.add(word);
            }
        }
        return words;
    }
}
