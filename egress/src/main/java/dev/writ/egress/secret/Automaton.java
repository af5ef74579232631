// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Finds any of some words in a stream, in one step for each byte (Aho and Corasick). Never
/// changes; a place in the stream is a number.
final class Automaton {
    static final int START = 0;

    /// Bytes that are in no word share a column.
    private final int[] columns = new int[256];

    private final int width;
    private final int[] next;
    private final int[] depth;
    private final int[] longest;
    private final int[] groups;

    /// @param grouped the words; those of one group mean the same
    Automaton(List<List<byte[]>> grouped) {
        var words = grouped.stream().flatMap(List::stream).toList();
        int used = 1;
        for (var word : words) {
            for (byte b : word) {
                if (columns[b & 0xFF] == 0) {
                    columns[b & 0xFF] = used++;
                }
            }
        }
        width = used;
        int most = 1 + words.stream().mapToInt(w -> w.length).sum();
        var edges = new int[most * width];
        depth = new int[most];
        longest = new int[most];
        groups = new int[most];
        int states = 1;
        for (int group = 0; group < grouped.size(); group++) {
            for (var word : grouped.get(group)) {
                int at = START;
                for (byte b : word) {
                    int edge = at * width + columns[b & 0xFF];
                    if (edges[edge] == 0) {
                        depth[states] = depth[at] + 1;
                        edges[edge] = states++;
                    }
                    at = edges[edge];
                }
                longest[at] = depth[at];
                groups[at] = group;
            }
        }
        next = Arrays.copyOf(edges, states * width);
        complete(states);
    }

    /// Fills in where to go on when a word does not: at the longest end of what was read that some
    /// word begins with.
    private void complete(int states) {
        var back = new int[states];
        var queue = new ArrayList<Integer>();
        for (int c = 0; c < width; c++) {
            if (next[c] != START) {
                queue.add(next[c]);
            }
        }
        for (int i = 0; i < queue.size(); i++) {
            int state = queue.get(i);
            if (longest[state] == 0) {
                longest[state] = longest[back[state]];
                groups[state] = groups[back[state]];
            }
            for (int c = 0; c < width; c++) {
                int edge = state * width + c;
                int other = next[back[state] * width + c];
                if (next[edge] == START) {
                    next[edge] = other;
                } else {
                    back[next[edge]] = other;
                    queue.add(next[edge]);
                }
            }
        }
    }

    int step(int state, byte b) {
        return next[state * width + columns[b & 0xFF]];
    }

    /// How many of the last bytes may be the beginning of a word.
    int pending(int state) {
        return depth[state];
    }

    /// How many of the last bytes are a word; 0 if none is. The longest, if several are.
    int found(int state) {
        return longest[state];
    }

    /// Which group the word found is of.
    int group(int state) {
        return groups[state];
    }
}
