# SPDX-License-Identifier: Apache-2.0
"""Canary services of the Unix family, for what the Java library has no words for.

usage: services.py sockets|names FORBIDDEN READABLE NONCE

Prints `set NAME VALUE` for the probe's environment, `ready`, then `heard EAR` whenever the nonce
arrives. It lives until its standard input ends, and takes with it whatever it made.
"""

import atexit
import ctypes
import os
import select
import socket
import sys
import time

what, forbidden, readable, nonce = sys.argv[1:5]
libc = ctypes.CDLL(None, use_errno=True)
listening = {}


def fail(message):
    print("failed", message, flush=True)
    sys.exit(1)


def listen(ear, kind, address):
    server = socket.socket(socket.AF_UNIX, kind)
    server.bind(address)
    if kind == socket.SOCK_STREAM:
        server.listen()
    listening[server] = ear


def sockets():
    listen("unix", socket.SOCK_STREAM, forbidden + "/svc.sock")
    listen("unix-ro", socket.SOCK_STREAM, readable + "/svc.sock")
    listen("unixd", socket.SOCK_DGRAM, readable + "/svc.dgram")
    listen("abs", socket.SOCK_STREAM, "\0cc-" + nonce)
    listen("absd", socket.SOCK_DGRAM, "\0cc-" + nonce + "d")
    print("set USOCK", forbidden + "/svc.sock")
    print("set ABS", "cc-" + nonce)


def syscall(number, *arguments):
    longs = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *longs)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def claim():
    """The names below exist once on a machine. Whoever has bound this one may use them; the kernel
    gives it back when the process ends, however it ends."""
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    deadline = time.monotonic() + 60
    while True:
        try:
            lock.bind("\0writ-probe-names-%d" % os.getuid())
            return lock
        except OSError:
            if time.monotonic() > deadline:
                fail("another run keeps the shared names")
            time.sleep(0.05)


def names(secret):
    shared_file(secret)
    segment(secret)
    queue()
    key(secret)


def shared_file(secret):
    path = "/dev/shm/cc-canary-shm"
    try:
        # A runner that was killed may have left it; only ours begins like this.
        with open(path, "rb") as old:
            if os.fstat(old.fileno()).st_uid == os.getuid() and old.read(3) == b"CC-":
                os.unlink(path)
    except OSError:
        pass
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    except OSError as failure:
        fail("%s: %s" % (path, failure.strerror))
    os.write(descriptor, secret)
    atexit.register(os.unlink, path)


def segment(secret):
    number = int(nonce[:7], 16) | 0x40000000
    libc.shmat.restype = ctypes.c_void_p
    identifier = libc.shmget(number, 4096, 0o1000 | 0o2000 | 0o600)
    if identifier < 0:
        fail("shmget: " + os.strerror(ctypes.get_errno()))
    atexit.register(lambda: libc.shmctl(identifier, 0, None))
    address = libc.shmat(identifier, None, 0)
    ctypes.memmove(address, secret, len(secret))
    libc.shmdt(ctypes.c_void_p(address))
    print("set SHMKEY", number)


def queue():
    name = b"cc-canary-mq"
    try:
        syscall(241, name)  # left by a runner that was killed
    except OSError:
        pass
    try:
        syscall(240, name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, None)
        atexit.register(lambda: syscall(241, name))
    except OSError as failure:
        print("note mq_open:", failure.strerror)  # then the positive control says so


def key(secret):
    user_keyring = -4
    try:
        serial = syscall(248, b"user", b"cc-canary", secret, len(secret), user_keyring)
        atexit.register(lambda: syscall(250, 9, serial, user_keyring))
    except OSError as failure:
        print("note add_key:", failure.strerror)


def serve():
    while True:
        ready, _, _ = select.select([sys.stdin, *listening], [], [])
        if sys.stdin in ready:
            return
        for server in ready:
            hear(server)


def hear(server):
    if server.type == socket.SOCK_DGRAM:
        data = server.recv(4096)
    else:
        connection, _ = server.accept()
        connection.settimeout(3)
        try:
            data = connection.recv(4096)
        except OSError:
            data = b""
        connection.close()
    if nonce.encode() in data:
        print("heard", listening[server], flush=True)


lock = None
if what == "names":
    lock = claim()
    names(os.environ["CANARY_SECRET"].encode())
else:
    sockets()
print("ready", flush=True)
serve()
