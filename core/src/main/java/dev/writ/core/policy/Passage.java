// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.policy;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Capability;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Net;
import dev.writ.core.capability.Scheme;
import dev.writ.core.pattern.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What a TCP connection to one port of one host may be used for.
public enum Passage {
    /// Nothing: no rule leads there.
    CLOSED,
    /// Requests, each of which is judged by itself.
    REQUESTS,
    /// TLS with that host, and nothing else. What is said inside is nobody's business.
    TLS,
    /// Whatever bytes.
    ANYTHING;

    /// What the names of tools begin with that are offered by the Model Context Protocol.
    public static final String MCP = "mcp";

    /// Schemes of rules that permit requests in TLS.
    private static final Set<Scheme> IN_TLS = Set.of(Scheme.HTTPS, Scheme.WSS, Scheme.TCP);

    /// Where a rule leaves it to the operator, the passage is the one that an approval opens. The
    /// narrowest of all that have a say.
    public static Passage of(Policy policy, Host host, int port) {
        var narrowest = ANYTHING;
        for (var part : policy.parts()) {
            var passage = alone(part, host, port);
            narrowest = passage.compareTo(narrowest) < 0 ? passage : narrowest;
        }
        return narrowest;
    }

    private static Passage alone(Policy policy, Host host, int port) {
        var connect = new Action.Connect(Scheme.TCP, host, port);
        if (policy.decideAlone(connect) instanceof Decision.Deny
                || takesSecret(policy, host, port)
                || restricts(policy, host)
                || (namesTools(policy, host) && !granted(policy, connect, Net::isForAnyBytes))) {
            var word = connect.word();
            return leads(policy, word.subList(0, word.size() - 1)) ? REQUESTS : CLOSED;
        }
        if (granted(policy, connect, net -> net.scheme() == Scheme.TCP)) {
            return ANYTHING;
        }
        return granted(policy, connect, net -> net.scheme() == Scheme.HTTPS) ? TLS : REQUESTS;
    }

    /// Whether any rule leads to `host`, on whatever port and for whatever use; and one of every
    /// bound does.
    public static boolean leadsTo(Policy policy, Host host) {
        return policy.parts().stream().allMatch(part -> leadsThere(part, host));
    }

    private static boolean leadsThere(Policy policy, Host host) {
        for (var transport : List.of(Scheme.TCP, Scheme.UDP)) {
            var word = new ArrayList<>(List.of("net", transport.word()));
            host.spell(word::add);
            word.add(Pattern.END);
            if (leads(policy, word)) {
                return true;
            }
        }
        return false;
    }

    /// Whether rules speak of tools that `host` offers, `tool:mcp/HOST/NAME`, so that somebody has
    /// to look for calls of them.
    public static boolean judgesTools(Policy policy, Host host) {
        return policy.parts().stream().anyMatch(part -> namesTools(part, host));
    }

    private static boolean namesTools(Policy policy, Host host) {
        return isAbout(toolRules(policy), host);
    }

    /// Whether rules deny some of them, or ask: those hold whatever else is allowed there.
    public static boolean restrictsTools(Policy policy, Host host) {
        return policy.parts().stream().anyMatch(part -> restricts(part, host));
    }

    private static boolean restricts(Policy policy, Host host) {
        return isAbout(toolRules(policy).filter(rule -> rule.effect() != Effect.ALLOW), host);
    }

    private static boolean isAbout(Stream<Rule> rules, Host host) {
        var word = List.of("tool", MCP, host.toString());
        return rules.anyMatch(rule -> fits(rule.capability(), word) >= word.size());
    }

    /// Whether rules speak of tools of any host.
    public static boolean judgesTools(Policy policy) {
        return policy.parts().stream().anyMatch(Passage::namesTools);
    }

    private static boolean namesTools(Policy policy) {
        return toolRules(policy).findAny().isPresent();
    }

    /// A rule for all tools whatever does not say that somebody offers some over the network.
    private static Stream<Rule> toolRules(Policy policy) {
        return policy.rules().stream()
                .filter(r -> r.capability() instanceof Capability.Tool tool && tool.isOf(MCP));
    }

    /// Whether there may be a connection of [#REQUESTS] in TLS, so that somebody has to look into
    /// it. Says yes rather too often.
    public static boolean looksIntoTls(Policy policy) {
        return policy.parts().stream().anyMatch(Passage::looksInside);
    }

    private static boolean looksInside(Policy policy) {
        boolean secret = policy.secrets().stream().anyMatch(s -> s.to().scheme() == Scheme.HTTPS);
        boolean tools = namesTools(policy);
        boolean denied =
                policy.rules().stream()
                        .anyMatch(
                                rule ->
                                        rule.effect() == Effect.DENY
                                                && rule.capability() instanceof Net net
                                                && net.isInspected());
        return grants(policy)
                .filter(net -> IN_TLS.contains(net.scheme()))
                .anyMatch(net -> secret || tools || denied || net.isInspected());
    }

    /// Whether some grant begins like this.
    private static boolean leads(Policy policy, List<String> beginning) {
        return grants(policy).anyMatch(net -> fits(net, beginning) >= beginning.size());
    }

    private static boolean granted(Policy policy, Action connect, Predicate<Net> which) {
        return grants(policy).anyMatch(net -> which.test(net) && covers(net, connect));
    }

    private static Stream<Net> grants(Policy policy) {
        return policy.rules().stream()
                .filter(rule -> rule.effect() != Effect.DENY)
                .map(Rule::capability)
                .filter(Net.class::isInstance)
                .map(Net.class::cast);
    }

    /// A secret can only be put into what is looked at.
    private static boolean takesSecret(Policy policy, Host host, int port) {
        return policy.secrets().stream()
                .map(SecretDefinition::to)
                .anyMatch(
                        to -> covers(to, new Action.UseSecret(to.name(), to.scheme(), host, port)));
    }

    private static boolean covers(Capability capability, Action action) {
        var word = action.word();
        return fits(capability, word) > word.size();
    }

    private static int fits(Capability capability, List<String> word) {
        return capability.grants().stream().mapToInt(p -> p.progress(word)).max().orElse(0);
    }
}
