// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import dev.writ.core.capability.Host;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslProvider;
import java.util.List;
import javax.net.ssl.SSLContext;

/// A server that speaks the TLS of Java, whatever the proxy speaks.
public final class JavaServer {
    private JavaServer() {}

    public static SSLContext context(Authority authority, Host host) {
        var made = authority.make(host, List.of("http/1.1"), SslProvider.JDK);
        return ((JdkSslContext) made).context();
    }
}
