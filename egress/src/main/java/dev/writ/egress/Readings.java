// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import dev.writ.core.capability.SyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The ways in which servers may read the path of one request, which all have to be permitted.
/// There is one, unless a slash is encoded, as in the names of packages: then it is a slash to some
/// servers, and a part of a name to others. No rule can name such a part, so to rules it is written
/// as if its percent sign were encoded, and only wildcards match it. Or something is encoded twice:
/// then some servers, and those behind them, decode it twice. Or a segment has parameters
/// (`/a;b=c`): servers in Java take them off before they look at the path.
///
/// @param target path and query as they are sent
record Readings(List<Action.Request> all, String target) {
    private static final String SLASH = "%2F";
    private static final String AS_NAME = "%252F";
    private static final String PERCENT = "%25";
    private static final Pattern PARAMETERS = Pattern.compile("(;|%3[Bb])[^/]*");
    private static final Pattern TWICE = Pattern.compile("%25(?=[0-9A-Fa-f]{2})");
    private static final int MOST = 6;

    /// @param rest path and query as the program has spelled them
    /// @throws BadRequest if one of them has no meaning
    static Readings of(Scheme scheme, Destination to, String method, String rest) {
        int question = rest.indexOf('?');
        String path = question < 0 ? rest : rest.substring(0, question);
        String query = question < 0 ? "" : rest.substring(question);
        var readings = decodedOnce(scheme, to, method, path, query);
        if (!path.contains(PERCENT)) {
            return readings;
        }
        // Some servers decode what they were given, and those behind them do it again.
        var all = new ArrayList<>(readings.all());
        String again = TWICE.matcher(path).replaceAll("%");
        while (!again.equals(path)) {
            if (all.size() > MOST) {
                throw new BadRequest("a path that is encoded so often has no one meaning");
            }
            all.addAll(decodedOnce(scheme, to, method, again, query).all());
            path = again;
            again = TWICE.matcher(path).replaceAll("%");
        }
        return new Readings(List.copyOf(all), readings.target());
    }

    private static Readings decodedOnce(
            Scheme scheme, Destination to, String method, String path, String query) {
        if (!path.contains(SLASH) && !path.contains("%2f")) {
            var all = withoutParameters(scheme, to, method, path, query);
            return new Readings(all, all.getFirst().target());
        }
        if (path.contains(PERCENT)) {
            throw new BadRequest("an encoded slash beside an encoded `%` has no one meaning");
        }
        String encoded = path.replace("%2f", SLASH);
        var slash = withoutParameters(scheme, to, method, encoded.replace(SLASH, "/"), query);
        var name = withoutParameters(scheme, to, method, encoded.replace(SLASH, AS_NAME), query);
        return new Readings(
                Stream.concat(slash.stream(), name.stream()).toList(),
                sent(name.getFirst().target()));
    }

    /// The path with its parameters and, if it has any, without them.
    private static List<Action.Request> withoutParameters(
            Scheme scheme, Destination to, String method, String path, String query) {
        var whole = action(scheme, to, method, path + query);
        String rest = PARAMETERS.matcher(path).replaceAll("");
        return rest.equals(path)
                ? List.of(whole)
                : List.of(whole, action(scheme, to, method, rest + query));
    }

    private static String sent(String target) {
        int question = target.indexOf('?');
        int end = question < 0 ? target.length() : question;
        return target.substring(0, end).replace(AS_NAME, SLASH) + target.substring(end);
    }

    private static Action.Request action(
            Scheme scheme, Destination to, String method, String rest) {
        String path = rest.startsWith("/") ? rest : "/" + rest;
        try {
            return Action.Request.of(scheme, to.host(), to.port(), method, path);
        } catch (SyntaxException e) {
            throw new BadRequest(e.explanation());
        }
    }
}
