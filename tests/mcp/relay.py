# SPDX-License-Identifier: Apache-2.0
"""Shows the token of an MCP server to it, for clients that cannot: the conformance suite knows no header of its own. All else
passes as it is, wrong hosts and origins among it. usage: relay.py PORT_FILE PORT TOKEN"""
import os
import socket
import sys
import threading

PORT, TOKEN = int(sys.argv[2]), sys.argv[3]


def pour(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def head(lines, own):
    """The lines of a head with the token, and with the server's port where ours stood."""
    yield lines[0]
    yield b"authorization: Bearer " + TOKEN.encode()
    for line in lines[1:]:
        name = line.split(b":")[0].lower()
        yield line.replace(b":%d" % own, b":%d" % PORT) if name in (b"host", b"origin") else line


def length(lines):
    for line in lines:
        if line.lower().startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


def serve(client, own):
    server = socket.create_connection(("127.0.0.1", PORT))
    threading.Thread(target=pour, args=(server, client), daemon=True).start()
    held = b""
    try:
        while True:
            while b"\r\n\r\n" not in held:
                data = client.recv(65536)
                if not data:
                    return
                held += data
            first, held = held.split(b"\r\n\r\n", 1)
            lines = first.split(b"\r\n")
            server.sendall(b"\r\n".join(head(lines, own)) + b"\r\n\r\n")
            left = length(lines)
            while left > 0:
                held = held or client.recv(65536)
                if not held:
                    return
                server.sendall(held[:left])
                left, held = left - len(held[:left]), held[left:]
    except OSError:
        pass
    finally:
        server.close()


listener = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(listener.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection, listener.getsockname()[1]), daemon=True).start()
