// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Where an interpreter looks for a script that it is told by name.
record ScriptSearch(Interpreter interpreter, Image image, Names names) {
    boolean isFile(String word) {
        return !find(word).isEmpty();
    }

    /// Every file that the interpreter may mean by `word`.
    List<ProgramFile> find(String word) {
        var found = new ArrayList<ProgramFile>();
        names.find(word).ifPresent(found::add);
        if (found.isEmpty()) {
            elsewhere(word).forEach(name -> names.find(name).ifPresent(found::add));
        }
        return found;
    }

    private List<String> elsewhere(String word) {
        return switch (interpreter) {
            case NODE -> List.of(word + ".js", word + ".json", word + "/index.js");
            case PYTHON -> List.of(word + "/__main__.py");
            case SHELL, PERL, RUBY -> word.indexOf('/') < 0 ? onPath(word) : List.of();
            case FISH, PHP, LUA, TCL, AWK -> List.of();
        };
    }

    private List<String> onPath(String word) {
        try {
            return image.variable("PATH").stream()
                    .flatMap(path -> List.of(path.split(":")).stream())
                    .map(folder -> folder.isEmpty() ? word : folder + "/" + word)
                    .toList();
        } catch (IOException _) {
            return List.of(); // it has ended: there is nothing to run any more
        }
    }
}
