// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Finds the addresses of a name. May wait.
public interface Resolver {
    List<InetAddress> resolve(String name) throws UnknownHostException;

    /// As this machine does it for every program.
    static Resolver system() {
        return name -> List.of(InetAddress.getAllByName(name));
    }
}
