// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.capability.Text;
import dev.writ.core.policy.Canonical;
import dev.writ.core.policy.Explanation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Rule;
import dev.writ.core.sandbox.Use;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.daemon.sandbox.Piece;
import dev.writ.daemon.sandbox.RunningProcess;
import dev.writ.trust.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What things look like in answers.
final class Wire {
    private Wire() {}

    static byte[] bytes(@Nullable Object value) {
        return (Json.write(value) + "\n").getBytes(UTF_8);
    }

    static Map<String, @Nullable Object> sandbox(KeptSandbox sandbox) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("id", sandbox.id());
        map.put("workspace", sandbox.ask().workspace().toString());
        map.put("policy", sandbox.ask().policy());
        map.put("created_at", sandbox.at().toString());
        map.put("running", sandbox.running());
        map.put("idle_ms", sandbox.ask().idle().toMillis());
        sandbox.ask().life().ifPresent(l -> map.put("ttl_ms", l.toMillis()));
        sandbox.session().lineage().ifPresent(t -> map.put("token", Text.shown(t)));
        map.put("labels", new TreeMap<>(sandbox.ask().labels()));
        map.put("use", sandbox.session().use().stream().map(Wire::use).toList());
        return map;
    }

    private static Map<String, @Nullable Object> use(Use use) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("limit", use.limit().resource().word());
        map.put("used", use.used());
        map.put("most", use.limit().amount());
        map.put("rule", use.rule().written());
        map.put("source", Text.shown(use.rule().source().toString()));
        return map;
    }

    static Map<String, @Nullable Object> process(RunningProcess process) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("id", process.id());
        map.put("argv", process.command().words());
        map.put("tty", process.command().terminal());
        map.put("started_at", process.at().toString());
        map.put("running", process.isRunning());
        if (!process.isRunning()) {
            map.put("code", process.exitCode());
        }
        return map;
    }

    /// Text where it is text, else base64.
    static Map<String, @Nullable Object> piece(Piece piece) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("t", piece.type());
        map.put("seq", piece.number());
        if (piece.bytes().length > 0) {
            try {
                var text = UTF_8.newDecoder().decode(ByteBuffer.wrap(piece.bytes()));
                map.put("text", text.toString());
            } catch (CharacterCodingException e) {
                map.put("base64", Base64.getEncoder().encodeToString(piece.bytes()));
            }
        }
        map.putAll(piece.fields());
        return map;
    }

    /// @param source where it stands; empty if that is nowhere
    static Map<String, @Nullable Object> rule(String effect, String written, String source) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("effect", effect);
        map.put("rule", Text.shown(written));
        map.put("source", Text.shown(source));
        return map;
    }

    static Map<String, @Nullable Object> policy(Policy policy) {
        var rules = new ArrayList<Map<String, @Nullable Object>>();
        policy.rules().forEach(r -> rules.add(rule(r.effect().word(), r)));
        policy.guards().forEach(g -> rules.add(rule("guard", g)));
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("digest", Canonical.digest(policy));
        map.put("rules", rules);
        return map;
    }

    private static Map<String, @Nullable Object> rule(String effect, Rule rule) {
        return rule(effect, rule.written(), rule.source().toString());
    }

    static Map<String, @Nullable Object> decision(Explanation explanation) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("action", explanation.action());
        map.put("decision", explanation.decision());
        map.put("rule", explanation.rule());
        map.put("source", explanation.source());
        map.put("reason", explanation.reason());
        map.put("remedy", explanation.suggestion());
        return map;
    }
}
