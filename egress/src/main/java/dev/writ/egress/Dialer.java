// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Address;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Decision;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Goes out. A name is resolved here and nowhere else, each of its addresses is looked at, and what
/// was looked at is what is dialled.
final class Dialer {
    private static final int MOST_ADDRESSES = 8;
    private static final int RESOLVING = 8;

    private final Service service;
    // The C library holds a whole thread while it waits for an answer.
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    RESOLVING,
                    RESOLVING,
                    5,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("writ-egress-resolve-", 0).factory());

    Dialer(Service service) {
        this.service = service;
        threads.allowCoreThreadTimeOut(true);
    }

    /// Hears what came of it, on the thread that it is to go on with.
    interface Outcome {
        void connected(Channel server);

        void failed(Failure failure);
    }

    /// Why nobody was reached.
    ///
    /// @param refused whether it was we who did not want to; otherwise it just did not work
    record Failure(boolean refused, boolean late, String reason) {}

    void dial(Destination to, EventLoop loop, Outcome outcome) {
        var once = new Once(outcome);
        if (to.host() instanceof Host.Literal) {
            find(to, Scheme.TCP).next(loop, once);
            return;
        }
        var limit =
                loop.schedule(
                        () ->
                                once.failed(
                                        new Failure(
                                                false,
                                                true,
                                                "`" + to.host() + "` was not resolved in time")),
                        service.bounds().resolve().toMillis(),
                        TimeUnit.MILLISECONDS);
        try {
            threads.execute(
                    () -> {
                        var found = find(to, Scheme.TCP);
                        loop.execute(
                                () -> {
                                    limit.cancel(false);
                                    if (!once.done) {
                                        found.next(loop, once);
                                    }
                                });
                    });
        } catch (RejectedExecutionException e) {
            once.failed(new Failure(false, false, "the session is over"));
        }
    }

    /// The first address that datagrams for `to` may go to; empty if there is none. Waits for it.
    Optional<InetSocketAddress> datagrams(Destination to) {
        try {
            return threads.submit(() -> find(to, Scheme.UDP).first())
                    .get(service.bounds().resolve().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /// The addresses that may be dialled, or why there are none.
    private Addresses find(Destination to, Scheme transport) {
        List<InetAddress> all;
        try {
            all =
                    to.host() instanceof Host.Literal(var address)
                            ? List.of(InetAddress.ofLiteral(address.toString()))
                            : service.resolver().resolve(to.host().toString());
        } catch (UnknownHostException | RuntimeException e) {
            return new Addresses(
                    List.of(), new Failure(false, false, "`" + to.host() + "` has no address"));
        }
        var good = new ArrayList<InetSocketAddress>();
        var failure = new Failure(false, false, "`" + to.host() + "` has no address");
        for (var one : all) {
            var why = refusal(to, transport, one);
            if (why == null) {
                good.add(new InetSocketAddress(one, to.port()));
            } else {
                failure = new Failure(true, false, why);
            }
        }
        if (good.isEmpty() && failure.refused()) {
            service.gate()
                    .refused(
                            new Action.Connect(transport, to.host(), to.port()),
                            new Reason(Refusals.ADDRESS, failure.reason(), ""));
        }
        return new Addresses(
                good.size() > MOST_ADDRESSES ? good.subList(0, MOST_ADDRESSES) : good, failure);
    }

    /// Why `address` must not be dialled for `to`; null if it may.
    private @Nullable String refusal(Destination to, Scheme transport, InetAddress address) {
        if (service.own().contains(new InetSocketAddress(address, to.port()))) {
            return to + " is this proxy itself";
        }
        if (to.host() instanceof Host.Literal) {
            return null; // Named as such, and judged.
        }
        var literal = new Host.Literal(address(address));
        var decision =
                service.gate().policy().decide(new Action.Connect(transport, literal, to.port()));
        boolean special =
                !service.resolver().isGiven(to.host().toString())
                        && (literal.address().isSpecial() || isOwn(address));
        return decision instanceof Decision.Allow || (!special && !decision.isDenied())
                ? null
                : "`"
                        + to.host()
                        + "` leads to "
                        + literal
                        + (decision.isDenied()
                                ? ", denied by " + decision.deciding().orElseThrow()
                                : ", an address of this machine or its neighbours that no rule names; to change that: `allow: [net:"
                                        + (transport == Scheme.UDP ? "udp://" : "")
                                        + literal
                                        + ":"
                                        + to.port()
                                        + "]`");
    }

    private static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true;
        }
    }

    static Address address(InetAddress from) {
        byte[] bytes = from.getAddress();
        long high = 0;
        long low = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes.length - i > 8) {
                high = (high << 8) | (bytes[i] & 0xFF);
            } else {
                low = (low << 8) | (bytes[i] & 0xFF);
            }
        }
        return new Address(bytes.length > 4, high, low);
    }

    /// Addresses still to be tried.
    private final class Addresses {
        private final List<InetSocketAddress> left;
        private final Failure failure;

        Addresses(List<InetSocketAddress> addresses, Failure failure) {
            this.left = new ArrayList<>(addresses);
            this.failure = failure;
        }

        Optional<InetSocketAddress> first() {
            return left.stream().findFirst();
        }

        void next(EventLoop loop, Once once) {
            if (left.isEmpty()) {
                once.failed(failure);
                return;
            }
            var address = left.removeFirst();
            new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, Tunnel.buffers())
                    .option(
                            ChannelOption.CONNECT_TIMEOUT_MILLIS,
                            (int) service.bounds().connect().toMillis())
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(address)
                    .addListener(
                            future -> {
                                if (future.isSuccess()) {
                                    once.connected(((ChannelFuture) future).channel());
                                } else if (left.isEmpty()) {
                                    once.failed(
                                            new Failure(
                                                    false,
                                                    future.cause()
                                                            instanceof ConnectTimeoutException,
                                                    address + " did not accept the connection"));
                                } else {
                                    next(loop, once);
                                }
                            });
        }
    }

    /// One outcome, and no other.
    private static final class Once implements Outcome {
        private final Outcome outcome;
        private boolean done;

        Once(Outcome outcome) {
            this.outcome = outcome;
        }

        @Override
        public void connected(Channel server) {
            done = true;
            outcome.connected(server);
        }

        @Override
        public void failed(Failure failure) {
            if (!done) {
                done = true;
                outcome.failed(failure);
            }
        }
    }
}
