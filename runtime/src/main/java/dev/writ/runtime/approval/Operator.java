// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

/// Whoever answers questions, and the way to reach them. Is asked one question at a time.
public interface Operator {
    /// What the record calls them: a name, and where they are.
    String name();

    /// Puts `question` to them and waits. Whatever is no clear answer is a no.
    Reply ask(Question question);

    /// Tells them something that they would want to know.
    void tell(String line);

    /// What came of it.
    sealed interface Reply {
        record Chosen(Choice choice) implements Reply {}

        /// They could not be asked, or nobody wants to know any more.
        record None(String why) implements Reply {}
    }
}
