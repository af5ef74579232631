// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.broker.Verdict;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Passage;
import io.netty.channel.Channel;

/// Lets a connection through as far as the policy wants: judged as a whole, or request by request.
final class Passing {
    private final Service service;
    private final Channel client;
    private final Destination to;
    private final Reply reply;
    private final Hold hold = new Hold();

    /// What the program at the other end is told.
    interface Reply {
        /// It can begin. Takes everything out of the pipeline that has been there to make this
        /// reply.
        void open();

        void refused(Action action, Reason reason);

        void failed(Dialer.Failure failure);
    }

    private Passing(Service service, Channel client, Destination to, Reply reply) {
        this.service = service;
        this.client = client;
        this.to = to;
        this.reply = reply;
    }

    /// Has the connection judged, unless its requests will be.
    static void judged(Service service, Channel client, Destination to, Reply reply) {
        var passing = new Passing(service, client, to, reply);
        var passage = Passage.of(service.gate().policy(), to.host(), to.port());
        if (passage == Passage.REQUESTS) {
            passing.pass(passage);
        } else {
            passing.judge(passage);
        }
    }

    /// Lets a connection through that the broker has permitted.
    static void permitted(
            Service service, Channel client, Destination to, Passage passage, Reply reply) {
        new Passing(service, client, to, reply).pass(passage);
    }

    private void judge(Passage passage) {
        var connect = connect();
        service.gate()
                .judge(
                        connect,
                        client,
                        verdict -> {
                            if (verdict instanceof Verdict.Permitted) {
                                pass(passage);
                            } else {
                                reply.refused(connect, verdict.reason());
                            }
                        });
    }

    private void pass(Passage passage) {
        switch (passage) {
            // ORDER: after the handlers at work now have done with what brought us here.
            case REQUESTS -> client.eventLoop().execute(this::sortOut);
            case TLS, ANYTHING -> dial(passage);
            case CLOSED -> client.close(); // permitted it cannot be, and would be a hole if it were
        }
    }

    private void sortOut() {
        if (client.isActive()) {
            open();
            client.pipeline().addLast(new RequestsEntrance(service, to));
            hold.release(client);
        }
    }

    private Action.Connect connect() {
        return new Action.Connect(Scheme.TCP, to.host(), to.port());
    }

    /// What was sent ahead of time waits until it is known what to do with it.
    private void open() {
        client.pipeline().addLast(hold);
        reply.open();
    }

    private void dial(Passage passage) {
        service.dialer()
                .dial(
                        to,
                        client.eventLoop(),
                        new Dialer.Outcome() {
                            @Override
                            public void connected(Channel server) {
                                if (client.isActive()) {
                                    join(passage, server);
                                } else {
                                    server.close();
                                }
                            }

                            @Override
                            public void failed(Dialer.Failure failure) {
                                if (failure.refused()) {
                                    reply.refused(
                                            connect(),
                                            new Reason(Refusals.ADDRESS, failure.reason(), ""));
                                } else {
                                    reply.failed(failure);
                                }
                            }
                        });
    }

    private void join(Passage passage, Channel server) {
        open();
        if (passage == Passage.ANYTHING) {
            Tunnel.join(service, to, client, server, tunnelEnd(Scheme.TCP.word()));
        } else {
            client.closeFuture().addListener(_ -> server.close());
            client.pipeline()
                    .addLast(
                            new HelloReader(
                                    service,
                                    to,
                                    () ->
                                            Tunnel.join(
                                                    service,
                                                    to,
                                                    client,
                                                    server,
                                                    tunnelEnd("tls"))));
        }
        hold.release(client);
    }

    private Tunnel.Ending tunnelEnd(String scheme) {
        return (up, down, nanos) -> service.gate().sent(scheme, to, "", "", 0, up, down, nanos, "");
    }
}
