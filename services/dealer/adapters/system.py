"""Entropy of the operating system."""

import secrets

from services.dealer.domain.commitment import SEED_SIZE


class SystemEntropy:
    """Seeds of 32 fresh bytes from the operating system; no generator of ours that a fork could copy."""

    def seed(self) -> bytes:
        """A new seed."""
        return secrets.token_bytes(SEED_SIZE)

    def nonce(self, size: int) -> bytes:
        """Fresh bytes for a seal or a name."""
        return secrets.token_bytes(size)
