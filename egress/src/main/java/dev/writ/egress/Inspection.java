// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Host;
import io.netty.channel.ChannelHandler;

/// Looks into TLS where each request has to be judged: it ends here, and begins anew towards the
/// server.
interface Inspection {
    /// The side that the program sees: vouches for `host`.
    ChannelHandler toProgram(Host host);

    /// The side that the server sees: lets nobody but `host` answer.
    ChannelHandler toServer(Host host, int port);
}
