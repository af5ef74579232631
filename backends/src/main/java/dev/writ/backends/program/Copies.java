// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.program;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Exec;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Shell;
import dev.writ.core.pattern.Pattern.Item;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// Files that a policy denies or asks about by name, to know them again under another name: a
/// program that is denied stays denied when it is copied, linked or held in memory only.
///
/// One file with many names, such as a multi-call program, is denied under all of them when it is
/// denied under one. A copy of which one byte was changed is another file. Rules with a wildcard in
/// the path name no file; what they deny is known here once it has been opened.
final class Copies {
    private static final int MOST = 1000;

    private final Policy policy;
    private final List<Original> originals;
    private final boolean watches;
    private final Digests digests = new Digests();

    private Copies(Policy policy, List<Original> originals, boolean watches) {
        this.policy = policy;
        this.originals = new CopyOnWriteArrayList<>(originals);
        this.watches = watches;
    }

    /// Looks up the files that `policy` names.
    static Copies of(Policy policy) {
        var originals = new ArrayList<Original>();
        var against =
                policy.parts().stream()
                        .flatMap(part -> part.rules().stream())
                        .filter(rule -> rule.effect() != Effect.ALLOW)
                        .toList();
        boolean watches =
                against.stream()
                        .anyMatch(
                                r ->
                                        r.capability() instanceof Exec
                                                || r.capability() instanceof Shell);
        against.stream()
                .flatMap(rule -> named(rule.capability()))
                .distinct()
                .forEach(path -> Original.at(path).ifPresent(originals::add));
        return new Copies(policy, originals, watches);
    }

    /// The file at `path` has been opened to be read, so that there may soon be a copy of it.
    void opened(FilePath path) {
        if (watches && isNamedAgainst(path) && originals.size() < MOST) {
            Original.at(path)
                    .filter(o -> originals.stream().noneMatch(k -> k.path().equals(path)))
                    .ifPresent(originals::add);
        }
    }

    private boolean isNamedAgainst(FilePath path) {
        var decision = policy.decide(new Action.StartProgram(path, List.of()));
        return decision.isDenied() || decision instanceof Decision.Ask;
    }

    private static Stream<FilePath> named(Capability capability) {
        // A switch over types would have to be linked at each start.
        if (capability instanceof Exec(Exec.Program.Named(var name, var folders), _)) {
            return folders.stream().map(f -> f.resolve(name));
        }
        if (capability instanceof Exec(Exec.Program.At(var path), _)) {
            return path.items().stream().allMatch(i -> i instanceof Item.Literal)
                    ? Stream.of(path.prefix())
                    : Stream.empty();
        }
        return capability instanceof Shell.Commands(var names, var folders)
                ? folders.stream().flatMap(f -> names.stream().map(f::resolve))
                : Stream.empty();
    }

    /// The files that `file` is the same as, or has the same contents as, except itself.
    List<FilePath> originals(ProgramFile file) throws IOException {
        if (originals.isEmpty()) {
            return List.of();
        }
        var id = FileId.of(file.contents());
        var found = new ArrayList<FilePath>();
        for (var original : originals) {
            if (!original.path().equals(file.path())
                    && (original.isSameFile(id)
                            || (original.hasSameContents(id, () -> digest(id, file))
                                    && !isShim(file)))) {
                found.add(original.path());
            }
        }
        return found;
    }

    private byte[] digest(FileId id, ProgramFile file) throws IOException {
        return isOutOfReach(file)
                ? digests.ofLasting(id, file.contents())
                : Digests.of(file.contents());
    }

    /// Whether it is an installed script, out of reach of the agent. Version managers install one
    /// script under many names, and it does what its name says.
    private boolean isShim(ProgramFile file) throws IOException {
        return isOutOfReach(file) && Shebang.of(file.contents()).isPresent();
    }

    /// Whether it is installed, and the agent must not change it.
    private boolean isOutOfReach(ProgramFile file) {
        return isInstalled(file.path())
                && policy.decide(new Action.WriteFile(file.path())) instanceof Decision.Deny;
    }

    private boolean isInstalled(FilePath path) {
        return policy.scope().programs().contains(path.parent())
                || Shell.INSTALLED.stream().anyMatch(path::startsWith);
    }
}
