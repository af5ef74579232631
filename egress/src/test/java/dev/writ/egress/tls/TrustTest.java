// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.core.capability.Host;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustTest {
    private static final Host HOST = Hosts.host("api.example.com");

    private final Authority upstream =
            new Authority(List.of(Hosts.pattern("*")), InstantSource.system());
    @TempDir private Path folder;

    @Test
    void a_named_root_is_believed_for_its_host() throws Exception {
        assertThat(protocol(rooted(), upstream, HOST, HOST)).isEqualTo("h2");
    }

    @Test
    void a_name_without_a_dot_and_an_address_are_hosts_as_well() throws Exception {
        for (var host :
                List.of(
                        Hosts.host("registry"),
                        Hosts.host("192.0.2.7"),
                        Hosts.host("[2001:db8::1]"))) {
            assertThat(protocol(rooted(), upstream, host, host)).isEqualTo("h2");
        }
    }

    @Test
    void an_unknown_root_is_not() {
        assertThatThrownBy(() -> protocol(new Trust(List.of()), upstream, HOST, HOST))
                .hasStackTraceContaining("unable to find valid certification path");
    }

    @Test
    void another_host_is_not() {
        for (var other : List.of(Hosts.host("www.example.com"), Hosts.host("192.0.2.7"))) {
            assertThatThrownBy(() -> protocol(rooted(), upstream, other, HOST))
                    .hasStackTraceContaining("No ");
        }
    }

    @Test
    void one_that_has_expired_is_not() throws Exception {
        var old =
                new Authority(
                        List.of(Hosts.pattern("*")),
                        InstantSource.fixed(Instant.now().minus(Duration.ofDays(9))));
        Files.writeString(folder.resolve("old.pem"), old.pem());
        assertThatThrownBy(
                        () ->
                                protocol(
                                        new Trust(List.of(folder.resolve("old.pem"))),
                                        old,
                                        HOST,
                                        HOST))
                .hasStackTraceContaining("NotAfter");
    }

    @Test
    void only_what_the_program_offers_is_agreed_upon() throws Exception {
        try (var server = new TlsServer(upstream.serverContext(HOST))) {
            assertThat(protocol(rooted(), server, HOST, List.of("http/1.1"))).isEqualTo("http/1.1");
            assertThat(protocol(rooted(), server, HOST, List.of())).isEqualTo("");
        }
    }

    private Trust rooted() throws Exception {
        var file = folder.resolve("root.pem");
        Files.writeString(file, "# a comment\n" + upstream.pem());
        return new Trust(List.of(file, folder.resolve("none.pem")));
    }

    private static String protocol(Trust trust, Authority authority, Host served, Host wanted)
            throws Exception {
        try (var server = new TlsServer(authority.serverContext(served))) {
            return protocol(trust, server, wanted, Authority.PROTOCOLS);
        }
    }

    private static String protocol(
            Trust trust, TlsServer server, Host wanted, List<String> protocols) throws Exception {
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            var channel =
                    new Bootstrap()
                            .group(group)
                            .channel(NioSocketChannel.class)
                            .handler(
                                    new ChannelInitializer<Channel>() {
                                        @Override
                                        protected void initChannel(Channel child) {
                                            child.pipeline()
                                                    .addLast(
                                                            trust.handler(
                                                                    child.alloc(),
                                                                    wanted,
                                                                    443,
                                                                    protocols));
                                        }
                                    })
                            .connect("127.0.0.1", server.port())
                            .sync()
                            .channel();
            var handler = channel.pipeline().get(SslHandler.class);
            handler.handshakeFuture().get(20, TimeUnit.SECONDS);
            var chosen = handler.applicationProtocol();
            channel.close().sync();
            return chosen == null ? "" : chosen;
        } finally {
            var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}
