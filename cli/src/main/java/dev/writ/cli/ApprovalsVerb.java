// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.runtime.policy.Approvals;
import dev.writ.runtime.policy.Approvals.Approval;
import dev.writ.trust.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Lists what was approved for good, and forgets it.
final class ApprovalsVerb implements Verb {
    private static final Option FORGET =
            new Option("forget", "N|all", "forget this one, and ask again");

    @Override
    public Manual manual() {
        return new Manual(
                "approvals",
                "show what waits for your answer and what you approved for good",
                "[--json] [--forget N|all]",
                List.of(
                        "writ approvals",
                        "writ approvals --forget 2",
                        "writ approvals --forget all"),
                List.of(FORGET, Option.JSON));
    }

    /// One of them, and with which others it is kept.
    private record Entry(int number, Approvals kept, Approval approval) {}

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (!arguments.words().isEmpty()) {
            throw new UsageException("use `writ approvals` or `writ approvals --forget N`");
        }
        var config = world.config();
        var entries = entries(Approvals.all(config.state(), config.scope(FilePath.ROOT)));
        var forget = arguments.value(FORGET);
        if (forget.isPresent()) {
            entries = chosen(entries, forget.get());
            entries.forEach(e -> e.kept().forget(List.of(e.approval())));
        }
        boolean json = arguments.has(Option.JSON);
        if (forget.isEmpty() && !json) {
            printWaiting(world);
        }
        if (entries.isEmpty() && !json) {
            world.out().println("nothing has been approved for good");
        } else if (json) {
            entries.forEach(e -> world.out().println(Json.write(describe(e))));
        } else {
            print(entries, forget.isPresent() ? "forgot" : "", world);
        }
        return ExitCode.OK;
    }

    private static void printWaiting(World world) {
        var questions = new Questions(world);
        var waiting = questions.waiting();
        if (!waiting.isEmpty()) {
            world.out().println(world.paint().bold("waiting for an answer"));
            waiting.forEach(questions::print);
            world.out().println("to answer: `writ approve ID`, `writ refuse ID`");
            world.out().println();
        }
    }

    private static List<Entry> entries(List<Approvals> all) {
        var entries = new ArrayList<Entry>();
        for (var approvals : all) {
            for (var approval : approvals.list()) {
                entries.add(new Entry(entries.size() + 1, approvals, approval));
            }
        }
        return entries;
    }

    private static List<Entry> chosen(List<Entry> entries, String which) {
        if (which.equals("all")) {
            return entries;
        }
        var chosen =
                entries.stream().filter(e -> String.valueOf(e.number()).equals(which)).toList();
        if (chosen.isEmpty()) {
            throw new UsageException(
                    "no approval has the number `"
                            + Text.shown(which)
                            + "`; `writ approvals` lists them");
        }
        return chosen;
    }

    private static Map<String, Object> describe(Entry entry) {
        var map = new LinkedHashMap<String, Object>();
        map.put("number", entry.number());
        map.put("rule", entry.approval().rule());
        map.put("policy", entry.kept().policy());
        map.put("given", entry.approval().given());
        map.put("source", entry.approval().source().toString());
        return map;
    }

    private static void print(List<Entry> entries, String done, World world) {
        String policy = "";
        for (var entry : entries) {
            if (!entry.kept().policy().equals(policy)) {
                policy = entry.kept().policy();
                world.out().println(world.paint().bold(Text.shown(policy)));
            }
            world.out()
                    .println(
                            String.format("%4d  ", entry.number())
                                    + (done.isEmpty() ? "" : done + " ")
                                    + Text.shown(entry.approval().rule()));
            if (done.isEmpty()) {
                world.out()
                        .println(
                                "      " + world.paint().dim(Text.shown(entry.approval().given())));
            }
        }
    }
}
