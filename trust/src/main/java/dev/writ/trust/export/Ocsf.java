// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.export;

import dev.writ.trust.event.Event;
import dev.writ.trust.event.EventLine;
import dev.writ.trust.event.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Events in the Open Cybersecurity Schema Framework, version 1.8.
///
/// A class and an activity of it say what happened. What a class has no field for is in `unmapped`,
/// whole, so that nothing is lost on the way.
final class Ocsf {
    private static final String VERSION = "1.8.0";
    private static final Map<String, Object> WRIT = Map.of("name", "Writ", "vendor_name", "Writ");

    /// The classes that can say what a control did.
    private static final Set<Long> CONTROLLED = Set.of(1001L, 1007L, 2004L, 4001L, 4002L);

    /// What of it the control let happen.
    private enum Control {
        NONE(0, 0, 1),
        ALLOWED(1, 1, 1),
        BLOCKED(2, 2, 2),
        PENDING(0, 23, 1),
        APPROVED(1, 8, 1),
        REFUSED(2, 25, 2),
        REVOKED(2, 24, 2);

        private final long action;
        private final long disposition;
        private final long status;

        Control(long action, long disposition, long status) {
            this.action = action;
            this.disposition = disposition;
            this.status = status;
        }
    }

    private final Event event;
    private final Map<String, Object> out = new LinkedHashMap<>();

    private Ocsf(Event event) {
        this.event = event;
    }

    static Map<String, Object> of(Event event) {
        return new Ocsf(event).map();
    }

    private Map<String, Object> map() {
        if (event.kind().isEmpty()) {
            base(0, 0, 99, Control.NONE);
            return out;
        }
        switch (event.kind().get()) {
            case OPENED -> lifecycle(3);
            case CLOSED -> lifecycle(4);
            case ANCHORED -> lifecycle(99);
            case JUDGED -> judged(event.is("permitted") ? Control.ALLOWED : Control.BLOCKED);
            case ASKED -> judged(Control.PENDING);
            case ANSWERED ->
                    judged(
                            event.text("answer").equals("approved")
                                    ? Control.APPROVED
                                    : Control.REFUSED);
            case STARTED -> process(1, started());
            case EXITED -> {
                process(2, new LinkedHashMap<>(Map.of("pid", event.number("process"))));
                out.put("exit_code", event.number("exit"));
            }
            case LIMIT -> finding("A limit was reached: " + event.text("limit"));
            case WEAKER -> finding("A guarantee was done without: " + event.text("guarantee"));
            case TOKEN_USED -> token(Control.ALLOWED, 1);
            case TOKEN_REVOKED -> token(Control.REVOKED, 99);
            case EGRESS -> egress();
            case WRITTEN -> {
                base(1, 1001, 3, Control.ALLOWED);
                var file = file(event.text("path"));
                file.put("size", event.number("size"));
                if (!event.text("sha256").isEmpty()) {
                    file.put(
                            "hashes",
                            List.of(Map.of("algorithm_id", 3L, "value", event.text("sha256"))));
                }
                out.put("file", file);
            }
        }
        return out;
    }

    /// What every class has.
    private void base(long category, long type, long activity, Control control) {
        out.put("class_uid", type);
        out.put("category_uid", category);
        out.put("activity_id", activity);
        out.put("type_uid", type * 100 + activity);
        out.put("time", event.at().toEpochMilli());
        out.put("severity_id", control.status == 2 ? 3L : 1L);
        out.put("status_id", control.status);
        out.put("message", EventLine.of(event));
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("version", VERSION);
        metadata.put("correlation_uid", event.session());
        metadata.put("product", WRIT);
        if (CONTROLLED.contains(type)) {
            metadata.put("profiles", List.of("security_control"));
            out.put("action_id", control.action);
            out.put("disposition_id", control.disposition);
            if (!event.text("rule").isEmpty()) {
                out.put(
                        "firewall_rule",
                        Map.of("name", event.text("rule"), "uid", event.text("source")));
            }
        }
        out.put("metadata", metadata);
        if (category == 1) {
            // Which machine it was is not in the record; the sandbox is what there is.
            out.put("device", Map.of("type_id", 0L, "name", "sandbox", "uid", event.session()));
            out.put("actor", actor());
        }
        out.put("unmapped", event.fields());
    }

    /// Actions by their kind: the word before the colon.
    private void judged(Control control) {
        String action = event.text("action");
        String object = action.substring(action.indexOf(':') + 1);
        switch (action.substring(0, Math.max(0, action.indexOf(':')))) {
            case "read" -> onFile(2, object, control);
            case "write" -> onFile(3, object, control);
            case "device", "unix" -> onFile(14, object, control);
            case "exec" -> {
                base(1, 1007, 1, control);
                out.put("process", Map.of("cmd_line", object));
            }
            case "net", "listen" -> {
                base(4, 4001, control.status == 2 ? 5 : 1, control);
                out.put("dst_endpoint", Map.of("name", object));
            }
            default -> {
                base(6, 6003, 99, control);
                out.put("api", Map.of("operation", action));
                out.put("actor", actor());
                out.put("src_endpoint", Map.of("name", event.session()));
            }
        }
    }

    private void onFile(long activity, String path, Control control) {
        base(1, 1001, activity, control);
        out.put("file", file(path));
    }

    private static Map<String, Object> file(String path) {
        var file = new LinkedHashMap<String, Object>();
        file.put("name", path.substring(path.lastIndexOf('/') + 1));
        file.put("path", path);
        file.put("type_id", 0L);
        return file;
    }

    private Map<String, Object> actor() {
        return Map.of("app_name", "agent", "session", Map.of("uid", event.session()));
    }

    private void process(long activity, Map<String, Object> process) {
        base(1, 1007, activity, Control.ALLOWED);
        out.put("process", process);
    }

    private Map<String, Object> started() {
        var process = new LinkedHashMap<String, Object>();
        process.put("pid", event.number("process"));
        process.put("cmd_line", event.text("command"));
        process.put("file", file(event.text("program")));
        process.put("parent_process", Map.of("pid", event.number("parent")));
        return process;
    }

    private void lifecycle(long activity) {
        base(6, 6002, activity, Control.ALLOWED);
        out.put("app", WRIT);
    }

    private void finding(String title) {
        base(2, 2004, 1, Control.NONE);
        out.put(
                "finding_info",
                Map.of("title", title, "uid", event.session() + "/" + event.word()));
    }

    private void token(Control control, long activity) {
        base(3, 3003, activity, control);
        out.put("user", Map.of("uid", holder(event.get("holder"))));
        out.put("privileges", List.of("token " + event.text("token")));
    }

    private static String holder(@Nullable Object holder) {
        return holder == null ? "unknown" : Value.shown(holder);
    }

    private void egress() {
        boolean request = !event.text("method").isEmpty();
        base(4, request ? 4002 : 4001, request ? method() : 1, Control.ALLOWED);
        out.put(
                "dst_endpoint",
                Map.of("hostname", event.text("host"), "port", event.number("port")));
        out.put(
                "traffic",
                Map.of("bytes_out", event.number("up"), "bytes_in", event.number("down")));
        out.put("duration", event.number("millis"));
        if (request) {
            out.put(
                    "http_request",
                    Map.of(
                            "http_method",
                            event.text("method"),
                            "url",
                            Map.of(
                                    "scheme",
                                    event.text("scheme"),
                                    "hostname",
                                    event.text("host"),
                                    "port",
                                    event.number("port"),
                                    "path",
                                    event.text("path"))));
            out.put("http_response", Map.of("code", event.number("status")));
        }
    }

    private long method() {
        return switch (event.text("method")) {
            case "CONNECT" -> 1;
            case "DELETE" -> 2;
            case "GET" -> 3;
            case "HEAD" -> 4;
            case "OPTIONS" -> 5;
            case "POST" -> 6;
            case "PUT" -> 7;
            case "TRACE" -> 8;
            case "PATCH" -> 9;
            default -> 99;
        };
    }
}
