// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;

/// An action as a person writes it: programs by their name, files by a link.
public final class WrittenAction {
    private static final Pattern BARE_PROGRAM = Pattern.compile("exec:([\\w.+-]+)( .*)?");

    private WrittenAction() {}

    /// The action that `text` means, written in `folder`, about the object that links lead to.
    ///
    /// @throws dev.writ.core.capability.SyntaxException if it names none in one clear way
    public static Action read(String text, Policy policy, FilePath folder) {
        return resolved(Action.parse(withPath(text, policy), policy.scope().at(folder)));
    }

    /// A bare program name in an action is the file that a shell would start.
    private static String withPath(String text, Policy policy) {
        var bare = BARE_PROGRAM.matcher(text);
        if (!bare.matches()) {
            return text;
        }
        for (var folder : policy.scope().programs()) {
            String file = folder.resolve(bare.group(1)).toString();
            if (Files.isExecutable(Path.of(file))) {
                return "exec:" + file + Objects.requireNonNullElse(bare.group(2), "");
            }
        }
        return text;
    }

    /// The object that the action is about: links are resolved before the match.
    public static Action resolved(Action action) {
        return switch (action) {
            case Action.ReadFile(var path) -> new Action.ReadFile(new Links().resolve(path));
            case Action.WriteFile(var path) -> new Action.WriteFile(new Links().resolve(path));
            case Action.ConnectSocket(var path) ->
                    new Action.ConnectSocket(new Links().resolve(path));
            case Action.OpenDevice(var path) -> new Action.OpenDevice(new Links().resolve(path));
            case Action.StartProgram(FilePath program, var arguments) ->
                    new Action.StartProgram(new Links().resolve(program), arguments);
            default -> action;
        };
    }
}
