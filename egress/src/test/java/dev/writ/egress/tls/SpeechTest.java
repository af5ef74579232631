// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslProvider;
import org.junit.jupiter.api.Test;

class SpeechTest {
    @Test
    void boring_ssl_is_used_unless_it_was_switched_off() {
        boolean off = Boolean.getBoolean("io.netty.handler.ssl.noOpenSsl");
        assertThat(Speech.PROVIDER).isEqualTo(off ? SslProvider.JDK : SslProvider.OPENSSL);
    }
}
