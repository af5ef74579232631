// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.Text;
import dev.writ.trust.token.Grant;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A token as a tree: who gave what to whom, until when. Nothing of it is verified.
record TokenView(Paint paint, Instant now) {
    void show(List<Grant> grants, boolean sealed, PrintStream out) {
        out.println("the issuer");
        String indent = "";
        for (var grant : grants) {
            out.println(
                    indent
                            + "└─ "
                            + paint.bold(Text.shown(grant.who()))
                            + paint.dim("  " + until(grant)));
            indent += "   ";
            for (var line : grant.lines()) {
                out.println(
                        indent
                                + "│  "
                                + String.format("%-5s ", line.effect().word())
                                + Text.shown(line.capability()));
            }
            notes(grant, indent, out);
        }
        var last = grants.getLast();
        String more =
                sealed
                        ? "sealed"
                        : last.depth() == 0
                                ? "may not be given on"
                                : "may be given on, " + last.depth() + " deep";
        out.println(paint.dim(indent + more + "; not verified: see `writ token verify`"));
    }

    private void notes(Grant grant, String indent, PrintStream out) {
        var terms = grant.terms();
        terms.purpose().ifPresent(p -> note(indent, "for " + p, out));
        terms.session().ifPresent(s -> note(indent, "in session " + s + " only", out));
        terms.audience().ifPresent(a -> note(indent, "taken by " + a + " only", out));
        terms.single().ifPresent(_ -> note(indent, "for one use", out));
    }

    private void note(String indent, String text, PrintStream out) {
        out.println(indent + "│  " + paint.dim(Text.shown(text)));
    }

    private String until(Grant grant) {
        var left = Duration.between(now, grant.expires());
        if (left.isNegative() || left.isZero()) {
            return "expired at " + grant.expires();
        }
        long minutes = left.toMinutes();
        return "until "
                + grant.expires()
                + ", "
                + (minutes > 0 ? minutes + " min" : left.toSeconds() + " s")
                + " left";
    }

    static Map<String, @Nullable Object> json(Grant grant) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("holder", grant.holder().toString());
        map.put("name", grant.name().orElse(null));
        map.put(
                "rules",
                grant.lines().stream().map(l -> l.effect().word() + " " + l.capability()).toList());
        map.put("issued", grant.issued().toString());
        map.put("expires", grant.expires().toString());
        map.put("depth", grant.depth());
        map.put("purpose", grant.terms().purpose().orElse(null));
        map.put("session", grant.terms().session().orElse(null));
        map.put("audience", grant.terms().audience().orElse(null));
        return map;
    }
}
