"""Starts a program that ends with its parent; as in ``python tied_start.py PARENT_PID PROGRAM ARGUMENTS...``.

A console that is killed (kill -9, out of memory) can stop nothing any more, and services without a console would hold
ports and databases unseen. So each one asks the kernel for a SIGTERM at its parent's end, drains and stops. Linux only;
elsewhere the program simply starts. Runs as a script of its own, before any of ours is imported.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to its parent, then become the program; the process id stays."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it ended before the kernel was asked
            return
    os.execv(program[0], program)  # noqa: S606  # what it starts is what the console says


if __name__ == "__main__":
    main()
