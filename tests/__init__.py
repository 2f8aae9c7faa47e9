"""Tests of the suite; see README.md."""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
"""No child of ours calls anybody before it becomes another program: gRPC, which would begin its threads anew in each
child and halt its own meanwhile, fell over there."""
