// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import dev.writ.daemon.http.Door;
import dev.writ.daemon.http.Head;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;

/// Lets in the operator's own processes: the kernel says whose they are.
///
/// @param operator whose daemon this is
record UnixDoor(UserPrincipal operator) implements Door {
    @Override
    public boolean admits(SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(operator);
    }

    @Override
    public boolean check(Head head) {
        return true;
    }
}
