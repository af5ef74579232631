// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.util.List;

/// What can be agreed upon in TLS, the best first.
final class Protocols {
    static final String HTTP_2 = "h2";
    static final String HTTP_1_1 = "http/1.1";

    /// Only the older one.
    static final List<String> OLD = List.of(HTTP_1_1);

    static final List<String> BOTH = List.of(HTTP_2, HTTP_1_1);

    private Protocols() {}
}
