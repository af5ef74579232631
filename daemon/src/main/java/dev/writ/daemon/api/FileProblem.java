// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.file.FileException;
import dev.writ.daemon.sandbox.Denial;
import dev.writ.runtime.Session;

/// What did not come about with a file, as an answer.
final class FileProblem {
    private FileProblem() {}

    static ApiException of(FileException e, Session session) {
        String detail = String.valueOf(e.getMessage());
        return switch (e.kind()) {
            case REFUSED -> refused(e, session, detail);
            case MISSING -> new ApiException(404, "file.not-found", detail);
            case EXISTS -> new ApiException(409, "file.exists", detail);
            case IS_FOLDER -> new ApiException(409, "file.is-directory", detail);
            case NO_FOLDER -> new ApiException(409, "file.not-a-directory", detail);
            case NOT_EMPTY -> new ApiException(409, "file.not-empty", detail);
            case SPECIAL -> new ApiException(409, "file.special", detail);
            case NO_MATCH -> new ApiException(409, "file.no-match", detail);
            case CHANGED -> new ApiException(412, "file.changed", detail);
            case INVALID -> ApiException.invalid(detail);
            case TOO_MUCH -> new ApiException(413, "file.too-much", detail);
            case NO_ROOM -> new ApiException(507, "file.no-room", detail);
            case FAILED -> new ApiException(500, "file.failed", detail);
        };
    }

    private static ApiException refused(FileException e, Session session, String detail) {
        if (e.refusal().isEmpty()) {
            return new ApiException(403, "file.refused", detail);
        }
        var refusal = e.refusal().get();
        var reason = refusal.reason();
        var more = Denial.of(session, refusal.action(), reason.sentence());
        more.put("code", reason.code());
        return new ApiException(403, reason.code(), detail, more);
    }
}
