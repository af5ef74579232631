// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.backends.program.Start.Need;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// Everything that an exec amounts to.
public sealed interface Starts {
    /// All of these, outermost first. Each must be all right.
    record Known(List<Start> starts) implements Starts {
        public Known {
            starts = List.copyOf(starts);
        }

        /// What to put to the broker; the process may run if all of it is permitted. Where one rule
        /// asks about several names of a thing, the operator is asked about the first.
        public List<Action.StartProgram> questions(Policy policy) {
            var questions = new ArrayList<Action.StartProgram>();
            var asking = new HashSet<Rule>();
            for (var start : starts) {
                var decision = policy.decide(start.action());
                boolean isNew = !(decision instanceof Decision.Ask(var rule)) || asking.add(rule);
                if (start.isQuestion(decision) && (isNew || start.need() == Need.ALLOWED)) {
                    questions.add(start.action());
                }
            }
            return questions;
        }

        /// Which files these are now, and when they were last changed. A script is opened again by
        /// its interpreter, so that an answer holds only as long as this stays the same.
        public List<String> files() {
            return starts.stream().map(s -> state(s.action().program())).toList();
        }

        private static String state(FilePath path) {
            try {
                var file =
                        Files.readAttributes(RawText.path(path.toString()), "unix:dev,ino,ctime");
                return path
                        + " "
                        + file.get("dev")
                        + " "
                        + file.get("ino")
                        + " "
                        + file.get("ctime");
            } catch (IOException e) {
                return path + " is gone";
            }
        }
    }

    /// It cannot be told, so it is refused.
    record Unclear(String why) implements Starts {}
}
