// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/// Who is let in.
public interface Door {
    /// Whether anything that comes on `channel` is read at all.
    boolean admits(SocketChannel channel) throws IOException;

    /// Looks at a request before anything else does.
    ///
    /// @return whether it shows that whoever asks is known here; what is for everybody does not
    /// @throws HttpException if it is not let in
    boolean check(Head head) throws HttpException;
}
