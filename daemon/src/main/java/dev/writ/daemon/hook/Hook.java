// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Decision;
import dev.writ.core.policy.Explanation;
import dev.writ.runtime.policy.InvalidPolicyException;
import java.util.LinkedHashSet;

/// Answers an agent that is about to use a tool. Whatever goes wrong, the answer is one that stops
/// it, and says whether the policy or a failure did so.
public final class Hook {
    private static final int LONGEST = 2000;

    private final HookSessions sessions;
    private final ConfinedShell shell;

    /// @param launcher the file that starts Writ
    public Hook(HookSessions sessions, String launcher) {
        this.sessions = sessions;
        this.shell = new ConfinedShell(launcher);
    }

    /// @param event as the agent gives it to a hook
    public HookAnswer answer(CodingAgent agent, byte[] event) {
        try {
            return answer(ToolCall.read(agent, event));
        } catch (EventException e) {
            return agent.deny(line("denied: it is not clear what is wanted: " + e.getMessage()));
        } catch (InvalidPolicyException e) {
            return agent.deny(line(UNAVAILABLE + "the policy: " + e.problems().getFirst()));
        } catch (RuntimeException | StackOverflowError e) {
            return agent.deny(line(UNAVAILABLE + e));
        }
    }

    private static final String UNAVAILABLE = "not available, so everything is refused: ";

    /// One line of bounded length, whatever an agent has put into it.
    private static String line(String text) {
        String shown = Text.shown("writ: " + text);
        return shown.length() <= LONGEST ? shown : shown.substring(0, LONGEST) + " ...";
    }

    private HookAnswer answer(ToolCall call) {
        var sort = Sort.of(call.agent(), call.tool());
        if (sort == Sort.OWN) {
            return HookAnswer.GO_ON;
        }
        var session = sessions.of(call);
        if (sort == Sort.SHELL) {
            return call.agent()
                    .replace(
                            shell.input(call, session.policy(), session.workspace()),
                            "runs confined by Writ");
        }
        var questions = new LinkedHashSet<String>();
        for (var action : Wanted.by(call, sort, session.policy().scope())) {
            if (call.answered() && session.policy().decide(action) instanceof Decision.Ask) {
                questions.add(asked(session, action));
                continue;
            }
            if (session.counsel().judge(action) instanceof Verdict.Refused(var reason)) {
                String what = action.text(session.policy().scope());
                return call.agent()
                        .deny(line("denied: `" + what + "`: " + reason.line() + hint(sort)));
            }
        }
        return questions.isEmpty() ? HookAnswer.GO_ON : ask(call, String.join("; ", questions));
    }

    /// A yes is for all that is asked for, so all of it has to be seen.
    private static HookAnswer ask(ToolCall call, String question) {
        String shown = line(question);
        return shown.length() > LONGEST
                ? call.agent().deny(line("denied: the question is too long to be shown whole"))
                : call.agent().ask(shown);
    }

    private static String asked(HookSessions.Kept session, Action action) {
        var why = Explanation.of(session.policy(), action);
        return why.action() + ": " + why.reason();
    }

    private static String hint(Sort sort) {
        return sort == Sort.SEARCH ? "; or search with the shell tool, which runs confined" : "";
    }
}
