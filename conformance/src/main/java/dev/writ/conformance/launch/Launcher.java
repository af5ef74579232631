// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.launch;

import dev.writ.conformance.stage.Account;
import dev.writ.conformance.stage.HostTools;
import dev.writ.conformance.stage.Layout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The words before the probe's own command line.
///
/// @param words with `{ws}`, `{ro}`, `{out}`, `{home}`, `{policy}`, `{uid}` and `{gid}`
/// @param hasCommandRules whether it is told which commands may run
/// @param without what the kernel is made to lack
/// @param harness of the product behind it, by name; empty if there is none
/// @param product the command of that product, with a verb to come; empty if it has none
public record Launcher(
        String name,
        List<String> words,
        boolean hasCommandRules,
        List<String> without,
        String harness,
        List<String> product) {
    /// What a kernel can be made to lack.
    public static final List<String> FACILITIES =
            List.of("landlock", "userns", "seccomp", "notify", "pidfd");

    private static final String DEFAULT_BACKEND = "process";

    /// No sandbox at all.
    public static final Launcher NONE =
            new Launcher(
                    "none", List.of(), false, List.of(), "none", List.of("python3", "{naive}"));

    public Launcher {
        words = List.copyOf(words);
        without = List.copyOf(without);
        product = List.copyOf(product);
    }

    /// `none`, `@name` for a ready one, or a command line.
    ///
    /// @throws LauncherException if it is none of these, or not installed
    public static Launcher parse(String text, HostTools tools) {
        if (text.equals("none")) {
            return NONE;
        }
        String line = text.startsWith("@") ? ReadyLaunchers.line(text.substring(1)) : text;
        return of(text, Words.split(line), tools);
    }

    /// A command line that is already in words.
    public static Launcher of(String name, List<String> words, HostTools tools) {
        if (words.isEmpty()) {
            throw new LauncherException("the launcher has no words");
        }
        String program = words.getFirst();
        if (!program.contains("/") && tools.find(program).isEmpty()) {
            throw new LauncherException(
                    "`" + program + "` is not installed, launcher `" + name + "` needs it");
        }
        return new Launcher(name, words, false, List.of(), "", List.of());
    }

    /// Writ itself, with a policy for each group; an empty `backend` is the one it chooses.
    public static Launcher writ(List<String> writ, String backend) {
        var words = new ArrayList<>(writ);
        words.add("run");
        if (!backend.isEmpty()) {
            words.addAll(List.of("--backend", backend));
        }
        words.addAll(List.of("--policy", "{policy}", "--"));
        return new Launcher(
                backend.isEmpty() ? "writ" : "writ " + backend,
                words,
                true,
                List.of(),
                backend.isEmpty() ? DEFAULT_BACKEND : backend,
                writ);
    }

    public Launcher withCommandRules() {
        return new Launcher(name, words, true, without, harness, product);
    }

    /// The same on a kernel that seems to lack `facilities`.
    public Launcher without(List<String> facilities) {
        for (String facility : facilities) {
            if (!FACILITIES.contains(facility)) {
                throw new LauncherException(
                        "a kernel can be made to lack "
                                + String.join(", ", FACILITIES)
                                + ": `"
                                + facility
                                + "`");
            }
        }
        return new Launcher(name, words, hasCommandRules, facilities, harness, product);
    }

    /// Which harness plays the cases that a command line cannot try; none has an empty name. It
    /// runs in this process, so the kernel lacks nothing for it.
    @Override
    public String harness() {
        return without.isEmpty() ? harness : "";
    }

    /// How the product is run that serves and asks a person, if there is one.
    ///
    /// @param naive what takes its place where there is no product at all
    public Optional<List<String>> product(Path naive) {
        return product.isEmpty() || !without.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        product.stream().map(w -> w.replace("{naive}", naive.toString())).toList());
    }

    /// Whether it may refuse to start: on a kernel that lacks something that is the right answer.
    public boolean mayRefuse() {
        return !without.isEmpty();
    }

    /// Its name, and what it has to do without.
    public String title() {
        return without.isEmpty() ? name : name + " without " + String.join(", ", without);
    }

    public boolean isNone() {
        return words.isEmpty();
    }

    /// The words for one run.
    ///
    /// @param degrade the helper that makes a kernel lack something
    public List<String> fill(Layout layout, Account account, Path degrade) {
        var prefix =
                without.isEmpty() || isNone()
                        ? List.<String>of()
                        : List.of("python3", degrade.toString(), String.join(",", without));
        return Stream.concat(prefix.stream(), words.stream())
                .map(layout::fill)
                .map(
                        w ->
                                w.replace("{uid}", "" + account.uid())
                                        .replace("{gid}", "" + account.gid()))
                .toList();
    }
}
