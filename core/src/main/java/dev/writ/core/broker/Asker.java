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
