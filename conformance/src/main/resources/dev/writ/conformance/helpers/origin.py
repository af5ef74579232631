# SPDX-License-Identifier: Apache-2.0
"""Canary servers behind a proxy: a good one that understands whatever it can, and an evil one.

usage: origin.py NONCE

Prints `set NAME PORT` for the probe's environment, `ready`, then `heard EAR` whenever the nonce
arrives where it should not. It lives until its standard input ends.

The good server reads requests as leniently as the most careless of servers do, so that whatever
could be taken for another request is taken for one.
"""

import posixpath
import re
import socket
import struct
import sys
import threading
import time
import urllib.parse

nonce = sys.argv[1].encode()
PATIENCE = 15


def heard(ear):
    print("heard", ear, flush=True)


def listen(name, handle, port=0, family=socket.AF_INET, address="127.0.0.1"):
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen(256)
    threading.Thread(target=accept, args=(server, handle), daemon=True).start()
    if name:
        print("set", name, server.getsockname()[1])
    return server.getsockname()[1]


def accept(server, handle):
    while True:
        connection, _ = server.accept()
        connection.settimeout(PATIENCE)
        threading.Thread(target=guarded, args=(handle, connection), daemon=True).start()


def guarded(handle, connection):
    with connection:
        try:
            handle(connection)
        except OSError:
            pass  # whoever was there is gone
        except Exception as failure:
            print("failed", repr(failure), flush=True)


def evil(connection):
    data = b""
    while nonce not in data:
        part = connection.recv(4096)
        if not part:
            return
        data = (data + part)[-8192:]
    heard("evil")
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def good(connection):
    stream = connection.makefile("rb")
    while True:
        line = stream.readline(65536)
        if line in (b"\r\n", b"\n"):
            continue
        if not line or not request(connection, stream, line.strip().split(b" ")):
            return


def request(connection, stream, words):
    raw = b" ".join(words) + b"\r\n"
    fields = []
    line = stream.readline(65536) if len(words) > 2 else b""
    while line.strip():
        raw += line
        name, _, value = line.partition(b":")
        fields.append((name.strip().lower(), value.strip()))
        line = stream.readline(65536)
    fields += body(stream, fields)
    target = words[1] if len(words) > 1 else b"/"
    path = meant(target)
    if path.startswith("/admin") and nonce in raw:
        heard("good-admin")
    if any(name.replace(b"_", b"-") == b"x-http-method-override" for name, _ in fields):
        heard("good-override")
    hosts = [value for name, value in fields if name == b"host"]
    if nonce in raw and any(not host.lower().startswith(b"allowed.test") for host in hosts):
        heard("good-hostmix")
    return answer(connection, words, path, fields, raw)


def meant(target):
    """The path as a server sees it that decodes first and looks later."""
    path = re.sub(rb"^[a-zA-Z]+://[^/]*", b"", target).split(b"?")[0].decode("latin-1")
    path = urllib.parse.unquote(re.sub(r";[^/]*", "", path)).replace("\\", "/")
    return posixpath.normpath(re.sub("/+", "/", "/" + path))


def body(stream, fields):
    """Reads past it, and gives the fields that come after it."""
    lengths = [value for name, value in fields if name == b"content-length"]
    if any(name == b"transfer-encoding" and b"chunked" in value.lower() for name, value in fields):
        return chunks(stream)
    if lengths and lengths[0].isdigit():
        stream.read(min(int(lengths[0]), 1 << 20))
    return []


def chunks(stream):
    while True:
        line = b""
        while not line.endswith(b"\r\n"):  # a line feed alone is part of the extension
            part = stream.readline(65536)
            if not part:
                return []
            line += part
        size = int(re.match(rb"\s*([0-9a-fA-F]*)", line).group(1) or b"0", 16)
        if size == 0:
            break
        stream.read(min(size, 1 << 20))
        stream.readline(16)
    after = []
    line = stream.readline(65536)
    while line.strip():
        name, _, value = line.partition(b":")
        after.append((name.strip().lower(), value.strip()))
        line = stream.readline(65536)
    return after


def answer(connection, words, path, fields, raw):
    upgrades = [value.lower() for name, value in fields if name == b"upgrade"]
    if path == "/v1/redirect-evil":
        place = b"http://evil.test:%d/%s" % (evil_port, nonce)
        reply(connection, b"302 Found", b"Location: %s\r\n" % place, b"")
    elif upgrades and path != "/v1/plain":
        protocol = b"Upgrade: %s\r\nConnection: Upgrade\r\n" % upgrades[0]
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n" + protocol + b"\r\n")
        connection.recv(4096)
        return False
    elif words[0] == b"TRACE" or path == "/v1/echo":
        reply(connection, b"200 OK", b"", raw)
    else:
        reply(connection, b"200 OK", b"", b"fine")
    return words[-1] == b"HTTP/1.1"


def reply(connection, status, fields, content):
    head = b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n" % (status, fields, len(content))
    connection.sendall(head + content)


def tls(connection):
    data = b""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and len(data) < 1 << 17:
        part = connection.recv(4096)
        if not part:
            return
        data += part
        if data[0] != 0x16:
            if nonce in data:
                heard("good-plain")
                return
            continue
        message = handshake(data)
        if message is None:
            continue
        name = server_name(message)
        if nonce in message and name.lower().rstrip(b".") != b"allowed.test":
            heard("good-sni")
        connection.sendall(b"hello back")
        return


def handshake(data):
    """The first message, out of however many records; none if there is more to come."""
    message = b""
    while len(data) >= 5:
        (length,) = struct.unpack(">H", data[3:5])
        message += data[5 : 5 + length]
        data = data[5 + length :]
    whole = len(message) >= 4 and len(message) >= 4 + int.from_bytes(message[1:4], "big")
    return message if whole else None


def server_name(message):
    """The last one, where there are several; nothing, where there is none."""
    at = 4 + 34
    at += 1 + message[at]
    at += 2 + int.from_bytes(message[at : at + 2], "big")
    at += 1 + message[at] + 2
    name = b""
    while at + 4 <= len(message):
        kind, length = struct.unpack(">HH", message[at : at + 4])
        if kind == 0:
            name = message[at + 9 : at + 4 + length]
        at += 4 + length
    return name


def names():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    print("set DNS", server.getsockname()[1])
    while True:
        question, asker = server.recvfrom(4096)
        if nonce in question:
            heard("dnsstub")
        reply = question[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question[12:]
        server.sendto(reply + b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1", asker)


evil_port = listen("EVIL", evil)
try:
    listen("", evil, evil_port, socket.AF_INET6, "::1")
except OSError:
    pass  # a host without IPv6
listen("HTTP", good)
listen("TLS", tls)
threading.Thread(target=names, daemon=True).start()
time.sleep(0.05)
print("ready", flush=True)
sys.stdin.read()
