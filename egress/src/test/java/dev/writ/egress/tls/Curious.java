// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.X509TrustManager;

/// Believes everybody, and remembers whom.
record Curious(List<X509Certificate> seen) implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
        seen.addAll(List.of(chain));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
