// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.daemon.hook.CodingAgent;
import dev.writ.trust.file.WholeFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Makes a coding agent ask Writ before each tool that it uses, and undoes that. The hook itself is
/// in the launcher, which starts no JVM for it.
final class HookVerb implements Verb {
    private static final Option YES = Option.flag("yes", "change it without asking");
    private static final String BACKUP = ".before-writ";

    @Override
    public Manual manual() {
        return new Manual(
                "hook",
                "make a coding agent ask Writ before it uses a tool",
                "install|uninstall claude|codex|copilot|gemini [--yes]",
                List.of("writ hook install claude", "writ hook uninstall claude --yes"),
                List.of(YES));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var words = arguments.words();
        var agent =
                words.size() == 2 ? CodingAgent.of(words.get(1)) : Optional.<CodingAgent>empty();
        boolean install = agent.isPresent() && words.getFirst().equals("install");
        if (agent.isEmpty() || (!install && !words.getFirst().equals("uninstall"))) {
            throw new UsageException(
                    "use `writ hook install AGENT` or `writ hook uninstall AGENT`, with claude,"
                            + " codex, copilot or gemini");
        }
        var settings = HookSettings.of(agent.get(), world);
        try {
            int code = change(settings, install, arguments, world);
            if (install && DaemonState.of(world).isEmpty()) {
                world.err()
                        .println(
                                "writ: no daemon runs, so the agent would be refused everything;"
                                        + " `writ up` starts one");
            }
            return code;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "`" + settings.file() + "` could not be changed: " + Reason.of(e), e);
        }
    }

    private static int change(
            HookSettings settings, boolean install, Arguments arguments, World world)
            throws IOException {
        var file = Files.exists(settings.file()) ? settings.file().toRealPath() : settings.file();
        var before = read(file);
        var backup = file.resolveSibling(file.getFileName() + BACKUP);
        var after =
                install
                        ? Optional.of(settings.installed(before))
                        : uninstalled(settings, before, read(backup));
        if (after.equals(before)) {
            world.out().println("nothing to change in " + file);
            warn(settings, install, after, world);
            return ExitCode.OK;
        }
        world.out().println(file.toString());
        LineDiff.of(before.orElse(""), after.orElse(""))
                .forEach(l -> world.out().println(Text.shown(l)));
        world.out().flush();
        if (!arguments.has(YES) && !agrees(world)) {
            world.err().println("writ: nothing was changed");
            return ExitCode.DIFFERENT;
        }
        if (!read(file).equals(before)) {
            throw new UsageException(
                    "`" + file + "` has changed meanwhile, so nothing was changed; try again");
        }
        if (install && before.isPresent()) {
            write(backup, before.get(), file);
        }
        if (after.isPresent()) {
            write(file, after.get(), file);
        } else {
            Files.deleteIfExists(file);
        }
        if (!install) {
            Files.deleteIfExists(backup);
        }
        world.out().println(install ? "installed" : "removed");
        warn(settings, install, after, world);
        return ExitCode.OK;
    }

    /// Says why the hook is not asked although it is there.
    private static void warn(
            HookSettings settings, boolean install, Optional<String> text, World world) {
        if (install && settings.agent() == CodingAgent.CODEX) {
            world.err()
                    .println(
                            "writ: Codex runs no hook that you have not trusted there: start it, and"
                                    + " trust this one under `/hooks`; until then nothing is asked");
        }
        if (install && text.filter(settings::isSwitchedOff).isPresent()) {
            world.err()
                    .println(
                            "writ: `"
                                    + HookSettings.OFF
                                    + "` is set in that file, so no hook runs and nothing is asked;"
                                    + " take it out");
        }
    }

    /// What was there before if nothing else has changed since, to the byte; else without the hook.
    private static Optional<String> uninstalled(
            HookSettings settings, Optional<String> now, Optional<String> backup) {
        if (now.isEmpty()) {
            return now;
        }
        return settings.installed(backup).equals(now.get())
                ? backup
                : Optional.of(settings.removed(now.get()));
    }

    private static boolean agrees(World world) throws IOException {
        world.err().print("writ: change it so? [y/N] ");
        world.err().flush();
        var line = new BufferedReader(new InputStreamReader(world.in(), UTF_8)).readLine();
        return line != null && Set.of("y", "yes").contains(line.strip());
    }

    private static Optional<String> read(Path file) throws IOException {
        return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }

    /// Whole or not at all, with the rights that `like` has.
    private static void write(Path file, String text, Path like) throws IOException {
        Set<PosixFilePermission> rights =
                Files.exists(like)
                        ? Files.getPosixFilePermissions(like)
                        : PosixFilePermissions.fromString("rw-------");
        var folder = file.getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        WholeFile.replaceSecretly(file, text.getBytes(UTF_8));
        Files.setPosixFilePermissions(file, rights);
    }
}
