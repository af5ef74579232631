// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.sandbox;

import dev.writ.core.capability.FilePath;
import dev.writ.core.digest.Sha256;
import dev.writ.core.sandbox.SandboxSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What is to run in a sandbox.
///
/// @param folder where it starts; empty for the sandbox's own
/// @param variables more than the policy grants
/// @param input what it reads first
/// @param inputGoesOn whether more will be written
/// @param milliseconds how long it may run; 0 for as long as the policy lets it
/// @param mostOutput how many bytes of each stream are kept; the rest is thrown away
public record Command(
        List<String> words,
        Optional<FilePath> folder,
        Map<String, String> variables,
        byte[] input,
        boolean inputGoesOn,
        boolean terminal,
        long milliseconds,
        long mostOutput) {
    public Command {
        words = List.copyOf(words);
        variables = Map.copyOf(variables);
    }

    /// What it is given to read, for whoever is asked about it: which bytes, and whether that is
    /// all.
    String described() {
        if (input.length == 0) {
            return inputGoesOn ? SandboxSpec.STREAM : SandboxSpec.NOTHING;
        }
        String bytes = input.length + " bytes, sha256 " + Sha256.hex(input);
        return inputGoesOn ? SandboxSpec.STREAM + " that begins with " + bytes : bytes;
    }
}
