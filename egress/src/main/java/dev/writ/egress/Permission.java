// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.FullHttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/// Has all of a request judged: itself, the tools that it calls, and the secrets that it uses.
/// Whoever asks goes on where they are told to, or answers with the refusal.
///
/// @param refused hears what the program is told if it goes no further
record Permission(
        Service service, Channel channel, RequestHead wanted, Consumer<FullHttpResponse> refused) {
    /// The request by itself, in every way that it may be read.
    void judge(Runnable then) {
        if (!service.usage().request()) {
            refused.accept(
                    Answer.tooMany(
                            "more than "
                                    + service.bounds().requestsPerMinute()
                                    + " requests in a minute; wait, and try again"));
            return;
        }
        var account = service.usage().account(wanted.to());
        if (account.isUsedUp()) {
            refused.accept(Answer.tooMany(account.reason()));
            return;
        }
        judgeAll(
                wanted.readings(),
                (reading, verdict) ->
                        Answer.denied(service.gate().policy(), reading, verdict.reason()),
                then);
    }

    /// The tools: all of them go, or none.
    void judgeTools(ToolCalls calls, List<Action.CallTool> tools, Runnable then) {
        judgeAll(
                tools,
                (tool, verdict) -> calls.denied(service.gate().policy(), tool, verdict.reason()),
                then);
    }

    private <A extends Action> void judgeAll(
            List<A> actions, BiFunction<A, Verdict, FullHttpResponse> denied, Runnable then) {
        service.gate()
                .judgeInTurn(
                        actions.iterator(),
                        channel,
                        (action, verdict) -> {
                            boolean permitted = verdict instanceof Verdict.Permitted;
                            if (!permitted) {
                                refused.accept(denied.apply(action, verdict));
                            }
                            return permitted;
                        },
                        then);
    }

    /// The secrets. Without one that must not be used the request goes all the same.
    ///
    /// @param then hears the names of those that may be
    void judgeSecrets(Consumer<Set<String>> then) {
        var to = wanted.to();
        var uses =
                service.secrets()
                        .map(s -> s.uses(wanted.scheme(), to.host(), to.port()))
                        .orElse(List.of());
        var permitted = new HashSet<String>();
        service.gate()
                .judgeInTurn(
                        uses.iterator(),
                        channel,
                        (use, verdict) -> {
                            if (verdict instanceof Verdict.Permitted) {
                                permitted.add(use.name());
                            }
                            return true;
                        },
                        () -> then.accept(permitted));
    }
}
