// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.capability.SyntaxException;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.WrittenAction;
import dev.writ.trust.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Says what the policy decides about actions, by which rule, and what would have to change.
final class ExplainVerb implements Verb {
    @Override
    public Manual manual() {
        return new Manual(
                "explain",
                "which rule decides about an action, and what would allow it",
                "[FLAGS] ACTION...",
                List.of(
                        "writ explain read:~/.ssh/id_rsa",
                        "writ explain 'exec:git push origin' env:HOME",
                        "writ explain --no-policy --allow read:/etc read:/etc/passwd",
                        "writ explain --token helper.token write:./src/main.py",
                        "writ explain --json - < actions.txt      # one action per line"),
                PolicyOptions.and(TokenOptions.TOKEN, TokenMaking.KEY, Option.JSON));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        if (arguments.words().isEmpty()) {
            throw new UsageException(
                    "an action is missing; write it like `writ explain read:/etc/passwd`");
        }
        var policy = TokenOptions.narrow(PolicyOptions.load(arguments, world), arguments, world);
        boolean json = arguments.has(Option.JSON);
        int bad = 0;
        for (var word : arguments.words()) {
            bad +=
                    word.equals("-")
                            ? explainInput(policy, world, json)
                            : explain(word, policy, world, json);
        }
        if (bad > 0) {
            world.err()
                    .println(
                            "writ: "
                                    + (bad == 1 ? "one text is" : bad + " texts are")
                                    + " no action of any known kind");
            return ExitCode.CANNOT_START;
        }
        return ExitCode.OK;
    }

    private static int explainInput(Policy policy, World world, boolean json) {
        try (var in =
                new BufferedReader(new InputStreamReader(world.in(), StandardCharsets.UTF_8))) {
            int bad = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isBlank()) {
                    bad += explain(line, policy, world, json);
                }
            }
            return bad;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Explains one action; gives 1 if the text is none of any kind.
    private static int explain(String text, Policy policy, World world, boolean json) {
        int bad = 0;
        Explanation explanation;
        try {
            explanation =
                    Explanation.of(
                            policy, WrittenAction.read(text, policy, world.config().folder()));
        } catch (SyntaxException e) {
            bad = e.isUnknownKind() ? 1 : 0;
            explanation =
                    Explanation.ofInvalid(text, e.explanation() + " (column " + e.column() + ")");
        }
        world.out()
                .println(
                        json
                                ? json(text, explanation)
                                : sentence(text, explanation, world.paint()));
        return bad;
    }

    private static String json(String text, Explanation explanation) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("action", text);
        map.put("decision", explanation.decision());
        map.put("rule", orNull(explanation.rule()));
        map.put("source", orNull(explanation.source()));
        map.put("reason", explanation.reason());
        map.put("suggestion", orNull(explanation.suggestion()));
        return Json.write(map);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private static String sentence(String text, Explanation explanation, Paint paint) {
        var out =
                new StringBuilder(paint.decision(explanation.decision()))
                        .append(' ')
                        .append(paint.bold(Text.shown(text)));
        out.append("\n      ").append(explanation.reason());
        if (!explanation.suggestion().isEmpty()) {
            out.append(paint.dim("\n      to change that: ")).append(explanation.suggestion());
        }
        return out.toString();
    }
}
