# SPDX-License-Identifier: Apache-2.0
"""Starts a launcher the way a careless or an interactive program would.

usage: start.py leak FORBIDDEN PORT -- COMMAND...
       start.py pty TYPED SHOWN -- COMMAND...

leak: with descriptors 7 (the forbidden folder), 8 (a file in it), 9 (a connected socket).
pty:  on a terminal of its own. Standard output stays what it is, so whatever reaches the terminal
      came past it. Afterwards the file TYPED gets what waits in the terminal's input, SHOWN what
      was written to it.
"""

import fcntl
import os
import pty
import select
import socket
import sys
import termios
import tty


def leak(forbidden, port, command):
    keep(os.open(forbidden, os.O_RDONLY | os.O_DIRECTORY), 7)
    keep(os.open(forbidden + "/canary.txt", os.O_RDONLY), 8)
    keep(socket.create_connection(("127.0.0.1", int(port))).detach(), 9)
    os.execvp(command[0], command)


def keep(descriptor, number):
    os.dup2(descriptor, number, inheritable=True)
    if descriptor != number:
        os.close(descriptor)


def terminal(typed, shown, command):
    master, slave = pty.openpty()
    tty.setraw(slave)  # raw: what is pushed into the input can be read back, and is not echoed
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        os.dup2(slave, 0)
        os.execvp(command[0], command)
    written = watch(child, master)
    with open(shown, "wb") as file:
        file.write(written)
    with open(typed, "wb") as file:
        file.write(drain(slave))


def watch(child, master):
    written = b""
    while True:
        written += drain(master)
        if os.waitpid(child, os.WNOHANG)[0]:
            return written + drain(master)
        select.select([master], [], [], 0.05)


def drain(descriptor):
    data = b""
    while len(data) < 1 << 20 and select.select([descriptor], [], [], 0)[0]:
        try:
            part = os.read(descriptor, 4096)
        except OSError:
            return data
        if not part:
            return data
        data += part
    return data


mode, first, second, _, *command = sys.argv[1:]
if mode == "leak":
    leak(first, second, command)
else:
    terminal(first, second, command)
