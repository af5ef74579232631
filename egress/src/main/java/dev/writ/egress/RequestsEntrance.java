// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Reason;
import dev.writ.core.capability.Action;
import dev.writ.core.capability.Scheme;
import io.netty.channel.ChannelHandlerContext;

/// Tells requests in the clear from requests in TLS, where each of them is judged.
final class RequestsEntrance extends FirstBytes {
    private final Destination to;

    RequestsEntrance(Service service, Destination to) {
        super(service);
        this.to = to;
    }

    @Override
    boolean sort(ChannelHandlerContext ctx, int first) {
        var client = ctx.channel();
        if (first != ClientHello.HANDSHAKE) {
            Requests.install(client, service, Entry.to(to, Scheme.HTTP));
            return true;
        }
        if (service.inspection().isPresent()) {
            client.pipeline()
                    .addLast(
                            new HelloReader(
                                    service, to, () -> Inspected.begin(service, client, to)));
            return true;
        }
        service.gate()
                .refused(
                        new Action.Connect(Scheme.TCP, to.host(), to.port()),
                        new Reason(
                                Refusals.NOT_INSPECTED,
                                "requests to "
                                        + to
                                        + " are judged one by one, and no rule permits any in TLS",
                                "use http://, or allow https:// requests"));
        return false;
    }
}
