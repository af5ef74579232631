// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.pattern;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// One segment of every sort. What a tree does with a segment depends only on which literals it
/// equals and which globs it fits, so a finite list of segments, one for each combination that
/// exists, stands for all of them. The combinations are found by running all the globs side by
/// side, character by character, over the characters they mention and one they do not.
final class Representatives {
    /// More combinations than any policy that a person wrote.
    private static final int MOST_STATES = 200_000;

    private final Glob wanted;
    private final Domain domain;
    private final Set<String> literals;
    private final Set<Glob> globs;

    private Representatives(Glob wanted, Domain domain, Set<String> literals, Set<Glob> globs) {
        this.wanted = wanted;
        this.domain = domain;
        this.literals = literals;
        this.globs = globs;
    }

    /// The segments of `domain` that fit `wanted`, one for each way to fit `literals` and `globs`.
    static Set<String> of(Glob wanted, Domain domain, Set<String> literals, Set<Glob> globs) {
        return new Representatives(wanted, domain, literals, globs).find();
    }

    private Set<String> find() {
        var found = new LinkedHashSet<String>();
        literals.stream().filter(this::isWanted).forEach(found::add);
        domain.samples().stream().filter(this::isWanted).forEach(found::add);
        if (domain.letters().isEmpty()) {
            if (!domain.isClosed()) {
                found.add(domain.fresh(literals));
            }
        } else {
            found.addAll(combinations());
        }
        return found;
    }

    private boolean isWanted(String segment) {
        return !Pattern.isReserved(segment)
                && wanted.matches(segment)
                && (!domain.isClosed() || domain.samples().contains(segment))
                && domain.excluded().stream().noneMatch(g -> g.matches(segment));
    }

    /// Words that fit the globs in every possible way and are none of the literals. A literal is
    /// left out of the exploration until a word runs into it: there may be thousands, and most
    /// never do.
    private Set<String> combinations() {
        var avoided = new ArrayList<>(domain.excluded());
        while (true) {
            var all = new ArrayList<Glob>();
            all.add(wanted);
            all.addAll(avoided);
            all.addAll(globs);
            var found = explore(all, avoided.size(), alphabet(all));
            var met = found.stream().filter(literals::contains).toList();
            if (met.isEmpty()) {
                return found;
            }
            met.forEach(literal -> avoided.add(new Glob(List.of(literal))));
        }
    }

    private char[] alphabet(List<Glob> all) {
        var used = new TreeSet<Character>();
        for (var glob : all) {
            glob.parts().forEach(part -> part.chars().forEach(c -> used.add((char) c)));
        }
        var text = new StringBuilder();
        domain.letters()
                .chars()
                .filter(c -> !used.contains((char) c))
                .limit(1)
                .forEach(c -> text.append((char) c));
        used.forEach(text::append);
        return text.toString().toCharArray();
    }

    private record Step(List<BitSet> states, String word) {}

    private Set<String> explore(List<Glob> all, int avoided, char[] alphabet) {
        var machines = all.stream().map(GlobMachine::new).toList();
        var found = new LinkedHashSet<String>();
        var seenStates = new HashSet<List<BitSet>>();
        var seenFits = new HashSet<BitSet>();
        var queue = new ArrayDeque<Step>();
        queue.add(new Step(machines.stream().map(GlobMachine::start).toList(), ""));
        while (!queue.isEmpty()) {
            var step = queue.remove();
            for (char c : alphabet) {
                var states = new ArrayList<BitSet>(machines.size());
                for (int i = 0; i < machines.size(); i++) {
                    states.add(machines.get(i).step(step.states().get(i), c));
                }
                if (states.getFirst().isEmpty() || !seenStates.add(states)) {
                    continue;
                }
                if (seenStates.size() > MOST_STATES) {
                    throw new UndecidedException(
                            "these patterns overlap in too many ways to compare");
                }
                var word = step.word() + c;
                var fits = fits(machines, states);
                if (fits.get(0) && fits.get(1, 1 + avoided).isEmpty() && seenFits.add(fits)) {
                    found.add(word);
                }
                queue.add(new Step(states, word));
            }
        }
        return found;
    }

    private static BitSet fits(List<GlobMachine> machines, List<BitSet> states) {
        var fits = new BitSet(machines.size());
        for (int i = 0; i < machines.size(); i++) {
            fits.set(i, machines.get(i).accepts(states.get(i)));
        }
        return fits;
    }

    /// A glob as the set of places in it that the characters so far may have reached.
    private static final class GlobMachine {
        private final String text;
        private final BitSet stars = new BitSet();

        GlobMachine(Glob glob) {
            var joined = new StringBuilder();
            for (int i = 0; i < glob.parts().size(); i++) {
                if (i > 0) {
                    stars.set(joined.length());
                }
                joined.append(glob.parts().get(i));
            }
            text = joined.toString();
        }

        BitSet start() {
            var start = new BitSet();
            start.set(0);
            return start;
        }

        BitSet step(BitSet from, char c) {
            var to = new BitSet();
            for (int i = from.nextSetBit(0); i >= 0; i = from.nextSetBit(i + 1)) {
                if (stars.get(i)) {
                    to.set(i); // a star before this place takes any character
                }
                if (i < text.length() && text.charAt(i) == c) {
                    to.set(i + 1);
                }
            }
            return to;
        }

        boolean accepts(BitSet state) {
            return state.get(text.length());
        }
    }
}
