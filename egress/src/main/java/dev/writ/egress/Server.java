// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.capability.Scheme;
import io.netty.channel.Channel;

/// A connection to a server, or a stream of one, that takes a request and gives its answer.
///
/// @param kept whether it has carried a request before, so that it may have ended meanwhile
record Server(Channel channel, Destination to, Scheme scheme, Counted counted, boolean kept) {}
