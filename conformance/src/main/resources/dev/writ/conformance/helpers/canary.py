# SPDX-License-Identifier: Apache-2.0
"""The canary process: a process of the host with something to steal.

It has a secret in its environment and its memory, another in its command line, descriptor 9 open
on a forbidden file, the forbidden folder as its working directory and a process group of its own.
It lives until its standard input ends, so it cannot outlive the runner.
"""

import ctypes
import os
import sys

os.setpgid(0, 0)
forbidden = sys.argv[1]
os.chdir(forbidden)
os.dup2(os.open("canary.txt", os.O_RDONLY), 9)
buffer = ctypes.create_string_buffer(os.environ["CANARY_SECRET"].encode(), 256)
print("set CADDR", ctypes.addressof(buffer))
print("set CPID", os.getpid())
print("ready", flush=True)
sys.stdin.buffer.read()
