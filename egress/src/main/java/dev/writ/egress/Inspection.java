// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Host;
import dev.writ.core.policy.Policy;
import dev.writ.egress.tls.Authority;
import dev.writ.egress.tls.Bundles;
import dev.writ.egress.tls.Trust;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Looks into TLS where each request has to be judged: it ends here, and begins anew towards the
/// server.
final class Inspection implements AutoCloseable {
    private final Gate gate;
    private final Authority authority;
    private final Bundles bundles;
    private final Trust trust;

    Inspection(Gate gate, Policy policy, InstantSource clock, Outside outside) {
        this.gate = gate;
        this.authority = Authority.of(policy, clock);
        this.bundles = new Bundles(authority, outside.variables());
        this.trust = Trust.ofMachine(outside.variables(), outside.roots());
    }

    /// How to speak to the program in place of `host`. Keys and certificates may have to be made
    /// first, so it goes on later, on the thread of `client`.
    void toProgram(Host host, Channel client, Consumer<SslContext> then) {
        gate.aside(
                client,
                () -> {
                    // Is needed a moment later, and takes its time.
                    trust.clientContext(Protocols.OLD);
                    trust.clientContext(Protocols.BOTH);
                    return authority.serverContext(host, Protocols.BOTH);
                },
                then);
    }

    /// What speaks to the server, and lets nobody but that host answer.
    SslHandler toServer(Channel server, Destination to, List<String> protocols) {
        return trust.handler(server.alloc(), to.host(), to.port(), protocols);
    }

    /// What programs have to trust.
    String pem() {
        return authority.pem();
    }

    Optional<byte[]> instead(FilePath file, Path object) {
        return bundles.instead(file, object);
    }

    Map<String, String> environment() {
        return bundles.environment();
    }

    @Override
    public void close() {
        authority.close();
    }
}
