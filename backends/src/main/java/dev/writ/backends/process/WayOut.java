// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.Proxy;

/// What one sandbox has of the outside: the proxy that its connections are led to, and what has to
/// be there for programs to find their way.
final class WayOut implements AutoCloseable {
    /// The port of those who answer questions for names. Whoever is asked, we answer.
    static final int NAMES = 53;

    final Proxy proxy;
    final Datagrams datagrams;
    final NameServer names;
    final Substitutes substitutes;

    WayOut(Proxy proxy, Judge judge) {
        this.proxy = proxy;
        this.datagrams = new Datagrams(proxy, judge);
        this.names = new NameServer(proxy);
        this.substitutes = new Substitutes(proxy);
    }

    @Override
    public void close() {
        datagrams.close();
        names.close();
        substitutes.close();
    }
}
