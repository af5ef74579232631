# SPDX-License-Identifier: Apache-2.0
"""Takes over an archive as a careless host would: `..` in a name is followed.

usage: unpack.py ARCHIVE FOLDER FENCE

Whatever would land outside FENCE is left out: careless, but not at the expense of a bystander.
"""

import os
import sys
import tarfile

archive, folder, fence = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
with tarfile.open(archive) as members:
    for member in members:
        target = os.path.normpath(os.path.join(folder, member.name))
        if member.isfile() and os.path.realpath(target).startswith(fence + "/"):
            with open(target, "wb") as file:
                file.write(members.extractfile(member).read())
