// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509TrustManager;

/// Believes nobody. Programs are not asked who they are; without this, all authorities that Java
/// knows would be read for each host, to believe what programs say of themselves.
final class Nobody implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("nobody is believed here");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("nobody is believed here");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
