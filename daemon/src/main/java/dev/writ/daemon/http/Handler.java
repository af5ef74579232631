// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.http;

import java.io.IOException;
import java.io.InputStream;

/// Answers requests, each on a virtual thread of its own.
public interface Handler {
    void handle(Head head, InputStream body, Response response) throws IOException;

    /// The body of an answer that says that `head` was not even read, or not let in.
    byte[] refusal(int status, String why);
}
