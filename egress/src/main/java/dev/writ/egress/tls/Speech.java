// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/// By what TLS is spoken. Whom to believe is decided by Java alone, whatever it is.
final class Speech {
    /// BoringSSL, or Java's own where that cannot be loaded: slower by far until it is compiled
    /// well, which takes longer than most sessions.
    static final SslProvider PROVIDER =
            OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;

    private Speech() {}
}
