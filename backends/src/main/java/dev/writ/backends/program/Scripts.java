// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The scripts that an exec went through: the file it named begins with `#!`, and so perhaps does
/// the interpreter that is written there.
///
/// The kernel puts the interpreter, its argument and the script's name before the arguments. Files
/// may have been exchanged since; what does not fit the arguments is refused.
record Scripts(Image image, Names names) {
    private static final int MOST_DEEP = 5; // as the kernel has it

    /// A script and what it was started with.
    record Script(ProgramFile file, List<String> arguments) {}

    /// A script of the chain and how many words stand from its name to the end of the chain.
    private record Step(ProgramFile file, int words) {}

    /// The scripts, nearest to the program first; none if the exec named a program.
    List<Script> started() throws IOException {
        // The kernel has put the name of a script among the arguments, and only of a script.
        if (!image.arguments().contains(image.name())) {
            return List.of();
        }
        var named = names.find(image.name());
        if (named.isEmpty()) {
            throw new UnclearException("the script `" + image.name() + "` is gone");
        }
        return isProgram(named.get()) ? List.of() : chain(named.get());
    }

    private List<Script> chain(ProgramFile named) throws IOException {
        var head = new ArrayList<String>(List.of(image.name()));
        var steps = new ArrayList<Step>();
        Optional<ProgramFile> file = Optional.of(named);
        while (file.isPresent() && !isProgram(file.get()) && steps.size() < MOST_DEEP) {
            steps.addFirst(new Step(file.get(), head.size()));
            var line = Shebang.of(file.get().contents());
            line.ifPresent(l -> head.addAll(0, l.argument()));
            line.ifPresent(l -> head.addFirst(l.interpreter()));
            file = line.flatMap(l -> names.find(l.interpreter()));
        }
        var words = image.words();
        if (file.isPresent() && isProgram(file.get()) && startsWith(words, head)) {
            return steps.stream()
                    .map(s -> new Script(s.file, after(words, head.size() - s.words)))
                    .toList();
        }
        if (words.indexOf(image.name()) == 1) {
            // An interpreter that is registered for such files, not written in them.
            return List.of(new Script(named, after(words, 1)));
        }
        throw new UnclearException("the script `" + image.name() + "` does not fit its arguments");
    }

    private boolean isProgram(ProgramFile file) throws IOException {
        return FileId.of(file.contents()).isSameFile(FileId.of(image.program().contents()));
    }

    private static boolean startsWith(List<String> words, List<String> head) {
        return head.size() <= words.size() && words.subList(0, head.size()).equals(head);
    }

    private static List<String> after(List<String> words, int index) {
        return words.subList(index + 1, words.size());
    }
}
