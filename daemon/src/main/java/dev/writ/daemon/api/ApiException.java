// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An answer that says what is wrong (RFC 9457), with a code that stays the same.
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final transient Map<String, @Nullable Object> fields;

    /// @param code such as `sandbox.not-found`
    /// @param detail what happened, to what, and what to do next
    public ApiException(int status, String code, String detail) {
        this(status, code, detail, Map.of());
    }

    ApiException(int status, String code, String detail, Map<String, ?> more) {
        super(detail);
        this.status = status;
        this.fields = fields(status, code, detail);
        fields.putAll(more);
    }

    static ApiException invalid(String detail) {
        return new ApiException(400, "request.invalid", detail);
    }

    static ApiException notFound(String what, String id) {
        return new ApiException(404, what + ".not-found", "no " + what + " is called `" + id + "`");
    }

    public int status() {
        return status;
    }

    byte[] body() {
        return Wire.bytes(fields);
    }

    private static Map<String, @Nullable Object> fields(int status, String code, String detail) {
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("type", "urn:writ:" + code);
        fields.put("title", title(status));
        fields.put("status", status);
        fields.put("detail", detail);
        fields.put("code", code);
        return fields;
    }

    private static String title(int status) {
        return switch (status) {
            case 401 -> "who asks is not known";
            case 403 -> "not let in";
            case 404 -> "there is no such thing";
            case 405 -> "cannot be done with it";
            case 409 -> "cannot be done now";
            case 413, 431 -> "too much";
            case 415 -> "not understood in this form";
            case 421 -> "meant for somebody else";
            case 422 -> "the policy has errors";
            case 429 -> "too many";
            case 503 -> "ending";
            default -> status < 500 ? "the request is wrong" : "something is broken";
        };
    }
}
