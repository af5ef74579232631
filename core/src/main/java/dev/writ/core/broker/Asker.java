// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.broker;

import java.util.List;

/// Who asks for something: the process that waits for the verdict. Looked at only when a question
/// is really put to the operator, because looking costs.
public interface Asker {
    /// Nobody in particular, such as the host application itself.
    Asker UNKNOWN =
            new Asker() {
                @Override
                public List<Task> lineage() {
                    return List.of();
                }

                @Override
                public boolean isWaiting() {
                    return true;
                }
            };

    /// The process and those that it comes from, itself first, up to the first one of its sandbox.
    /// Empty if nothing certain can be said.
    List<Task> lineage();

    /// Whether it still waits. Without anybody who waits, an answer is an answer to nobody.
    boolean isWaiting();

    /// What it has around it. The same action under other circumstances is another question.
    default Circumstances circumstances() {
        return Circumstances.NONE;
    }

    /// Where a process asks, and what it is given: with the same words a program does something
    /// else in another folder, or with something else to read.
    ///
    /// @param folder where it works, as the kernel says; empty if it does not say
    /// @param input what it reads, in words
    /// @param variables the names of its variables
    /// @param identity what tells all of this from what only looks like it; empty if there is no
    /// process
    record Circumstances(String folder, String input, List<String> variables, String identity) {
        /// Of nobody in particular.
        public static final Circumstances NONE = new Circumstances("", "", List.of(), "");

        public Circumstances {
            variables = List.copyOf(variables);
        }
    }

    /// One process.
    ///
    /// @param program the file that runs, as the kernel says; empty if it does not say
    /// @param command the words it was started with, as far as it has not changed them since: the
    /// agent's own text
    record Task(int number, String program, List<String> command) {
        public Task {
            command = List.copyOf(command);
        }
    }
}
