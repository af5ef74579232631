# SPDX-License-Identifier: Apache-2.0
"""Starts a command on a kernel that seems to lack something, to see whether a sandbox notices.

usage: degrade.py FACILITY[,FACILITY...] COMMAND...

landlock  its three calls do not exist
userns    no new user namespaces: unshare and clone with that flag are not permitted, clone3 does not exist
seccomp   no filters can be installed
notify    filters can be installed, but not with a listener
pidfd     its calls do not exist
"""

import ctypes
import errno
import os
import struct
import sys

LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NUMBER, FIRST_ARGUMENT = 0, 16
CLONE_NEWUSER, NEW_LISTENER, PR_SET_SECCOMP = 0x10000000, 8, 22


def refuse(number, error):
    """Every such call."""
    return [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL | error)]


def refuse_if(number, argument, jump, value, error):
    """Such calls whose argument fits."""
    return [
        (JUMP_EQUAL, 0, 4, number),
        (LOAD, 0, 0, FIRST_ARGUMENT + 8 * argument),
        (jump, 0, 1, value),
        (RETURN, 0, 0, FAIL | error),
        (LOAD, 0, 0, NUMBER),
    ]


FACILITIES = {
    "landlock": [i for n in (444, 445, 446) for i in refuse(n, errno.ENOSYS)],
    "userns": refuse_if(272, 0, JUMP_SET, CLONE_NEWUSER, errno.EPERM)
    + refuse_if(56, 0, JUMP_SET, CLONE_NEWUSER, errno.EPERM)
    + refuse(435, errno.ENOSYS),
    "seccomp": refuse(317, errno.ENOSYS)
    + refuse_if(157, 0, JUMP_EQUAL, PR_SET_SECCOMP, errno.EINVAL),
    "notify": refuse_if(317, 1, JUMP_SET, NEW_LISTENER, errno.EINVAL),
    "pidfd": [i for n in (424, 434, 438) for i in refuse(n, errno.ENOSYS)],
}

program = [(LOAD, 0, 0, NUMBER)]
for facility in sys.argv[1].split(","):
    program += FACILITIES[facility]
program.append((RETURN, 0, 0, ALLOW))

code = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
buffer = ctypes.create_string_buffer(code, len(code))
header = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
# PR_SET_NO_NEW_PRIVS first: without it only root may install a filter.
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, 2, ctypes.c_char_p(header), 0, 0):
    sys.exit("degrade: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
