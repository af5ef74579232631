// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;

/// The operator, known by a secret. Whoever speaks to the daemon to drive an agent need not have
/// it.
///
/// @param secret as in the file that only the operator can read
public record Operator(String secret) {
    /// The header field with it.
    public static final String SECRET = "writ-approver";

    /// Refuses everybody else.
    ///
    /// @param what this is about, such as `to answer`
    void check(Call call, String what) {
        byte[] given = call.header(SECRET).getBytes(US_ASCII);
        if (!MessageDigest.isEqual(given, secret.getBytes(US_ASCII))) {
            throw new ApiException(
                    403,
                    "operator.only",
                    what
                            + " takes the operator's secret in `"
                            + SECRET
                            + "`; the verbs of `writ` have it");
        }
    }
}
