// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.backends.program.Start.Need;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The starts of one image, collected step by step.
final class Expansion {
    private final Image image;
    private final Names names;
    private final Copies copies;
    private final Map<Action.StartProgram, Need> starts = new LinkedHashMap<>();

    Expansion(Image image, Copies copies) {
        this.image = image;
        this.names = new Names(image.process());
        this.copies = copies;
    }

    List<Start> starts() throws IOException {
        program(image.program(), image.zeroth(), image.arguments());
        for (var script : new Scripts(image, names).started()) {
            file(script.file(), "", script.arguments(), Need.ALLOWED);
        }
        return starts.entrySet().stream().map(e -> new Start(e.getKey(), e.getValue())).toList();
    }

    /// A program, and what it runs in its own process.
    private void program(ProgramFile program, String zeroth, List<String> arguments)
            throws IOException {
        file(program, zeroth, arguments, Need.ALLOWED);
        if (Loader.is(program)) {
            var command = Loader.command(arguments);
            if (command.isPresent()) {
                var c = command.get();
                var loaded = names.find(c.file());
                if (loaded.isEmpty()) {
                    throw new UnclearException("the loader finds no file `" + c.file() + "`");
                }
                program(loaded.get(), c.zeroth(), c.arguments());
            }
            return;
        }
        var call = Interpreter.of(program.name(), zeroth, arguments);
        if (call.isPresent()) {
            var search = new ScriptSearch(call.get().interpreter(), image, names);
            for (var named : Reading.of(call.get(), search::isFile)) {
                for (var script : search.find(named.word())) {
                    file(script, "", named.arguments(), Need.NOT_DENIED);
                }
            }
        }
    }

    /// A file under all names that it goes by.
    private void file(ProgramFile file, String zeroth, List<String> arguments, Need need)
            throws IOException {
        start(file.path(), zeroth, arguments, need);
        var others = Stream.concat(file.formerPath().stream(), copies.originals(file).stream());
        others.forEach(other -> start(other, zeroth, arguments, Need.NOT_DENIED));
    }

    /// A start as it is written, and as the program understands it by what it is told it is called:
    /// `git` that is called `git-push` does what `git push` does.
    private void start(FilePath path, String zeroth, List<String> arguments, Need need) {
        put(new Action.StartProgram(path, arguments), need);
        String name = ProgramFile.name(path);
        String called = zeroth.substring(zeroth.lastIndexOf('/') + 1);
        if (called.isEmpty() || called.equals(name)) {
            return;
        }
        boolean isPart =
                called.startsWith(name + "-")
                        && called.length() > name.length() + 1
                        && Character.isLetter(called.charAt(name.length() + 1));
        var words = new ArrayList<String>();
        words.add(isPart ? called.substring(name.length() + 1) : called);
        words.addAll(arguments);
        put(new Action.StartProgram(path, words), isPart ? need : Need.NOT_DENIED);
    }

    private void put(Action.StartProgram start, Need need) {
        starts.merge(start, need, (a, b) -> a.compareTo(b) <= 0 ? a : b);
    }
}
