"""Commitments to seeds, as a process that was just started draws them (F11); imports little, to start fast."""

import sys

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.commitment import seed_commitment


def commitments(count: int) -> list[bytes]:
    """All for one hand id, so that only the seed can make them differ."""
    entropy = SystemEntropy()
    return [seed_commitment("hand", entropy.seed()) for _ in range(count)]


if __name__ == "__main__":
    sys.stdout.buffer.write(b"".join(commitments(int(sys.argv[1]))))
