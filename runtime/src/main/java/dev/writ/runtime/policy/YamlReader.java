// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.policy;

import dev.writ.core.policy.Source;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingEndEvent;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceEndEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.events.StreamEndEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// Reads YAML defensively: one document of texts, lists and mappings, bounded in size and depth.
/// Anchors, aliases, tags, duplicate keys and everything else that has surprised people in
/// configuration files is refused.
final class YamlReader {
    static final int MOST_CHARACTERS = 1 << 20;
    private static final int DEEPEST = 8;

    private final String place;
    private final Iterator<Event> events;
    private int depth;

    private YamlReader(String text, String place) {
        this.place = place;
        var settings =
                LoadSettings.builder().setCodePointLimit(MOST_CHARACTERS).setLabel(place).build();
        this.events = new ParserImpl(settings, new StreamReader(settings, text));
    }

    /// Reads a document; nothing for an empty one.
    ///
    /// @throws InvalidPolicyException if `text` is not such a document
    static Optional<Yaml> read(String text, String place) {
        if (text.length() > MOST_CHARACTERS) {
            throw invalid(
                    new Source(place, 1, 1),
                    "a policy has at most " + MOST_CHARACTERS + " characters",
                    "split it and use `extends`");
        }
        try {
            return new YamlReader(text, place).document();
        } catch (MarkedYamlEngineException e) {
            var source =
                    e.getProblemMark().map(m -> source(place, m)).orElse(new Source(place, 1, 1));
            throw invalid(source, "not valid YAML: " + firstLine(e.getProblem()), "");
        } catch (YamlEngineException e) {
            throw invalid(
                    new Source(place, 1, 1),
                    "not valid YAML: " + firstLine(String.valueOf(e.getMessage())),
                    "");
        }
    }

    private Optional<Yaml> document() {
        next(); // stream start
        if (next() instanceof StreamEndEvent) {
            return Optional.empty();
        }
        var root = value(next());
        if (!(next() instanceof DocumentEndEvent)) {
            throw new IllegalStateException("a document has one root");
        }
        var after = next();
        if (!(after instanceof StreamEndEvent)) {
            throw invalid(source(after), "a policy is one document", "remove what follows `---`");
        }
        return Optional.of(root);
    }

    private Event next() {
        return events.next();
    }

    private Yaml value(Event event) {
        if (event instanceof AliasEvent) {
            throw invalid(
                    source(event),
                    "aliases are refused",
                    "write the value again; a word that begins with `*` needs quotes");
        }
        if (event instanceof NodeEvent node && node.getAnchor().isPresent()) {
            throw invalid(
                    source(event),
                    "anchors are refused",
                    "write the value again; a word that begins with `&` needs quotes");
        }
        if (++depth > DEEPEST) {
            throw invalid(source(event), "nested more than " + DEEPEST + " deep", "");
        }
        var value = anyValue(event);
        depth--;
        return value;
    }

    private Yaml anyValue(Event event) {
        if (event instanceof ScalarEvent scalar) {
            return text(scalar);
        }
        if (event instanceof SequenceStartEvent list) {
            return items(list);
        }
        if (event instanceof MappingStartEvent mapping) {
            return fields(mapping);
        }
        throw new IllegalStateException("not a value: " + event.getEventId());
    }

    private Yaml.Text text(ScalarEvent event) {
        refuseTag(event.getTag(), event);
        var source = source(event);
        boolean plain = event.getScalarStyle() == ScalarStyle.PLAIN;
        return new Yaml.Text(event.getValue(), source, source.column() + (plain ? 0 : 1));
    }

    private Yaml items(SequenceStartEvent start) {
        refuseTag(start.getTag(), start);
        var items = new ArrayList<Yaml>();
        for (var event = next(); !(event instanceof SequenceEndEvent); event = next()) {
            items.add(value(event));
        }
        return new Yaml.Items(items, source(start));
    }

    private Yaml fields(MappingStartEvent start) {
        refuseTag(start.getTag(), start);
        var fields = new ArrayList<Yaml.Field>();
        var keys = new HashSet<String>();
        for (var event = next(); !(event instanceof MappingEndEvent); event = next()) {
            if (!(value(event) instanceof Yaml.Text key)) {
                throw invalid(source(event), "a key must be a plain word", "");
            }
            if (!keys.add(key.value())) {
                throw invalid(key.source(), "`" + key.value() + "` is given twice", "join the two");
            }
            fields.add(new Yaml.Field(key, value(next())));
        }
        return new Yaml.Fields(fields, source(start));
    }

    private void refuseTag(Optional<String> tag, Event event) {
        if (tag.isPresent()) {
            throw invalid(
                    source(event),
                    "tags are refused: `" + tag.get() + "`",
                    "a word that begins with `!` needs quotes");
        }
    }

    private Source source(Event event) {
        return event.getStartMark().map(m -> source(place, m)).orElse(new Source(place, 1, 1));
    }

    private static Source source(String place, Mark mark) {
        return new Source(place, mark.getLine() + 1, mark.getColumn() + 1);
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }

    private static InvalidPolicyException invalid(Source source, String message, String hint) {
        return new InvalidPolicyException(List.of(new Problem(source, message, hint)));
    }
}
