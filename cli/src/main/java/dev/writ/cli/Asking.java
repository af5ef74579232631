// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.broker.Approver;
import dev.writ.core.policy.Effect;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.approval.Desk;
import dev.writ.runtime.approval.Operator;
import dev.writ.runtime.approval.Question;
import dev.writ.runtime.policy.Approvals;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Who is asked during a run, and at which terminal.
///
/// @param terminal the operator's; none if there is none, or nothing needs one
/// @param world where lines for the operator wait while a question is on the screen
record Asking(Approver approver, Optional<OperatorTerminal> terminal, World world) {
    static Asking about(Policy policy, Arguments arguments, World world) {
        boolean asks =
                policy.parts().stream()
                        .flatMap(part -> part.rules().stream())
                        .anyMatch(r -> r.effect() == Effect.ASK);
        Optional<OperatorTerminal> terminal =
                TerminalRelay.isPossible()
                        ? Optional.of(OperatorTerminal.standard(world))
                        : asks ? OperatorTerminal.controlling() : Optional.empty();
        var held = terminal.map(t -> world.withErrors(t.errors(world.err()))).orElse(world);
        if (!asks) {
            return new Asking(Approver.nobody(), terminal, held);
        }
        var about = PolicyOptions.file(arguments, world).orElse(world.folder());
        var approvals = Approvals.of(world.config().state(), about, policy.scope());
        var desk = new Desk(operator(terminal, world), approvals, InstantSource.system());
        return new Asking(desk, terminal, held);
    }

    private static Operator operator(Optional<OperatorTerminal> terminal, World world) {
        if (terminal.isEmpty()) {
            return new Nobody("nobody could be asked, because there is no terminal");
        }
        String kind = world.variables().getOrDefault("TERM", "");
        if (kind.isEmpty() || kind.equals("dumb")) {
            return new Nobody(
                    "nobody could be asked, because a terminal without `TERM` cannot show a question safely");
        }
        return new TerminalOperator(
                terminal.get(),
                System.getProperty("user.name", "somebody"),
                drawsUnicode(world),
                new Paint(!world.variables().containsKey("NO_COLOR")),
                world.err());
    }

    /// Elsewhere the bytes of UTF-8 are characters of their own, and some of them commands.
    private static boolean drawsUnicode(World world) {
        return Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                .map(n -> world.variables().getOrDefault(n, ""))
                .filter(v -> !v.isEmpty())
                .findFirst()
                .map(v -> v.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8"))
                .orElse(false);
    }

    /// There is nobody, but what was approved earlier still counts.
    private record Nobody(String why) implements Operator {
        @Override
        public String name() {
            return "nobody";
        }

        @Override
        public Reply ask(Question question) {
            return new Reply.None(why);
        }

        @Override
        public void tell(String line) {}
    }
}
