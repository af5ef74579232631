// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Address;
import dev.writ.kernel.Errno;
import dev.writ.kernel.Sockets;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// An address and a port, and how the kernel writes them.
record Endpoint(Address ip, int port) {
    private static final int SHORTEST_INET = 8;
    private static final int SHORTEST_INET6 = 24;
    private static final int INET = 16;
    private static final int INET6 = 28;
    private static final int MAPPED = 0xffff;
    static final Address LOOPBACK = new Address(false, 0, 0x7f00_0001);
    static final Address LOOPBACK6 = new Address(true, 0, 1);

    /// Reads struct sockaddr_in or sockaddr_in6.
    ///
    /// @throws Failed if it is too short
    static Endpoint of(byte[] address) {
        var bytes = ByteBuffer.wrap(address); // network order
        boolean v6 = family(address) == Sockets.AF_INET6;
        if (address.length < (v6 ? SHORTEST_INET6 : SHORTEST_INET)) {
            throw new Failed(Errno.EINVAL);
        }
        var ip =
                v6
                        ? new Address(true, bytes.getLong(8), bytes.getLong(16))
                        : new Address(false, 0, bytes.getInt(4) & 0xffffffffL);
        return new Endpoint(ip, bytes.getShort(2) & 0xffff);
    }

    static Endpoint of(InetSocketAddress address) {
        var bytes = ByteBuffer.wrap(address.getAddress().getAddress());
        var ip =
                bytes.capacity() == Integer.BYTES
                        ? new Address(false, 0, bytes.getInt() & 0xffffffffL)
                        : new Address(true, bytes.getLong(), bytes.getLong());
        return new Endpoint(ip, address.getPort());
    }

    /// Every address of `family`, and a port that somebody picks.
    static Endpoint anywhere(int family) {
        return new Endpoint(new Address(family == Sockets.AF_INET6, 0, 0), 0);
    }

    static Endpoint nowhere(int port) {
        return new Endpoint(new Address(false, 0, 0), port);
    }

    /// The family that stands in any address.
    static int family(byte[] address) {
        return ByteBuffer.wrap(address).order(ByteOrder.nativeOrder()).getShort(0);
    }

    /// For a socket of `family`: an IPv4 address is written into an IPv6 one if need be.
    byte[] bytes(int family) {
        var bytes = ByteBuffer.allocate(family == Sockets.AF_INET6 ? INET6 : INET);
        bytes.order(ByteOrder.nativeOrder()).putShort((short) family);
        bytes.order(ByteOrder.BIG_ENDIAN).putShort((short) port);
        if (family == Sockets.AF_INET) {
            bytes.putInt((int) ip.low());
        } else if (ip.isV6()) {
            bytes.putInt(0).putLong(ip.high()).putLong(ip.low());
        } else {
            bytes.putInt(0).putLong(0).putInt(MAPPED).putInt((int) ip.low());
        }
        return bytes.array();
    }

    InetSocketAddress java() {
        var bytes = ByteBuffer.allocate(ip.isV6() ? 2 * Long.BYTES : Integer.BYTES);
        if (ip.isV6()) {
            bytes.putLong(ip.high()).putLong(ip.low());
        } else {
            bytes.putInt((int) ip.low());
        }
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes.array()), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }

    /// Itself, or what connect(2) takes it for if it stands for every address.
    Endpoint orLoopback() {
        return isWildcard() ? new Endpoint(ip.isV6() ? LOOPBACK6 : LOOPBACK, port) : this;
    }

    boolean isThisMachine() {
        return ip.isV6() ? ip.high() == 0 && ip.low() == 1 : ip.low() >>> 24 == 127;
    }

    /// Whether it stands for every address that there is.
    boolean isWildcard() {
        return ip.high() == 0 && ip.low() == 0;
    }
}
