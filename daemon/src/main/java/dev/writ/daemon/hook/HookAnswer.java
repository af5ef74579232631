// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

/// What a hook has to do: print two lines, and end.
///
/// @param code 0 lets the agent go on, 2 stops it; other codes mean nothing to some agents
/// @param error the line for standard error; empty for none
/// @param output the line for standard output; empty for none
public record HookAnswer(int code, String error, String output) {
    static final HookAnswer GO_ON = new HookAnswer(0, "", "");

    /// As a shell can take it apart: the code, the two lines, and a last one that says it is whole.
    public String text() {
        return code + "\n" + error + "\n" + output + "\nend\n";
    }
}
